// The command line: a table of subcommands, each with its options and what it runs. Whoever has commands of his own
// adds a table; the program is all of them (oracle/cli/main.cpp).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vl::cli {

/// Options that do not go together: printed with the help, exit 64.
struct Misuse {
  std::string message;
};
/// What a subcommand does with the options that were read: its exit code.
using Run = std::function<std::variant<int, Misuse>()>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Run (*declare)(CLI::App& app);  // adds its options; what it gives outlives the app's reading
};

/// Those of the verifier: check, explain, show, equal, nests, convert, swizzle, compatible, cert, families, claims.
[[nodiscard]] std::span<const Command> commands();

/// Reads the command line and runs the subcommand that it names. Help goes to stdout (exit 0), usage errors with help
/// to stderr (exit 64).
[[nodiscard]] int run_program(std::span<const Command> commands, int argc, const char* const* argv);

}  // namespace vl::cli
