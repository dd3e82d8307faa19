// verify-layout: the command, with all commands of the verifier and of the oracle.
#pragma once

namespace vl::cli {

/// All that main() does. The program is also the child process that runs a solver (smt-worker, which no help names),
/// and the one that calls a library for the gate. The result is an exit code of verifier/cli/commands.h.
[[nodiscard]] int program(int argc, char** argv);

}  // namespace vl::cli
