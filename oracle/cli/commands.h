// The commands that run layouts on data, one function per command; as verifier/cli/commands.h.
#pragma once

#include "oracle/cli/arguments.h"
#include "oracle/cli/gate.h"
#include "verifier/cli/command_line.h"
#include "verifier/cli/commands.h"

namespace vl::cli {

[[nodiscard]] int run_exec(const ExecArguments& arguments);
[[nodiscard]] int run_exec_op(const ExecOpArguments& arguments);
[[nodiscard]] int run_exec_tile(const ExecTileArguments& arguments);
[[nodiscard]] int run_fuzz(const FuzzArguments& arguments);
[[nodiscard]] int run_replay(const ReplayArguments& arguments);
[[nodiscard]] int run_doctor();
[[nodiscard]] int run_gate(const GateArguments& arguments);
/// The row of `gate`, in a file of its own.
[[nodiscard]] Run declare_gate(CLI::App& app);

/// exec, fuzz, replay, doctor and gate, with their options.
[[nodiscard]] std::span<const Command> oracle_commands();

}  // namespace vl::cli
