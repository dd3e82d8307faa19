// Safetensors of arbitrary bytes: no crash; accepted tensors cover the data, and are written and read back the same.
#include <algorithm>
#include <cstdint>
#include <string>

#include "encodings/base/check.h"
#include "oracle/files/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tensors = vl::oracle::parse_safetensors(std::as_bytes(std::span(data, size)));
  if (!tensors) return 0;
  for (const auto& [name, array] : *tensors) {
    VL_CHECK(array.data.size() == vl::oracle::array_bytes(array.dtype, array.shape),
             "data of another length than its shape");
    if (!vl::oracle::is_tensor_name(name)) continue;
    std::string file = vl::oracle::safetensors_header(name, array.dtype, array.shape);
    file.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
    const auto again = vl::oracle::parse_safetensors(std::as_bytes(std::span(file)));
    VL_CHECK(again.has_value() && again->size() == 1 && again->front().name == name &&
                 std::ranges::equal(again->front().array.data, array.data),
             "what was written is read differently");
  }
  return 0;
}
