// Formats and their elements per stick, as torch-spyre's tests and its dtype table state them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "encodings/spyre/dtypes.h"

namespace vl::spyre {
namespace spyre_dtypes_test {

using Row = std::pair<std::string, Index>;

const std::vector<Row> kGeometry = {{"SEN169_FP16", 64}, {"IEEE_FP32", 32},  {"SEN143_FP8", 128}, {"SEN152_FP8", 128},
                                    {"SENINT8", 128},    {"SENINT4", 256},   {"SENINT2", 512},    {"SENUINT2", 512},
                                    {"SENINT16", 64},    {"IEEE_INT32", 32}, {"SENUINT32", 32},   {"IEEE_INT64", 16},
                                    {"BOOL", 128},       {"BFLOAT16", 64}};

TEST(DeviceFormat, FillsOneStickWithTheStatedNumberOfElements) {
  for (const auto& [name, elements] : kGeometry)
    for (const std::string& spelling : {name, "DataFormats." + name}) {
      const auto format = device_format(spelling);
      ASSERT_TRUE(format.has_value()) << spelling;
      EXPECT_EQ(format->elements_per_stick, elements) << spelling;
      EXPECT_EQ(format->name, name) << spelling;
      EXPECT_EQ(kStickBits % format->elements_per_stick, 0) << spelling;
    }
}

TEST(DeviceFormat, WithoutGeometryIsRefused) {
  for (const std::string name : {"INVALID", "SEN153_FP9", "SENINT24", "SEN18F_FP24"})
    for (const std::string& spelling : {name, "DataFormats." + name}) {
      const auto format = device_format(spelling);
      ASSERT_FALSE(format.has_value()) << spelling;
      EXPECT_EQ(format.error().code, ErrorCode::Value) << spelling;
      EXPECT_NE(format.error().message.find("no geometry"), std::string::npos) << format.error().message;
    }
}

TEST(DeviceFormat, ThatDoesNotExistIsRefusedAndTheKnownOnesAreNamed) {
  for (const std::string name : {"", "DataFormats.", "sen169_fp16", "SEN169", "DataFormat.SEN169_FP16", "torch.float16",
                                 "DataFormats.DataFormats.SENINT8", "SEN169_FP16 "}) {
    const auto format = device_format(name);
    ASSERT_FALSE(format.has_value()) << name;
    EXPECT_EQ(format.error().code, ErrorCode::Value) << name;
    EXPECT_NE(format.error().message.find("SEN169_FP16"), std::string::npos) << format.error().message;
  }
}

TEST(TorchDtype, HasTheDeviceFormatThatTorchSpyreGivesIt) {
  const std::vector<std::pair<std::string, std::string>> table = {{"float16", "SEN169_FP16"},
                                                                  {"half", "SEN169_FP16"},
                                                                  {"bfloat16", "SEN169_FP16"},
                                                                  {"bool", "SEN169_FP16"},
                                                                  {"float32", "IEEE_FP32"},
                                                                  {"float", "IEEE_FP32"},
                                                                  {"int32", "IEEE_INT32"},
                                                                  {"int64", "IEEE_INT32"},
                                                                  {"long", "IEEE_INT32"},
                                                                  {"int8", "SENINT8"},
                                                                  {"qint8", "SENINT8"},
                                                                  {"uint8", "SENUINT32"},
                                                                  {"quint8", "SENUINT32"},
                                                                  {"int16", "SENINT16"},
                                                                  {"float8_e4m3fn", "SEN143_FP8"},
                                                                  {"float8_e5m2fnuz", "SEN152_FP8"},
                                                                  {"quint4x2", "SENUINT2"},
                                                                  {"quint2x4", "SENUINT2"}};
  for (const auto& [dtype, expected] : table) {
    const auto format = device_format_of_torch("torch." + dtype);
    ASSERT_TRUE(format.has_value()) << dtype;
    EXPECT_EQ(format->name, expected) << dtype;
    EXPECT_EQ(*format, *device_format(expected)) << dtype;
  }
}

TEST(TorchDtype, WithoutADeviceFormatIsRefused) {
  for (const std::string dtype : {"torch.float64", "torch.complex64", "torch.complex128", "torch.float128", "torch.",
                                  "", "numpy.float16", "f16"}) {
    const auto format = device_format_of_torch(dtype);
    ASSERT_FALSE(format.has_value()) << dtype;
    EXPECT_EQ(format.error().code, ErrorCode::Value) << dtype;
  }
}

}  // namespace spyre_dtypes_test
}  // namespace vl::spyre
