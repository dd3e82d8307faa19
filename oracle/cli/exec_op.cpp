// exec op: the files. The output appears whole or not at all, as that of the other verbs.
#include "oracle/cli/exec_op.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "oracle/files/tensor_file.h"
#include "verifier/cli/progress.h"

namespace vl::cli {
namespace {

// Why a file is not the image of an input, by its dtype and shape, or by its length if it has none.
std::optional<Error> not_the_image(const ExecOpTask& task, std::size_t operand, const oracle::StoredTensor& file) {
  const map::Space& box = task.ready.task().operands[operand].places.physical();
  const oracle::Dtype own = *oracle::dtype_of(task.types[operand]);
  if (file.dtype && !oracle::carries(*file.dtype, task.types[operand]))
    return Error{ErrorCode::Io, fmt::format("the dtype is {}; expected {} or unsigned integers of its width",
                                            file.spelled, oracle::npy_name(own).substr(1))};
  const std::vector<Index> shape = map::extents_of(box);
  const std::size_t bytes = static_cast<std::size_t>(box.volume()) * own.bytes;
  if (file.dtype ? file.shape == shape : file.data.size() == bytes) return std::nullopt;
  return Error{ErrorCode::Shape, file.dtype ? fmt::format("the shape is ({}); expected ({}), the image of {}",
                                                          fmt::join(file.shape, ", "), fmt::join(shape, ", "),
                                                          task.ready.task().operands[operand].role)
                                            : fmt::format("{} bytes; expected {}", file.data.size(), bytes)};
}

// The image of an input. Errors: those of not_the_image.
Result<std::vector<ops::Code>> image_of_file(const ExecOpTask& task, std::size_t operand,
                                             const oracle::StoredTensor& file) {
  if (auto error = not_the_image(task, operand, file)) return *error;
  const oracle::Dtype own = *oracle::dtype_of(task.types[operand]);
  std::vector<ops::Code> out = codes_of(file.data, own.bytes);
  if (const auto fill = task.fills[operand])
    for (std::size_t slot = 0; slot < out.size(); ++slot)
      if (!task.ready.holds(operand, slot)) out[slot] = *fill;
  return out;
}

void tell_aliases(const ExecOpTask& task) {
  for (std::size_t i = 0; i < task.types.size(); ++i)
    if (const Index aliases = task.ready.aliases(i); aliases > 0)
      fmt::print(stderr, "verify-layout: note: {} indices beyond the extents of {} read elements, not pads\n", aliases,
                 task.ready.task().operands[i].role);
}

}  // namespace

std::vector<ops::Code> codes_of(std::span<const std::byte> bytes, std::size_t unit) {
  std::vector<ops::Code> out(bytes.size() / unit);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t k = unit; k-- > 0;) out[i] = out[i] << 8 | std::to_integer<ops::Code>(bytes[i * unit + k]);
  return out;
}

void put_codes(const std::vector<ops::Code>& codes, std::size_t unit, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < codes.size(); ++i)
    for (std::size_t k = 0; k < unit; ++k) bytes[i * unit + k] = static_cast<std::byte>(codes[i] >> 8 * k & 0xff);
}

int run_exec_op(const ExecOpArguments& arguments) {
  auto read = exec_op_task(arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  if (const auto* why = std::get_if<use::Undecidable>(&read)) return unsupported(*why);
  const ExecOpTask& task = std::get<ExecOpTask>(read);
  const std::size_t inputs = task.types.size() - 1;
  if (arguments.in.size() != inputs)
    return bad_input(about("--in", fmt::format("{} files for {} operands", arguments.in.size(), inputs)));
  std::vector<std::vector<ops::Code>> images;
  std::optional<oracle::Dtype> dtype;
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto file =
        oracle::open_tensor(oracle::place_of(arguments.in[i], arguments.raw),
                            [&](const oracle::StoredTensor& header) { return not_the_image(task, i, header); });
    if (!file) return bad_input(about("exec", file.error().message));  // the message names the file
    auto image = image_of_file(task, i, *file);
    if (file->changed()) return bad_input(about(arguments.in[i], "changed while it was read"));
    if (!image) return bad_input(about(arguments.in[i], image.error().message));
    images.push_back(std::move(*image));
    if (task.types[i] == task.types.back()) dtype = file->dtype;
  }
  const oracle::Place place = oracle::place_of(arguments.out, arguments.raw);
  const oracle::Dtype own = *oracle::dtype_of(task.types.back());
  const bool named = place.format == oracle::Place::Format::Safetensors;
  const auto shape = map::extents_of(task.ready.task().result().places.physical());
  auto out = oracle::TensorOutput::create(place, named ? own : dtype.value_or(own), shape,
                                          {arguments.replace, {.force = arguments.force}});
  if (!out) return bad_input(about("exec", out.error().message));
  tell_aliases(task);
  std::vector<ops::Code> image(task.ready.slots(inputs));
  {
    const Progress progress(fmt::format("{} elements", image.size()));
    task.ready.run(images, image);
  }
  put_codes(image, own.bytes, out->data());
  if (const auto error = out->commit()) return bad_input(about("exec", error->message));
  return 0;
}

}  // namespace vl::cli
