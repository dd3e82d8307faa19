// The files of exec: a device image, a host tensor, or the memory in which a strided host tensor lies.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "encodings/base/memory.h"
#include "oracle/cli/exec.h"
#include "oracle/reference/executor.h"
#include "oracle/reference/slots.h"

namespace vl::cli {
namespace {

using Host = ExecArguments::Host;
using oracle::StoredTensor;
using Verb = ExecArguments::Verb;

// A tuple in Python's notation.
std::string tuple(std::span<const Index> shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

// The bytes of these units. More bytes than the machine has are refused before anything is allocated.
Result<std::size_t> side_bytes(Index units, std::size_t unit) {
  const auto bytes = checked_mul(units, static_cast<Index>(unit));
  if (bytes && static_cast<std::size_t>(*bytes) <= machine_bytes()) return static_cast<std::size_t>(*bytes);
  return Error{ErrorCode::Value, fmt::format("{} units of {} bytes are more than the memory of this machine, {} bytes",
                                             units, unit, machine_bytes())};
}

Result<ExecSide> device_side(const ExecTask& task, const map::Layout& layout) {
  const auto bytes = side_bytes(layout.physical().volume(), task.unit);
  if (!bytes) return bytes.error();
  return ExecSide{&layout, true, false, map::extents_of(layout.physical()), *bytes};
}

Result<ExecSide> host_side(const ExecTask& task, const map::Layout& layout, bool memory) {
  auto units = memory ? oracle::host_units(layout, oracle::Host::View) : Result<Index>(layout.logical().volume());
  if (!units) return units.error();
  const auto bytes = side_bytes(*units, task.unit);
  if (!bytes) return bytes.error();
  return ExecSide{&layout, false, memory, memory ? std::vector<Index>{*units} : map::extents_of(layout.logical()),
                  *bytes};
}

// A file's dtype must be the type itself, or unsigned integers of its width.
std::optional<Error> check_dtype(const ExecTask& task, const StoredTensor& file) {
  if (!file.dtype || oracle::carries(*file.dtype, task.tensor.type)) return std::nullopt;
  const oracle::Dtype own = *oracle::dtype_of(task.tensor.type);
  const bool safetensors = file.spelled.front() != '<' && file.spelled.front() != '|';
  const std::string expected =
      safetensors ? std::string(oracle::safetensors_name(own)) : oracle::npy_name(own).substr(1);
  return Error{ErrorCode::Io,
               fmt::format("the dtype is {}; expected {} for {}", file.spelled, expected, map::name(task.tensor.type))};
}

// Whether a file is this side, by its shape, or by its length if it has no header. A memory may be longer than its
// view.
bool fits(const ExecSide& side, const ExecTask& task, const StoredTensor& file) {
  if (!file.dtype)
    return side.memory ? file.data.size() >= side.bytes && file.data.size() % task.unit == 0
                       : file.data.size() == side.bytes;
  if (side.memory) return file.shape.size() == 1 && file.shape[0] >= side.shape[0];
  return file.shape == side.shape;
}

Error misfit(const ExecSide& side, const ExecSide* memory, const StoredTensor& file) {
  if (!file.dtype) {
    const std::string more = memory != nullptr ? fmt::format(", or {} for the host's memory", memory->bytes) : "";
    return {ErrorCode::Shape, fmt::format("{} bytes; expected {}{}{}", file.data.size(), side.bytes,
                                          side.memory ? " or more, whole units" : "", more)};
  }
  const std::string more =
      memory != nullptr ? fmt::format(", or {} or longer for the host's memory", tuple(memory->shape)) : "";
  return {ErrorCode::Shape, fmt::format("the shape is {}; expected {}{}{}", tuple(file.shape), tuple(side.shape),
                                        side.memory ? " or longer" : "", more)};
}

}  // namespace

Result<ExecSide> source_side(const ExecTask& task, const StoredTensor& file) {
  if (auto error = check_dtype(task, file)) return *error;
  const bool memory = task.host == Host::Memory;
  auto side = task.from ? device_side(task, *task.from) : host_side(task, *task.to, memory);
  if (!side) return side;
  if (!fits(*side, task, file)) {
    if (task.from || !task.view || task.host != Host::Auto) return misfit(*side, nullptr, file);
    auto other = host_side(task, *task.to, true);
    if (!other) return other;
    if (!fits(*other, task, file)) return misfit(*side, &*other, file);
    side = std::move(other);
  }
  return side;
}

Result<ExecSide> destination_side(const ExecTask& task) {
  return task.to ? device_side(task, *task.to) : host_side(task, *task.from, task.host == Host::Memory);
}

oracle::Dtype output_dtype(const ExecTask& task, const StoredTensor& input, const oracle::Place& output) {
  if (output.format == oracle::Place::Format::Safetensors) return *oracle::dtype_of(task.tensor.type);
  return input.dtype.value_or(*oracle::dtype_of(task.tensor.type));
}

Result<std::vector<Index>> slots_of_file(const map::Layout& layout, const StoredTensor& in) {
  constexpr oracle::Dtype kIndex{oracle::Dtype::Kind::Signed, sizeof(Index)};
  const auto rank = static_cast<Index>(layout.logical().rank());
  const std::size_t row = static_cast<std::size_t>(rank) * sizeof(Index);
  std::vector<Index> shape = in.shape;
  if (!in.dtype && rank > 0 && in.data.size() % row == 0) shape = {static_cast<Index>(in.data.size() / row), rank};
  if (in.dtype.value_or(kIndex) != kIndex || shape.size() != 2 || shape[1] != rank)
    return Error{ErrorCode::Shape,
                 fmt::format("{} of shape {}; expected <i8 of shape (n, {})", in.spelled, tuple(shape), rank)};
  if (rank == 0 && shape[0] != 1)
    return Error{ErrorCode::Shape, "a tensor of rank 0 has one element; expected shape (1, 0)"};
  std::vector<Index> coordinates(in.data.size() / sizeof(Index));
  if (!in.data.empty()) std::memcpy(coordinates.data(), in.data.data(), in.data.size());
  return oracle::slots(layout, coordinates);
}

}  // namespace vl::cli
