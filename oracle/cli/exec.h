// exec, step by step: what is asked (exec_task.cpp), what the files are (exec_sides.cpp), moving the data
// (exec_data.cpp), and the command (exec.cpp).
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "oracle/cli/commands.h"
#include "oracle/files/tensor_file.h"
#include "oracle/levels/levels.h"
#include "verifier/session/judge.h"

namespace vl::cli {

/// What exec has to do, checked as far as that can be done without data.
struct ExecTask {
  ExecArguments::Verb verb = ExecArguments::Verb::Pack;
  ExecArguments::Host host = ExecArguments::Host::Auto;
  map::Tensor tensor;
  bool view = false;                   // the tensor has strides or an offset
  std::optional<map::Layout> from;     // of the source image: unpack, move, d2h and d2d nests
  std::optional<map::Layout> to;       // of the destination image: pack, move, h2d and d2d nests; map's layout
  std::optional<use::Transfer> nests;  // of run
  std::vector<std::byte> fill;         // one unit; empty for map
  std::size_t unit = 8;                // bytes
  std::size_t threads = 1;
  bool always_defined = false;
};

/// The diagnostic points into whichever option is wrong. A layout of which nothing is known cannot be executed.
[[nodiscard]] std::variant<ExecTask, Diagnostic, use::Undecidable> exec_task(const ExecArguments& arguments);

/// One side of the work: the memory of an image or of a host tensor.
struct ExecSide {
  const map::Layout* layout = nullptr;
  bool device = false;       // an image; else a host tensor
  bool memory = false;       // a host tensor in the memory that its view walks through, else dense
  std::vector<Index> shape;  // of its file
  std::size_t bytes = 0;
};

/// The side that is read, found by the file's dtype, shape and length; `data` becomes the bytes that it needs.
/// Errors: Io, Shape, Value, Overflow: what the file is, and what was expected.
[[nodiscard]] Result<ExecSide> source_side(const ExecTask& task, const oracle::StoredTensor& file,
                                           std::span<const std::byte>& data);
/// The side that is written.
[[nodiscard]] Result<ExecSide> destination_side(const ExecTask& task);

/// The dtype that the output's file gets: a safetensors file says the tensor's type, any other what the input said.
[[nodiscard]] oracle::Dtype output_dtype(const ExecTask& task, const oracle::StoredTensor& input,
                                         const oracle::Place& output);

/// exec map's file, int64 [n, rank], to n rows of slots. Errors: those of source_side, and of oracle::slots.
[[nodiscard]] Result<std::vector<Index>> slots_of_file(const map::Layout& layout, const oracle::StoredTensor& in);

/// Carries `source` to `destination`, all of which is written. Errors: what the layout or the nests do wrong with this
/// data.
[[nodiscard]] Result<oracle::LevelReport> exec_data(const ExecTask& task, const ExecSide& from,
                                                    std::span<const std::byte> source, const ExecSide& to,
                                                    std::span<std::byte> destination);

/// The plan of the task in words, with its certificate; or why there is none.
[[nodiscard]] Result<std::string> exec_plan(const ExecTask& task);

}  // namespace vl::cli
