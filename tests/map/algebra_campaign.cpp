// The whole scopes of the laws of algebra_test.cpp, which has a share of them as facts.
#include "tests/map/algebra_test.cpp"  // NOLINT(bugprone-suspicious-include)
