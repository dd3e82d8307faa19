// The programs that check certificates and read no texts: verify-layout-cert, and verify-layout-cert-relations, which
// knows nothing of values.
#pragma once

#include <string>

#include "verifier/checker/check.h"

namespace vl::checker {

/// Reads the arguments and checks the files (files.h); without `show`, of relations alone. Returns the exit code.
int run_program(const std::string& name, int count, char** arguments, Show show = nullptr);

}  // namespace vl::checker
