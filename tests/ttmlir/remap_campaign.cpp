// The whole scopes of the laws of remap_test.cpp, which has a share of them as facts.
#include "tests/ttmlir/remap_test.cpp"  // NOLINT(bugprone-suspicious-include)
