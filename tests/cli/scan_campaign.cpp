// The whole scopes of the laws of scan_test.cpp, which has a share of them as facts.
#include "tests/cli/scan_test.cpp"  // NOLINT(bugprone-suspicious-include)
