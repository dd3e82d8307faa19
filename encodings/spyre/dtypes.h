// Device formats of Spyre, and the number of their elements in one stick of 128 bytes. Source: torch-spyre,
// tests/tensor/test_tensor_layout.py (formats with geometry, and formats that must be refused) and get_device_dtype.
#pragma once

#include <string_view>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"
#include "encodings/values/format.h"

namespace vl::spyre {

constexpr Index kStickBits = 1024;  // 128 bytes

struct DeviceFormat {
  std::string_view name;         // as printed behind "DataFormats."
  Index elements_per_stick = 0;  // 0: the format has no geometry, and no layout can use it

  bool operator==(const DeviceFormat&) const = default;
};

/// The format with that name, with or without "DataFormats.". Error: Value for an unknown name or a format without
/// geometry (INVALID, SEN153_FP9, SENINT24, SEN18F_FP24). SEN169_FP16 has 64 elements per stick.
[[nodiscard]] Result<DeviceFormat> device_format(std::string_view name);

/// The numbers of a device format; null where no source states them (the 8-bit floats, small integers).
/// Example: SEN169_FP16 holds dl16.
[[nodiscard]] const values::Format* values_of(const DeviceFormat& format);

/// The device format of a PyTorch dtype: torch.float16 -> SEN169_FP16, torch.uint8 -> SENUINT32 (32 per stick, not
/// 128). Error: Value for an unknown dtype and for those without a format (torch.float64, complex).
[[nodiscard]] Result<DeviceFormat> device_format_of_torch(std::string_view dtype);

}  // namespace vl::spyre
