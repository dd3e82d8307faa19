// The whole scopes of the laws of gate_protocol_test.cpp, which has a share of them as facts.
#include "tests/oracle/gate_protocol_test.cpp"  // NOLINT(bugprone-suspicious-include)
