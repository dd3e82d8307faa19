// Parts of the command line that several tables of commands share. The only header that shows CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "verifier/cli/arguments.h"
#include "verifier/cli/command_line.h"

namespace vl::cli {

/// The tensor's options, which go with every layout; the one that names it is given back.
CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout);
/// The layout's own option, called `names`, and its tensor's.
void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names = "--layout");
/// --format: text and json, with `lines` also jsonl, junit and sarif.
void add_format(CLI::App& app, Format& format, bool lines);

/// A command whose options need no further look: `add` declares them, `run` gets them.
template <class Arguments>
Run declared(CLI::App& app, void (*add)(CLI::App&, Arguments&), int (*run)(const Arguments&)) {
  const auto arguments = std::make_shared<Arguments>();
  add(app, *arguments);
  return [arguments, run] { return run(*arguments); };
}

}  // namespace vl::cli
