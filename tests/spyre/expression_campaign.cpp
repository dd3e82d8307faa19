// The whole scopes of the laws of expression_test.cpp, which has a share of them as facts.
#include "tests/spyre/expression_test.cpp"  // NOLINT(bugprone-suspicious-include)
