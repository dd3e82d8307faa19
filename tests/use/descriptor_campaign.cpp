// The law of random tensor maps, on all of its scope.
#include "tests/use/descriptor_test.cpp"  // NOLINT(bugprone-suspicious-include)
