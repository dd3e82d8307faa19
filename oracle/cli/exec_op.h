// exec op: an operation on device images in files (oracle/ops). The task is read and checked without data
// (exec_op_task.cpp); the command moves the files' codes (exec_op.cpp).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "oracle/cli/commands.h"
#include "oracle/files/dtype.h"
#include "oracle/ops/run.h"

namespace vl::cli {

namespace ops = oracle::ops;

struct ExecOpTask {
  ops::Prepared ready;
  std::vector<map::ElementType> types;          // of the operands on the host, inputs first, then the result
  std::vector<std::optional<ops::Code>> fills;  // of the inputs: what their pads are set to before
};

/// The task of the arguments. A diagnostic points into the option that is wrong.
[[nodiscard]] std::variant<ExecOpTask, Diagnostic, use::Undecidable> exec_op_task(const ExecOpArguments& arguments);

/// The codes of a file's bytes, little-endian, and back. Requires: as many bytes as the codes take.
[[nodiscard]] std::vector<ops::Code> codes_of(std::span<const std::byte> bytes, std::size_t unit);
void put_codes(const std::vector<ops::Code>& codes, std::size_t unit, std::span<std::byte> bytes);

}  // namespace vl::cli
