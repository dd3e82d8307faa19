// Parts of the command line that have files of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verifier/cli/arguments.h"

namespace vl::cli {

/// The tensor's options, which go with every layout; the one that names it is given back.
CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout);
/// The layout's own option, called `names`, and its tensor's.
void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names = "--layout");

/// The verbs of exec, each a subcommand.
void add_exec_verbs(CLI::App& app, ExecArguments& exec);

}  // namespace vl::cli
