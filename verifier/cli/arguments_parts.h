// Parts of the command line that several tables of commands share. Only this header includes CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "verifier/cli/arguments.h"
#include "verifier/cli/command_line.h"

namespace vl::cli {

/// Adds the tensor's options, which every layout needs; returns --tensor.
CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout);
/// Adds the layout's option, called `names`, and its tensor's options.
void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names = "--layout");
/// --format: text and json, with `lines` also jsonl, junit and sarif.
void add_format(CLI::App& app, Format& format, bool lines);

/// A command whose options need no further check: `add` declares them, `run` receives them.
template <class Arguments>
Run declared(CLI::App& app, void (*add)(CLI::App&, Arguments&), int (*run)(const Arguments&)) {
  const auto arguments = std::make_shared<Arguments>();
  add(app, *arguments);
  return [arguments, run] { return run(*arguments); };
}

}  // namespace vl::cli
