// The whole scope of the law of random descriptors.
#include "tests/descriptor/operand_test.cpp"  // NOLINT(bugprone-suspicious-include)
