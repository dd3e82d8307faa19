// parse_npy on arbitrary bytes: no crash; an accepted file is written and read back the same.
#include <algorithm>
#include <cstdint>
#include <string>

#include "encodings/base/check.h"
#include "oracle/files/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = vl::oracle::parse_npy(std::as_bytes(std::span(data, size)));
  if (!array) return 0;
  std::string file = vl::oracle::npy_header(array->dtype, array->shape);
  file.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
  const auto again = vl::oracle::parse_npy(std::as_bytes(std::span(file)));
  VL_CHECK(again.has_value() && again->dtype == array->dtype && again->shape == array->shape &&
               std::ranges::equal(again->data, array->data),
           "what was written is read differently");
  return 0;
}
