// The whole scope of the law of random steps.
#include "tests/strided/strided_test.cpp"  // NOLINT(bugprone-suspicious-include)
