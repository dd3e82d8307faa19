// The command line: a table of subcommands, each with its options and its function. A folder with commands has its own
// table; the program has all tables (oracle/cli/program.cpp).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vl::cli {

/// Options that exclude one another: the message is printed with the help, exit 64.
struct Misuse {
  std::string message;
};
/// Runs a subcommand with the options that were read; the result is its exit code.
using Run = std::function<std::variant<int, Misuse>()>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Run (*declare)(CLI::App& app);  // adds its options; the result outlives the reading of the command line
};

/// The verifier's commands: check, explain, show, equal, diff, nests, convert, swizzle, descriptor, compatible,
/// neutral, transfer, cert, families, claims, man, completion.
[[nodiscard]] std::span<const Command> commands();

/// The rows of `check`, `neutral` and `transfer`, in files of their own.
[[nodiscard]] Run declare_check(CLI::App& app);
[[nodiscard]] Run declare_neutral(CLI::App& app);
[[nodiscard]] Run declare_transfer(CLI::App& app);
/// The words behind the program's name, where `neutral --program` has its bare --fill under the name --place: elsewhere
/// --fill takes a state, which may begin with -.
[[nodiscard]] std::vector<std::string> respelled(int argc, const char* const* argv);

/// Reads the command line and runs the subcommand that it names. Help goes to stdout (exit 0), usage errors with help
/// to stderr (exit 64).
[[nodiscard]] int run_program(std::span<const Command> commands, int argc, const char* const* argv);

}  // namespace vl::cli
