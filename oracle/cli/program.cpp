#include "oracle/cli/program.h"

#include <string>
#include <string_view>
#include <vector>

#include "encodings/smt/solver.h"
#include "oracle/cli/commands.h"
#include "oracle/gate/library_host.h"
#include "verifier/cli/process.h"

namespace vl::cli {
namespace {

int run_command(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == smt::kWorker) return smt::run_worker({argv + 2, argv + argc});
  if (argc == 3 && argv[1] == gate::kLibraryHost) return gate::run_library(argv[2]);
  std::vector<Command> all(commands().begin(), commands().end());
  all.insert(all.end(), oracle_commands().begin(), oracle_commands().end());
  const std::vector<std::string> words = gate_words(argc, argv);
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return run_program(all, static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

int program(int argc, char** argv) {
  return process([&] { return run_command(argc, argv); });
}

}  // namespace vl::cli
