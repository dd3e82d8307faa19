// The verifier's commands as a program: what ./dev run builds first, where check or another of them is all that is
// asked. verify-layout itself (oracle/cli/program.h) has all commands. The program is also the child process that runs
// a solver.
#include <string_view>

#include "encodings/smt/solver.h"
#include "verifier/cli/command_line.h"
#include "verifier/cli/process.h"

int main(int argc, char** argv) {
  return vl::cli::process([&] {
    if (argc > 1 && std::string_view(argv[1]) == vl::smt::kWorker) return vl::smt::run_worker({argv + 2, argv + argc});
    return vl::cli::run_program(vl::cli::commands(), argc, argv);
  });
}
