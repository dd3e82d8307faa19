// The whole scopes of the laws of construct_law_test.cpp, which has a share of them as facts.
#include "tests/spyre/construct_law_test.cpp"  // NOLINT(bugprone-suspicious-include)
