// The whole scopes of the laws of work_test.cpp, which has a share of them as facts.
#include "tests/checker/work_test.cpp"  // NOLINT(bugprone-suspicious-include)
