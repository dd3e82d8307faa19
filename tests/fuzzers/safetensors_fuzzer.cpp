// Safetensors of arbitrary bytes: no crash; accepted tensors cover the data, and are written and read back the same. A
// tensor is written beside them, and all of them are kept.
#include <algorithm>
#include <cstdint>
#include <string>

#include "encodings/base/check.h"
#include "oracle/files/safetensors.h"

namespace {

using Span = std::span<const std::byte>;

std::string written(const vl::oracle::SafetensorsFrame& frame, Span own) {
  std::string file = frame.header;
  const auto add = [&](Span data) { file.append(reinterpret_cast<const char*>(data.data()), data.size()); };
  std::ranges::for_each(frame.before, add);
  add(own);
  std::ranges::for_each(frame.behind, add);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vl::oracle;
  const Span bytes = std::as_bytes(std::span(data, size));
  const auto tensors = parse_safetensors(bytes);
  const auto beside = safetensors_frame("beside", {Dtype::Kind::Float, 4}, std::vector<vl::Index>{2}, bytes);
  VL_CHECK(!tensors || beside.has_value(), "a file that is read and cannot be kept");
  if (!tensors) return 0;
  const std::string both = written(*beside, std::as_bytes(std::span("12345678", 8)));
  const auto all = parse_safetensors(std::as_bytes(std::span(both)));
  VL_CHECK(all.has_value(), "what was written cannot be read");
  for (const auto& [name, array] : *tensors) {
    VL_CHECK(array.data.size() == array_bytes(array.dtype, array.shape), "data of another length than its shape");
    const auto kept = std::ranges::find(*all, name, &NamedTensor::name);
    VL_CHECK(kept != all->end() && (name == "beside" || std::ranges::equal(kept->array.data, array.data)),
             "a tensor that was not kept");
    if (!is_tensor_name(name)) continue;
    const auto frame = safetensors_frame(name, array.dtype, array.shape);
    const std::string file = written(*frame, array.data);
    const auto again = parse_safetensors(std::as_bytes(std::span(file)));
    VL_CHECK(again.has_value() && again->size() == 1 && again->front().name == name &&
                 std::ranges::equal(again->front().array.data, array.data),
             "what was written is read differently");
  }
  return 0;
}
