// Texts that are no layouts: where each one is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace spyre_parse_wrong_test {

// '~' stands where the error must point and is not part of the text.
struct Rejected {
  const char* marked;
  ErrorCode code;
};
constexpr ErrorCode kSyntax = ErrorCode::Syntax;
constexpr ErrorCode kValue = ErrorCode::Value;
constexpr ErrorCode kShape = ErrorCode::Shape;
constexpr ErrorCode kOverflow = ErrorCode::Overflow;

const std::vector<Rejected> kRejected = {
    // the call
    {"~", kSyntax},
    {"   ~", kSyntax},
    {"~SpyreTensor(device_size=[64])", kSyntax},
    {"~spyretensorlayout([64], torch.float16)", kSyntax},
    {"~SpyreTensorLayouts([64], torch.float16)", kSyntax},
    {"SpyreTensorLayout~", kSyntax},
    {"SpyreTensorLayout ~[64]", kSyntax},
    {"SpyreTensorLayout(~", kSyntax},
    {"SpyreTensorLayout()~", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16~", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16) ~x", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16)~)", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16)~, SpyreTensorLayout((64,), torch.float16)", kSyntax},
    {"SpyreTensorLayout((64,) ~torch.float16)", kSyntax},
    {"SpyreTensorLayout((64,), ~, torch.float16)", kSyntax},
    {"SpyreTensorLayout(~, (64,), torch.float16)", kSyntax},
    {"SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], ~...)", kSyntax},
    {"SpyreTensorLayout((64,), ~\"torch.float16\")", kSyntax},
    {"SpyreTensorLayout((64,), ~{}, torch.float16)", kSyntax},
    {"SpyreTensorLayout((64,), torch~..float16)", kSyntax},
    {"SpyreTensorLayout(~\xff(64,), torch.float16)", kSyntax},
    // lists
    {"SpyreTensorLayout(device_size=[4, 512, 64, ~stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[4, 512, 64~), stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=(4, 512, 64~], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[4,~, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[~, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[4 ~512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[4~.5, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[0~x], stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[0x4~g], stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[4~_000, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[1~e3, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[~- 4, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[~a, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[~[4, 64]], stride_map=[64, 1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[~9223372036854775808], stride_map=[1], device_dtype=SEN169_FP16)", kOverflow},
    {"SpyreTensorLayout(device_size=[~123456789012345678901234567890], stride_map=[1], device_dtype=SEN169_FP16)",
     kOverflow},
    {"SpyreTensorLayout(device_size=[64], stride_map=[~-9223372036854775809], device_dtype=SEN169_FP16)", kOverflow},
    // fields
    {"SpyreTensorLayout(device_size=[64], ~stridemap=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16, ~order=[0])", kSyntax},
    {"TensorArg(device_size=[64], ~stridemap=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, ~device_size=[64])", kSyntax},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], ~stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(~[64], [1], SEN169_FP16, device_size=[64])", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16, dtype=torch.float16, ~dtype=torch.float16)", kSyntax},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, ~colour=blue)", kSyntax},
    {"SpyreTensorLayout(~device_sizes=[64], device_size=[64], stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout((64,), torch.float16, pad_all_dims=~yes)", kSyntax},
    {"SpyreTensorLayout(device_size=[64], ~[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1])~", kSyntax},
    {"SpyreTensorLayout(device_size=[64], device_dtype=SEN169_FP16)~", kSyntax},
    {"SpyreTensorLayout(stride_map=[1], device_dtype=SEN169_FP16)~", kSyntax},
    {"SpyreTensorLayout((5, 100), (100, 1), torch.float16)~", kSyntax},
    {"SpyreTensorLayout(dtype=torch.float16)~", kSyntax},
    {"SpyreTensorLayout(size=(64,))~", kSyntax},
    {"SpyreTensorLayout([64], [1], SEN169_FP16, STANDARD, ~[0])", kShape},
    {"SpyreTensorLayout((64,), torch.float16, [0], ~[True, maybe])", kSyntax},
    {"SpyreTensorLayout((64,), (1,), torch.float16, [0], STANDARD, ~7)", kShape},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, num_stick_dims=~0)", kValue},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, format=~StickFormat.Loose)",
     kValue},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, element_arrangement=~[1])",
     kSyntax},
    {"SpyreTensorLayout(device_size=~64, stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout(device_size=~SEN169_FP16, stride_map=[1], device_dtype=SEN169_FP16)", kSyntax},
    // dtypes
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=~DataFormats.INVALID)", kValue},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=~SEN153_FP9)", kValue},
    {"SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=~DataFormats.SENINT24)", kValue},
    {"SpyreTensorLayout([64], [1], ~DataFormats.SEN18F_FP24)", kValue},
    {"SpyreTensorLayout([64], [1], ~DataFormats.SEN170_FP16)", kValue},
    {"SpyreTensorLayout([64], [1], ~get_device_dtype(torch.float64))", kValue},
    {"SpyreTensorLayout([64], [1], ~get_dtype(torch.float16))", kSyntax},
    {"SpyreTensorLayout([64], [1], ~16)", kSyntax},
    {"SpyreTensorLayout((64,), ~torch.float64)", kValue},
    {"SpyreTensorLayout((64,), ~torch.complex64)", kValue},
    {"SpyreTensorLayout((64,), ~torch.float1)", kValue},
    {"SpyreTensorLayout((64,), (1,), ~torch.float64, [0])", kValue},
    {"SpyreTensorLayout(size=(64,), dtype=~16)", kSyntax},
    // raw values
    {"SpyreTensorLayout(device_size=[4, ~-512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)", kValue},
    {"SpyreTensorLayout(device_size=~[], stride_map=[], device_dtype=SEN169_FP16)", kShape},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=~[64, 256], device_dtype=SEN169_FP16)", kShape},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=~[64, 256, 1, 1], device_dtype=SEN169_FP16)", kShape},
    {"SpyreTensorLayout(device_size=[4, 512, 64], dim_map=~[1, 0], device_dtype=SEN169_FP16)", kShape},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, ~-2, 1], device_dtype=SEN169_FP16)", kValue},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, ~-9223372036854775808], "
     "device_dtype=SEN169_FP16)",
     kValue},
    {"SpyreTensorLayout(device_size=[4, 512, 64], dim_map=[1, 0, ~-2], device_dtype=SEN169_FP16)", kValue},
    {"SpyreTensorLayout(device_size=~[4294967296, 4294967296, 64], stride_map=[1, 1, 1], device_dtype=SEN169_FP16)",
     kOverflow},
    {"SpyreTensorLayout(device_size=~[4611686018427387904], stride_map=[1], device_dtype=IEEE_FP32)", kOverflow},
    // constructor values
    {"SpyreTensorLayout((5, ~-100), torch.float16)", kValue},
    {"SpyreTensorLayout((~-5, 100), torch.float16)", kValue},
    {"SpyreTensorLayout(( 5,100, ~-150), torch.float16)", kValue},
    {"SpyreTensorLayout((5, 100), (100, ~-1), torch.float16, [0, 1])", kValue},
    {"([5, ~-1], [1, 1], [1, 64], [64, 1])", kValue},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[0])", kShape},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[0, 1, 2])", kShape},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[0, 0])", kValue},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[1, 2])", kValue},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[-1, 0])", kValue},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[-1, 0, 1])", kShape},
    {"SpyreTensorLayout((5, 100), torch.float16, ~[0, 1, -1, -1])", kShape},
    {"SpyreTensorLayout(~(4294967296, 4294967296, 2), torch.float16)", kOverflow},
};

std::string shown(std::string_view text) { return fmt::format("<{}>", text); }

TEST(Parse, SaysWhereATextIsWrong) {
  ASSERT_GE(kRejected.size(), 60U);
  for (const Rejected& row : kRejected) {
    std::string text = row.marked;
    const std::size_t mark = text.find('~');
    ASSERT_NE(mark, std::string::npos) << row.marked;
    text.erase(mark, 1);
    const auto layout = parse(text);
    ASSERT_FALSE(layout.has_value()) << shown(text);
    EXPECT_EQ(name(layout.error().code), name(row.code)) << shown(text) << ": " << layout.error().message;
    EXPECT_EQ(layout.error().offset, mark) << row.marked << ": " << layout.error().message;
    EXPECT_FALSE(layout.error().message.empty());
  }
}

TEST(Parse, SaysThatAParenthesisIsMissing) {
  const DeviceFormat usual{"SEN169_FP16", 64};
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"SpyreTensorLayout((64,), torch.float16", "expected ',' or ')' of SpyreTensorLayout, found the end"},
           {"SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1]",
            "expected ',' or ')' of SpyreTensorLayout, found the end"},
           {"([5], [1], [1, 64], [64, 1]", "expected ',' or ')', found the end"},
           {"[[5], [1], [1, 64], [64, 1]", "expected ',' or ']', found the end"}}) {
    const auto layout = parse(text, &usual);
    ASSERT_FALSE(layout.has_value()) << text;
    EXPECT_EQ(layout.error().message, words);
    EXPECT_EQ(layout.error().offset, text.size());
  }
}

TEST(Parse, PointsAtTheNegativeSizeOfARecord) {
  const DeviceFormat usual{"SEN169_FP16", 64};
  const auto layout = parse("([5], [1], [1, -64], [64, 1])", &usual);
  ASSERT_FALSE(layout.has_value());
  EXPECT_EQ(layout.error().offset, 15U) << layout.error().message;
}

TEST(Parse, ReadsHexadecimalNumbers) {
  const auto layout = parse("SpyreTensorLayout([0x4, 64], [0X40, 1], SEN169_FP16)");
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(layout->device_size, (std::vector<Index>{4, 64}));
  EXPECT_EQ(layout->stride_map, (std::vector<Index>{64, 1}));
}

TEST(Parse, RefusesNegativeStridesOfTheConstructor) {
  const auto layout = parse("SpyreTensorLayout((5, 100), (-100, 1), torch.float16, [0, 1])");
  ASSERT_FALSE(layout.has_value());
  EXPECT_EQ(layout.error().code, ErrorCode::Value) << layout.error().message;
}

// A strides list of another length than the size is wrong, wherever one points.
TEST(Parse, RefusesStridesOfAnotherRank) {
  for (const std::string text : {"SpyreTensorLayout((5, 100), (1,), torch.float16, [0, 1])",
                                 "SpyreTensorLayout((5, 100), (100, 1, 1), torch.float16, [0, 1])"}) {
    const auto layout = parse(text);
    ASSERT_FALSE(layout.has_value()) << text;
    EXPECT_EQ(layout.error().code, ErrorCode::Shape) << layout.error().message;
  }
}

}  // namespace spyre_parse_wrong_test
}  // namespace vl::spyre
