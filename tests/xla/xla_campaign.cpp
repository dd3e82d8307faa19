// The whole scope of the law of random shapes.
#include "tests/xla/xla_test.cpp"  // NOLINT(bugprone-suspicious-include)
