// The whole scopes of the laws of runs_test.cpp, which has a share of them as facts.
#include "tests/kernels/runs_test.cpp"  // NOLINT(bugprone-suspicious-include)
