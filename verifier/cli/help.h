// Help: for each command examples and the exit codes that it may have. `--help`, the man pages and the completions are
// all made from these tables and from the declared options, so they cannot differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace vl::cli {

/// A command line that a test runs, behind `verify-layout `, with what it shows and its exit code.
struct Example {
  std::string_view words;
  std::string_view says;
  int exit = 0;
};

/// What an exit code means.
struct ExitCode {
  int code = 0;
  std::string_view meaning;
};
/// All of them, in the order of severity: the first that applies is the program's.
[[nodiscard]] std::span<const ExitCode> exit_codes();

struct CommandHelp {
  std::string_view command;
  std::vector<Example> examples;
  std::vector<int> exits;  // besides 0, 64 and 70, which every command has
};
[[nodiscard]] std::span<const CommandHelp> command_helps();
/// Null for a command without.
[[nodiscard]] const CommandHelp* help_of(std::string_view command);

/// The examples and exit codes of a command, as they stand at the end of its --help.
[[nodiscard]] std::string footer_of(std::string_view command);

/// The man page, in roff, of the program (verify-layout.1), or of one of its commands (verify-layout-check.1).
[[nodiscard]] std::string man_page(const CLI::App& program, const CLI::App* command);

/// The completion script for bash, zsh or fish; for "commands", their names, which the installation asks for.
[[nodiscard]] std::string completion_of(const CLI::App& program, std::string_view shell);

}  // namespace vl::cli
