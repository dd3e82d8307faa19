// The layouts that give rows their names; `k` makes one extent k times larger.
#pragma once

#include <fmt/format.h>

#include <string>

namespace vl::bench {

/// The first example of the documents: 5 x 100 x 150 elements, the last dimension cut into 3 sticks of 64.
inline std::string spyre_raw(long long k) {
  return fmt::format(
      "SpyreTensorLayout(device_size=[{}, 3, 5, 64], stride_map=[150, 64, {}, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      100 * k, 15000 * k);
}
inline std::string spyre_raw_tensor(long long k) { return fmt::format("f16[5,{},150]", 100 * k); }

/// Both host dimensions in two device dimensions, one of them not a divisor's.
inline const std::string kGreedy =
    "SpyreTensorLayout(device_size=[3, 4, 3, 1, 2, 64], stride_map=[600, 180, 60, 64, 1800, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";

/// Rows of 128 bytes, swizzled as TMA does.
inline std::string swizzled(long long k) { return fmt::format("ComposeLayout(3, 3, 3, S[({},64):(64,1)])", 8 * k); }
inline std::string rows_of_64(long long k) { return fmt::format("f16[{},64]", 8 * k); }

}  // namespace vl::bench
