// The whole scopes of the laws of block_test.cpp, which has a share of them as facts.
#include "tests/values/block_test.cpp"  // NOLINT(bugprone-suspicious-include)
