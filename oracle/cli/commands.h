// The commands that run layouts on data, one function per command; as verifier/cli/commands.h.
#pragma once

#include "oracle/cli/arguments.h"
#include "verifier/cli/command_line.h"
#include "verifier/cli/commands.h"

namespace vl::cli {

[[nodiscard]] int run_exec(const ExecArguments& arguments);
[[nodiscard]] int run_exec_op(const ExecOpArguments& arguments);
[[nodiscard]] int run_fuzz(const FuzzArguments& arguments);
[[nodiscard]] int run_replay(const ReplayArguments& arguments);

/// exec, fuzz and replay, with their options.
[[nodiscard]] std::span<const Command> oracle_commands();

}  // namespace vl::cli
