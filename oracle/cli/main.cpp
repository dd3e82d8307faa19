// verify-layout: the command. A bug ends here with exit code 70; every other exit code is an answer of a command. The
// program is also the child process that runs a solver (smt-worker, which no help names).
#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "encodings/smt/solver.h"
#include "oracle/cli/commands.h"

int main(int argc, char** argv) try {
  using namespace vl::cli;
  if (argc > 1 && std::string_view(argv[1]) == vl::smt::kWorker) return vl::smt::run_worker({argv + 2, argv + argc});
  std::vector<Command> all(commands().begin(), commands().end());
  all.insert(all.end(), oracle_commands().begin(), oracle_commands().end());
  const int code = run_program(all, argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "verify-layout: the output could not be written\n");
    return kBadInput;
  }
  return code;
} catch (const std::exception& bug) {
  fmt::print(stderr, "verify-layout: internal error, please report it: {}\n", bug.what());
  return vl::cli::kInternalError;
}
