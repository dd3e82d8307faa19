// The whole scopes of the laws of padded_run_test.cpp, which has a share of them as facts.
#include "tests/claims/padded_run_test.cpp"  // NOLINT(bugprone-suspicious-include)
