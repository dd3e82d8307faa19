// The whole scopes of the laws of padding_plan_test.cpp, which has a share of them as facts.
#include "tests/spyre/padding_plan_test.cpp"  // NOLINT(bugprone-suspicious-include)
