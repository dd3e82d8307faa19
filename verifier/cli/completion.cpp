// Completions for shells, from the declared options: commands, options, and the words that an option takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "verifier/cli/help.h"

namespace vl::cli {
namespace {

struct Offered {
  std::string name;  // "--format"
  std::string says;
  bool takes_value = false;
  std::vector<std::string> values;  // that it takes; empty: any
};

// A command with its verb, if it has some: "exec pack".
struct CommandPath {
  std::vector<std::string> words;
  std::string says;
  std::vector<Offered> options;
};

// The values that a help text names: "{text,json}" or "a|b|c".
std::vector<std::string> values_of(std::string text) {
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  const char between = text.find('|') != std::string::npos ? '|' : ',';
  std::vector<std::string> out;
  if (text.find(between) == std::string::npos) return out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(between, from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

std::vector<CommandPath> paths_of(const CLI::App& app, const std::vector<std::string>& above = {}) {
  std::vector<CommandPath> out;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandPath& path = out.emplace_back(CommandPath{above, sub->get_description(), {}});
    path.words.push_back(sub->get_name());
    for (const CLI::Option* option : sub->get_options())
      for (const std::string& name : option->get_lnames())
        path.options.push_back({"--" + name, option->get_description(), option->get_expected_max() > 0,
                                values_of(option->get_option_text())});
    const std::vector<std::string> here = path.words;
    for (CommandPath& below : paths_of(*sub, here)) out.push_back(std::move(below));
  }
  return out;
}

// A text in single quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string verbs_of(const std::vector<CommandPath>& paths, const std::vector<std::string>& above) {
  std::string out;
  for (const CommandPath& path : paths)
    if (path.words.size() == above.size() + 1 && std::equal(above.begin(), above.end(), path.words.begin()))
      out += (out.empty() ? "" : " ") + path.words.back();
  return out;
}

std::string bash(const std::vector<CommandPath>& paths) {
  std::string cases, values;
  for (const CommandPath& path : paths) {
    std::string words = verbs_of(paths, path.words);
    for (const Offered& option : path.options) words += (words.empty() ? "" : " ") + option.name;
    cases += fmt::format("    {}) words={} ;;\n", in_quotes(fmt::format("{}", fmt::join(path.words, " "))),
                         in_quotes(words));
    for (const Offered& option : path.options)
      if (!option.values.empty())
        values += fmt::format("    {}) words={} ;;\n",
                              in_quotes(fmt::format("{} {}", fmt::join(path.words, " "), option.name)),
                              in_quotes(fmt::format("{}", fmt::join(option.values, " "))));
  }
  return fmt::format(
      "# Completion of verify-layout for bash: eval \"$(verify-layout completion bash)\"\n"
      "_verify_layout() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= words= k\n"
      "  for ((k = 1; k < COMP_CWORD; k++)); do\n"
      "    case ${{COMP_WORDS[k]}} in -*) break ;; esac\n"
      "    command=\"${{command:+$command }}${{COMP_WORDS[k]}}\"\n"
      "    [[ ${{command%% *}} == exec ]] || break\n"
      "  done\n"
      "  [[ $command ]] || words='{} --help --version'\n"
      "  case $command in\n{}  esac\n"
      "  case \"$command $previous\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _verify_layout verify-layout\n",
      verbs_of(paths, {}), cases, values);
}

std::string fish(const std::vector<CommandPath>& paths) {
  std::string out = "# Completion of verify-layout for fish: verify-layout completion fish | source\n";
  for (const CommandPath& path : paths) {
    const std::string seen = path.words.size() == 1 ? "__fish_use_subcommand"
                                                    : fmt::format("__fish_seen_subcommand_from {}", path.words.front());
    out += fmt::format("complete -c verify-layout -n {} -a {} -d {}\n", in_quotes(seen), path.words.back(),
                       in_quotes(path.says));
    for (const Offered& option : path.options)
      out += fmt::format(
          "complete -c verify-layout -n {} -l {}{}{} -d {}\n",
          in_quotes("__fish_seen_subcommand_from " + path.words.back()), option.name.substr(2),
          option.takes_value ? " -r" : "",
          option.values.empty() ? "" : " -f -a " + in_quotes(fmt::format("{}", fmt::join(option.values, " "))),
          in_quotes(option.says));
  }
  return out;
}

// A text inside of [brackets] of _arguments.
std::string in_brackets(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '[' || c == ']' || c == ':' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out;
}

std::string zsh(const std::vector<CommandPath>& paths) {
  std::string commands, cases;
  for (const CommandPath& path : paths) {
    if (path.words.size() == 1)
      commands += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", path.words[0], in_brackets(path.says))));
    cases += fmt::format("    ({})\n      _arguments", in_quotes(fmt::format("{}", fmt::join(path.words, " "))));
    for (const Offered& option : path.options) {
      const std::string value = !option.takes_value     ? ""
                                : option.values.empty() ? ":value:_files"
                                                        : fmt::format(":value:({})", fmt::join(option.values, " "));
      cases += " \\\n        " + in_quotes(fmt::format("*{}[{}]{}", option.name, in_brackets(option.says), value));
    }
    const std::string verbs = verbs_of(paths, path.words);
    cases +=
        verbs.empty() ? " \\\n        '*:file:_files' ;;\n" : fmt::format(" \\\n        '1:verb:({})' ;;\n", verbs);
  }
  return fmt::format(
      "#compdef verify-layout\n# Completion of verify-layout for zsh: source <(verify-layout completion zsh)\n"
      "_verify_layout() {{\n"
      "  local -a commands\n  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n"
      "  if [[ $command == exec ]] && ((CURRENT > 2)); then\n    command=\"exec $words[2]\"\n    shift words\n"
      "    ((CURRENT--))\n  fi\n"
      "  case $command in\n{}  esac\n}}\n"
      "compdef _verify_layout verify-layout 2>/dev/null\n",
      commands, cases);
}

}  // namespace

std::string completion_of(const CLI::App& program, std::string_view shell) {
  const std::vector<CommandPath> paths = paths_of(program);
  if (shell == "commands") {
    std::vector<std::string> names;
    for (const CommandPath& path : paths)
      if (path.words.size() == 1) names.push_back(path.words.front());
    return fmt::format("{}", fmt::join(names, ";"));  // a list of CMake
  }
  return shell == "bash" ? bash(paths) : shell == "zsh" ? zsh(paths) : fish(paths);
}

}  // namespace vl::cli
