#include "encodings/spyre/dtypes.h"

#include <fmt/format.h>

#include <array>

namespace vl::spyre {
namespace {

constexpr std::array<DeviceFormat, 18> kFormats = {{
    {"SEN169_FP16", 64},
    {"IEEE_FP32", 32},
    {"SEN143_FP8", 128},
    {"SEN152_FP8", 128},
    {"SENINT8", 128},
    {"SENINT4", 256},
    {"SENINT2", 512},
    {"SENUINT2", 512},
    {"SENINT16", 64},
    {"IEEE_INT32", 32},
    {"SENUINT32", 32},
    {"IEEE_INT64", 16},
    {"BOOL", 128},
    {"BFLOAT16", 64},
    {"INVALID", 0},
    {"SEN153_FP9", 0},
    {"SENINT24", 0},
    {"SEN18F_FP24", 0},
}};

struct TorchRow {
  std::string_view dtype;
  std::string_view format;
};

constexpr std::array<TorchRow, 23> kTorch = {{
    {"float16", "SEN169_FP16"},
    {"half", "SEN169_FP16"},
    {"bfloat16", "SEN169_FP16"},
    {"bool", "SEN169_FP16"},
    {"float32", "IEEE_FP32"},
    {"float", "IEEE_FP32"},
    {"int32", "IEEE_INT32"},
    {"int", "IEEE_INT32"},
    {"int64", "IEEE_INT32"},
    {"long", "IEEE_INT32"},
    {"int8", "SENINT8"},
    {"qint8", "SENINT8"},
    {"uint8", "SENUINT32"},
    {"quint8", "SENUINT32"},
    {"int16", "SENINT16"},
    {"short", "SENINT16"},
    {"float8_e4m3fn", "SEN143_FP8"},
    {"float8_e5m2fnuz", "SEN152_FP8"},
    {"quint4x2", "SENUINT2"},
    {"quint2x4", "SENUINT2"},
    {"float64", "INVALID"},
    {"complex64", "INVALID"},
    {"complex128", "INVALID"},
}};

std::string_view without(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

constexpr std::array<std::array<std::string_view, 2>, 7> kValues = {{
    {"SEN169_FP16", "dl16"},
    {"IEEE_FP32", "f32"},
    {"BFLOAT16", "bf16"},
    {"SENINT8", "i8"},
    {"SENINT16", "i16"},
    {"IEEE_INT32", "i32"},
    {"IEEE_INT64", "i64"},
}};

}  // namespace

const values::Format* values_of(const DeviceFormat& format) {
  for (const auto& [name, values] : kValues)
    if (name == format.name) return values::find_format(values);
  return nullptr;
}

Result<DeviceFormat> device_format(std::string_view name) {
  const std::string_view bare = without("DataFormats.", name);
  for (const DeviceFormat& format : kFormats) {
    if (format.name != bare) continue;
    if (format.elements_per_stick > 0) return format;
    return Error{ErrorCode::Value, fmt::format("the device format {} has no geometry: no number of its elements "
                                               "fills a stick",
                                               bare)};
  }
  std::string known;
  for (const DeviceFormat& format : kFormats)
    if (format.elements_per_stick > 0) known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  return Error{ErrorCode::Value, fmt::format("'{}' is not a device format; expected one of {}", name, known)};
}

Result<DeviceFormat> device_format_of_torch(std::string_view dtype) {
  const std::string_view bare = without("torch.", dtype);
  for (const TorchRow& row : kTorch) {
    if (row.dtype != bare) continue;
    if (row.format != "INVALID") return device_format(row.format);
    return Error{ErrorCode::Value, fmt::format("{} has no device format", dtype)};
  }
  return Error{ErrorCode::Value, fmt::format("'{}' is not a PyTorch dtype that has a device format; expected one such "
                                             "as torch.float16",
                                             dtype)};
}

}  // namespace vl::spyre
