// The whole scopes of the laws of threads_test.cpp, which has a share of them as facts.
#include "tests/executor/threads_test.cpp"  // NOLINT(bugprone-suspicious-include)
