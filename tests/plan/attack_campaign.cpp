// The whole scopes of the laws of attack_test.cpp, which has a share of them as facts.
#include "tests/plan/attack_test.cpp"  // NOLINT(bugprone-suspicious-include)
