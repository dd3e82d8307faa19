// The whole scopes of the laws of run_test.cpp, which has a share of them as facts.
#include "tests/map/run_test.cpp"  // NOLINT(bugprone-suspicious-include)
