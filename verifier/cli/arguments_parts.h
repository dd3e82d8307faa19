// Parts of the command line that several tables of commands share. Only this header includes CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "encodings/base/words.h"
#include "verifier/cli/arguments.h"
#include "verifier/cli/command_line.h"

namespace vl::cli {

/// One of some words, which stand for values: the error names the nearest word and lists all.
template <class T>
[[nodiscard]] CLI::Validator choice(const std::map<std::string, T>& words) {
  return CLI::Validator(
      [words](std::string& text) -> std::string {
        const auto found = words.find(text);
        if (found != words.end()) {
          text = std::to_string(static_cast<int>(found->second));
          return {};
        }
        std::vector<std::string> known;
        known.reserve(words.size());
        for (const auto& [word, value] : words) known.push_back(word);
        return "'" + text + "' is not known; " + one_of(text, known);
      },
      "");
}
/// One of some words.
[[nodiscard]] CLI::Validator word_of(std::vector<std::string> words);
/// The name of a file or a folder.
[[nodiscard]] CLI::Validator not_empty();
/// A number below 2^64, in decimal, or with a power of ten: 1000000, 1e6, 2.5e3. Octal and negative numbers are errors.
[[nodiscard]] CLI::Validator whole_number();
/// Seconds, as a number, or with a unit: 90, 0.5, 90s, 5m, 1h.
[[nodiscard]] CLI::Validator seconds_or_minutes();

/// --certificates and --compact.
template <class Arguments>
void add_certificates(CLI::App& app, Arguments& arguments, const std::string& help) {
  auto* folder = app.add_option("--certificates", arguments.certificates, help)->check(not_empty());
  app.add_flag("--compact", arguments.compact, "Write certificates as CBOR instead of JSON")->needs(folder);
}

/// Adds the tensor's options, which every layout needs; returns --tensor.
CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout);
/// Where --tensor is left out, the layout's text has to state one, as for `check`: else an error of usage. So is one
/// that is assumed, where `needs_known` says that the command needs the type and the shape of the elements.
void need_tensor(CLI::App& app, LayoutArguments& layout, const CLI::Option& tensor,
                 std::function<bool()> needs_known = {});
/// Adds the layout's option, called `names`, and its tensor's options. `required`: both are needed.
void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names = "--layout",
                std::function<bool()> needs_known = {});
/// --format: text and json, with `lines` also jsonl, junit and sarif.
void add_format(CLI::App& app, Format& format, bool lines);

/// --access and --hardware, which needs it, unless its banks can be shown `alone`.
void add_access(CLI::App& app, std::optional<std::string>& access, std::optional<std::string>& hardware,
                bool alone = false);

/// --no-times.
void add_no_times(CLI::App& app, bool& times);

/// --color auto, always or never.
void add_colour(CLI::App& app, Colour& colour);

/// The first of these options that was given.
[[nodiscard]] std::optional<std::string> given_of(const CLI::App& app, const std::vector<std::string>& options);

/// A command whose options need no further check: `add` declares them, `run` receives them.
template <class Arguments>
Run declared(CLI::App& app, void (*add)(CLI::App&, Arguments&), int (*run)(const Arguments&)) {
  const auto arguments = std::make_shared<Arguments>();
  add(app, *arguments);
  return [arguments, run] { return run(*arguments); };
}

/// The names of some commands.
[[nodiscard]] std::vector<std::string> command_names(const std::vector<const CLI::App*>& commands);

}  // namespace vl::cli
