// exec, step by step: read the task (exec_task.cpp), find the memories of the files (exec_sides.cpp), move the data
// (exec_data.cpp). exec.cpp is the command.
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

/// The task of exec, checked as far as possible without data.
struct ExecTask {
  ExecArguments::Verb verb = ExecArguments::Verb::Pack;
  ExecArguments::Host host = ExecArguments::Host::Auto;
  map::Tensor tensor;
  bool view = false;                   // the tensor has strides or an offset
  std::optional<map::Layout> from;     // of the source image: unpack, move, d2h and d2d nests
  std::optional<map::Layout> to;       // of the destination image: pack, move, h2d and d2d nests; map's layout
  std::optional<use::Transfer> nests;  // of run; of pack and move if elements that share a slot are one host place
  std::vector<std::byte> fill;         // one unit; empty for map
  std::size_t unit = 8;                // bytes
  std::size_t threads = 1;
  bool always_defined = false;
};

/// The task of the arguments. A diagnostic points into the option that is wrong. A layout of which nothing is known
/// cannot be executed.
[[nodiscard]] std::variant<ExecTask, Diagnostic, use::Undecidable> exec_task(const ExecArguments& arguments);

/// One side of the work: the memory of an image or of a host tensor.
struct ExecSide {
  const map::Layout* layout = nullptr;
  bool device = false;       // an image; else a host tensor
  bool memory = false;       // a host tensor in the memory of its view, else dense
  std::vector<Index> shape;  // of its file
  std::size_t bytes = 0;
};

/// The side that is read, found by the file's dtype and shape, or by its length if it has none: it needs the first
/// `bytes` of the data. Errors: Io, Shape, Value, Overflow; the message states what the file is and what was expected.
[[nodiscard]] Result<ExecSide> source_side(const ExecTask& task, const oracle::StoredTensor& file);
/// The side that is written.
[[nodiscard]] Result<ExecSide> destination_side(const ExecTask& task);

/// The dtype of the output's file: the tensor's type for safetensors, else the input's dtype.
[[nodiscard]] oracle::Dtype output_dtype(const ExecTask& task, const oracle::StoredTensor& input,
                                         const oracle::Place& output);

/// exec map's file, int64 [n, rank], to n rows of slots, of n x replicas where elements have several. Errors: those of
/// source_side, and of oracle::slots.
[[nodiscard]] Result<std::vector<Index>> slots_of_file(const map::Layout& layout, const oracle::StoredTensor& in);

/// The bytes of memory, besides the files, that the work takes if there is a plan: for the definition, and for the
/// host's memory of nests whose tensor is not in it.
[[nodiscard]] std::size_t exec_memory(const ExecTask& task, const ExecSide& from, const ExecSide& to);

/// Moves `source` to `destination`, and writes all of it. Errors: those of Levels::run.
[[nodiscard]] Result<oracle::LevelReport> exec_data(const ExecTask& task, const ExecSide& from,
                                                    std::span<const std::byte> source, const ExecSide& to,
                                                    std::span<std::byte> destination);

/// The plan of the task in words, with its certificate; or the reason why there is no plan.
[[nodiscard]] Result<std::string> exec_plan(const ExecTask& task);

}  // namespace vl::cli
