// The whole scopes of the laws of pieces_test.cpp, which has a share of them as facts.
#include "tests/map/pieces_test.cpp"  // NOLINT(bugprone-suspicious-include)
