// The command line as a whole: which command it names, what is wrong with it, and the command's exit code.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "encodings/base/printable.h"
#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/help.h"
#include "verifier/cli/numbers.h"

namespace vl::cli {
namespace {

// The subcommand that the command line names, as far as it was read, and its name with those above it.
std::pair<const CLI::App*, std::string> innermost(const CLI::App& app) {
  const CLI::App* where = &app;
  std::string path = where->get_name();
  while (!where->get_subcommands().empty()) {
    where = where->get_subcommands().front();
    path += " " + where->get_name();
  }
  return {where, path};
}

// "'chek' is not a subcommand; did you mean 'check'? …"; nothing when the first words are subcommands.
std::optional<std::string> unknown_subcommand(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* where = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto known = where->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) return std::nullopt;
    const std::string name = argv[i];
    const auto found = std::ranges::find(known, name, [](const CLI::App* sub) { return sub->get_name(); });
    if (found == known.end())
      return fmt::format("'{}' is not a subcommand; {}", name, one_of(name, command_names(known)));
    where = *found;
  }
  return std::nullopt;
}

// What CLI11 says of words that no option takes, with the options that there are.
std::string unknown_words(const CLI::App& app) {
  const auto [where, path] = innermost(app);
  const std::vector<std::string> words = app.remaining(true);
  std::vector<std::string> known;
  for (const CLI::Option* option : where->get_options())
    if (!option->get_lnames().empty()) known.push_back("--" + option->get_lnames().front());
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end()) return fmt::format("'{}' is one argument too many for {}", words.front(), path);
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("'{}' is not an option of {}; {}", name, path, one_of(name, known));
}

// Whether the command line needs the options of that command: its own, or all for help, and where no command is named.
bool needs_options(std::span<const Command> commands, const Command& of, int argc, const char* const* argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const bool known = std::ranges::find(commands, word, &Command::name) != commands.end();
  return word == of.name || !known || word == "man" || word == "completion";
}

}  // namespace

int run_program(std::span<const Command> commands, int argc, const char* const* argv) {
  CLI::App app{"Proves that a tensor layout is right, or shows the smallest element that is wrong.", "verify-layout"};
  app.require_subcommand(1);
  bool version = false;
  app.add_flag("--version", version, "Print the versions of the program and its solver");
  std::vector<std::pair<const CLI::App*, Run>> declared;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    if (needs_options(commands, command, argc, argv)) declared.emplace_back(sub, command.declare(*sub));
    sub->footer([name = command.name] { return footer_of(name); });
  }
  // --version takes no other arguments; CLI11 would ask for a subcommand first.
  if (argc == 2 && std::string_view(argv[1]) == "--version") return run_version();
  const auto usage = [&](std::string_view message) {
    std::cerr << "verify-layout: " << printable(message) << "\n" << innermost(app).second << " --help says more\n";
    return kUsage;
  };
  if (argc < 2) {
    std::cerr << "verify-layout: a subcommand is required\n\n" << app.help();
    return kUsage;
  }
  if (const auto unknown = unknown_subcommand(app, argc, argv)) return usage(*unknown);
  try {
    std::vector<std::string> words = respelled(argc, argv);
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    return usage(unknown_words(app));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    return usage(error.what());
  }
  if (version) return usage("--version takes no other arguments");
  for (const auto& [sub, run] : declared) {
    if (!sub->parsed()) continue;
    const auto done = run();
    const auto* misuse = std::get_if<Misuse>(&done);
    return misuse != nullptr ? usage(misuse->message) : std::get<int>(done);
  }
  return kUsage;
}

}  // namespace vl::cli
