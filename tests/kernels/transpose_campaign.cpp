// The whole scopes of the laws of transpose_test.cpp, which has a share of them as facts.
#include "tests/kernels/transpose_test.cpp"  // NOLINT(bugprone-suspicious-include)
