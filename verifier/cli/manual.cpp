// Man pages, from the declared options and the tables of help.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verifier/cli/help.h"

namespace vl::cli {
namespace {

// Text in roff: a backslash, a hyphen and a leading dot mean something there.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '.' && (out.empty() || out.back() == '\n')) out += "\\&.";
    else out += c;
  }
  return out;
}

// "--layout TEXT" with the name in bold.
std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("{}\\-{}", names.empty() ? "" : ", ", name);
  for (const std::string& name : option.get_lnames())
    names += fmt::format("{}\\-\\-{}", names.empty() ? "" : ", ", roff(name));
  if (names.empty()) names = roff(option.get_name(true));
  const std::string value = !option.get_option_text().empty() ? option.get_option_text()
                            : option.get_expected_max() == 0  ? ""
                                                              : "VALUE";
  return fmt::format("\\fB{}\\fR {}", names, roff(value));
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    out += fmt::format(".TP\n{}\n{}\n", names_of(*option), roff(option->get_description()));
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (app.get_parent() == nullptr) break;
    out += fmt::format(".SS {} {}\n{}.\n{}", roff(app.get_name()), roff(verb->get_name()),
                       roff(verb->get_description()), options_of(*verb));
  }
  return out;
}

std::string exits_of(const CommandHelp* help) {
  std::string out = ".SH EXIT STATUS\nThe first that applies:\n";
  for (const ExitCode& exit : exit_codes()) {
    const bool every = exit.code == 0 || exit.code == 64 || exit.code == 70;
    if (help == nullptr || every || std::ranges::find(help->exits, exit.code) != help->exits.end())
      out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", exit.code, roff(exit.meaning));
  }
  return out;
}

}  // namespace

std::string man_page(const CLI::App& program, const CLI::App* command) {
  const CLI::App& app = command != nullptr ? *command : program;
  const std::string name = command != nullptr ? "verify-layout-" + command->get_name() : "verify-layout";
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  std::string out = fmt::format(
      ".TH {} 1 \"\" \"verify-layout {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH "
      "SYNOPSIS\n\\fBverify\\-layout\\fR "
      "{}[OPTION]...\n",
      roff(upper), VL_VERSION, roff(name), roff(app.get_description()),
      command != nullptr ? roff(command->get_name()) + " " : "COMMAND ");
  if (command == nullptr) {
    out += ".SH COMMANDS\n";
    for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; }))
      out += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fBverify\\-layout\\-{}\\fR(1).\n", roff(sub->get_name()),
                         roff(sub->get_description()), roff(sub->get_name()));
  }
  out += ".SH OPTIONS\n" + options_of(app);
  const CommandHelp* help = command != nullptr ? help_of(command->get_name()) : nullptr;
  if (help != nullptr) {
    out += ".SH EXAMPLES\n";
    for (const Example& example : help->examples)
      out += fmt::format("{}:\n.PP\n.nf\n.RS\nverify\\-layout {}\n.RE\n.fi\n.PP\n", roff(example.says),
                         roff(example.words));
  }
  out += exits_of(help);
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR, \\fBFORCE_COLOR\\fR\nno colours, and colours also where the output is "
      "no terminal; \\-\\-color goes before both\n";
  return out;
}

}  // namespace vl::cli
