// The notations besides SpyreTensorLayout(…): tuples, fields, operands, and calls of older generations. The tests check
// the meaning of each, its notes, and the places of errors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace spyre_records_test {

using List = std::vector<Index>;

struct Accepted {
  const char* text;
  List device_size;
  List stride_map;
  List dim_map;
  const char* note = "";         // a part of some note; empty: none is required
  const char* unsupported = "";  // a part of why the map is not the whole layout
};

constexpr const char* kNoType = "names no device dtype";

const std::vector<Accepted> kAccepted = {
    // the raw calls of 2025 and early 2026
    {"SpyreTensorLayout([4, 512, 64], [32768, 64, 1], [1, 0, 1], 1, SpyreTensorLayout.StickFormat.Dense)",
     {4, 512, 64},
     {},
     {1, 0, 1},
     kNoType},
    {"SpyreTensorLayout([4, 512, 64], [1, 0, 1], 1, StickFormat.Dense, DataFormats.SEN169_FP16)",
     {4, 512, 64},
     {},
     {1, 0, 1}},
    {"SpyreTensorLayout([8, 512, 64], [0, 1, 0], StickFormat.Dense, DataFormats.SEN169_FP16)",
     {8, 512, 64},
     {},
     {0, 1, 0}},
    {"SpyreTensorLayout([256, 512, 1], [1, 0, 1], StickFormat.Sparse, DataFormats.SEN169_FP16)",
     {256, 512, 1},
     {},
     {1, 0, 1},
     "",
     "StickFormat.Sparse"},
    {"SpyreTensorLayout(device_size=[4, 512, 64], device_strides=[32768, 64, 1], dim_map =[1, 0, 1], num_stick_dims=1, "
     "format=\"Dense\")",
     {4, 512, 64},
     {},
     {1, 0, 1},
     kNoType},
    {"SpyreTensorLayout([4, 512, 64], [1, 512, 64], [1, 0, 1], 1, StickFormat.Dense)",
     {4, 512, 64},
     {},
     {1, 0, 1},
     kNoType,
     "row-major"},
    {"SpyreTensorLayout([4, 512, 64], [1, 0, 1], 2, StickFormat.Dense, SEN169_FP16)",
     {4, 512, 64},
     {},
     {1, 0, 1},
     "",
     "2 dimensions"},
    // the overload that meant two things
    {"SpyreTensorLayout([4, 512, 64], [1, 0, 1], DataFormats.SEN169_FP16)",
     {4, 512, 64},
     {1, 0, 1},
     {},
     "it was a dim_map"},
    {"SpyreTensorLayout([4, 512, 64], [1, 0, 1], DataFormats.SEN169_FP16, generation=G1)", {4, 512, 64}, {}, {1, 0, 1}},
    {"SpyreTensorLayout([8, 512, 64], [1, 0, 1], [64, 512, 1], get_device_dtype(torch.float16))",
     {8, 512, 64},
     {64, 512, 1},
     {1, 0, 1}},
    // tuples
    {"([40, 60], [60, 1], [1, 60, 64], [3840, 1, 60])", {1, 60, 64}, {3840, 1, 60}, {}, kNoType},
    {"( [40, 60], [60, 1], [1, 60, 64], [0, 1, 0], [3840, 1, 60], )", {1, 60, 64}, {3840, 1, 60}, {0, 1, 0}, kNoType},
    {"[(60,), (1,), (1, 64), (64, 1)]", {1, 64}, {64, 1}, {}, kNoType},
    // fields
    {"device_size=[4, 512, 64], stride_map =[64, 256, 1]", {4, 512, 64}, {64, 256, 1}, {}, kNoType},
    {"device_size=[7, 4, 3, 64], dim_map =[1, 2, 0, 2]", {7, 4, 3, 64}, {}, {1, 2, 0, 2}, kNoType},
    {"device_size:     [4, 128, 64]\ndevice_stride:   [8192, 64, 1]\nstride_map:      [64, 256, 1]",
     {4, 128, 64},
     {64, 256, 1},
     {},
     kNoType},
    {"device_size: [2, 64] device_dtype: DataFormats.SEN169_FP16 stride_map: [64, 1]", {2, 64}, {64, 1}, {}},
    {"device_dtype=SEN169_FP16, device_size=[2, 64], stride_map=[64, 1]", {2, 64}, {64, 1}, {}},
    // operands
    {"TensorArg(device_dtype=DataFormats.SEN169_FP16, device_size=[64, 9, 32, 64], stride_map=[576, 64, 36864, 64], "
     "device_coordinates=[sympify('c1'), floor(c3/64), sympify(\"Mod(c3, 64)\")])",
     {64, 9, 32, 64},
     {576, 64, 36864, 64},
     {},
     "device_coordinates are not read"},
    {"TensorArg(is_input=True, arg_index=0, device_dtype=SEN169_FP16, device_size=[256], stride_map=[1], "
     "device_coordinates=[], allocation={\"hbm\": 0}, name=\"arg0\")",
     {256},
     {1},
     {},
     "device_coordinates are not read"},
};

const DeviceFormat& fp16() {
  static const DeviceFormat format = *device_format("SEN169_FP16");
  return format;
}

bool mentions(const std::vector<std::string>& notes, std::string_view part) {
  for (const std::string& note : notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

TEST(Records, AreReadInEveryNotation) {
  for (const Accepted& row : kAccepted) {
    const auto layout = parse(row.text, &fp16());
    ASSERT_TRUE(layout.has_value()) << row.text << ": " << layout.error().message << " at " << layout.error().offset;
    EXPECT_EQ(layout->device_size, row.device_size) << row.text;
    EXPECT_EQ(layout->stride_map, row.stride_map) << row.text;
    EXPECT_EQ(layout->dim_map, row.dim_map) << row.text;
    EXPECT_EQ(layout->device_dtype.name, "SEN169_FP16") << row.text;
    EXPECT_EQ(layout->notes.empty(), *row.note == '\0') << row.text;
    EXPECT_TRUE(*row.note == '\0' || mentions(layout->notes, row.note)) << row.text;
    EXPECT_EQ(layout->unsupported.empty(), *row.unsupported == '\0') << row.text << ": " << layout->unsupported;
    EXPECT_NE(layout->unsupported.find(row.unsupported), std::string::npos) << row.text;
    EXPECT_TRUE(recognises(row.text)) << row.text;
  }
}

TEST(Records, WithoutATypeNeedTheTensorsOwn) {
  std::size_t untyped = 0;
  for (const Accepted& row : kAccepted) {
    if (row.note != std::string_view(kNoType)) continue;
    EXPECT_FALSE(parse(row.text).has_value()) << row.text;
    ++untyped;
  }
  EXPECT_GE(untyped, 7U);
  map::Tensor wide;
  wide.type = map::ElementType::F64;
  wide.size = {64};
  EXPECT_FALSE(read_for("device_size=[1, 64], stride_map=[64, 1]", wide).has_value());
  wide.type = map::ElementType::I64;
  EXPECT_EQ(read_for("device_size=[2, 32], stride_map=[32, 1]", wide)->device_dtype.name, "IEEE_INT32");
}

TEST(Records, AreRecognisedByTheirBeginning) {
  for (const std::string text :
       {"", "  ", "(", "[", "([", "(1, 2)", "[ ]", "device", "S[(2):(1)]", "#tt.metal_layout<>", "tensorarg("})
    EXPECT_EQ(recognises(text), text == "([") << text;
}

struct Rejected {
  const char* marked;  // '~' stands where the error must point and is not part of the text
  ErrorCode code;
};
constexpr ErrorCode kSyntax = ErrorCode::Syntax;
constexpr ErrorCode kValue = ErrorCode::Value;
constexpr ErrorCode kShape = ErrorCode::Shape;
constexpr ErrorCode kOverflow = ErrorCode::Overflow;

const std::vector<Rejected> kRejected = {
    {"~([40], [1], [64])", kShape},
    {"~([40], [1], [64], [1], [1], [1])", kShape},
    {"([40], ~[1, 1], [64], [1])", kShape},
    {"([~-40], [1], [64], [1])", kValue},
    {"([40], [1], [~-64], [1])", kValue},
    {"([40], [1], [64], ~[1, 2])", kShape},
    {"([40], [1], [64], [~-2], [1])", kValue},
    {"([40], [1], ~[4294967296, 4294967296, 64], [1, 1, 1])", kOverflow},
    {"([40], [1], [64] ~[1])", kSyntax},
    {"([40], [1], [64], [1]~]", kSyntax},
    {"([40], [1], [64], [1]) ~x", kSyntax},
    {"([40], [1], [64], ~stride_map)", kSyntax},
    {"device_size=[64]~", kSyntax},
    {"device_size=[64], stride_map=~[1, 1]", kShape},
    {"device_size=[64], stride_map=[1], ~device_size=[64]", kSyntax},
    {"device_size=[64], stride_map=[1], ~colour=[64]", kSyntax},
    {"device_size=[64], stride_map=[1], device_strides=~[1, 1]", kShape},
    {"device_size=[64], stride_map=[1], device_dtype=~INVALID", kValue},
    {"device_size ~[64], stride_map=[1]", kSyntax},
    {"device_size=~64, stride_map=[1]", kSyntax},
    {"~device_sizes=[64]", kSyntax},
    {"TensorArg(device_dtype=SEN169_FP16, device_size=[64], device_coordinates=[c0])~", kSyntax},
    {"TensorArg(~True, 0, device_size=[64], stride_map=[1])", kSyntax},
    {"TensorArg(device_size=[64], stride_map=[1], device_dtype=~_FP16)", kValue},
    {"TensorArg(device_size=[64], stride_map=~[1, 1], device_dtype=SEN169_FP16)", kShape},
    {"TensorArg(device_size=[64], stride_map=[1], device_coordinates=[c0, f(c1~]), device_dtype=SEN169_FP16)", kSyntax},
    {"TensorArg(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, ~colour=blue)", kSyntax},
    {"TensorArg(device_size=[64], stride_map=[1], device_coordinates=~, device_dtype=SEN169_FP16)", kSyntax},
    {"SpyreTensorLayout([4, 64], ~[64], [1, 0], 1, StickFormat.Dense)", kShape},
    {"SpyreTensorLayout([4, 64], ~[1, 0, 1], 1, StickFormat.Dense, SEN169_FP16)", kShape},
    {"SpyreTensorLayout([4, 64], [64, 1], SEN169_FP16, generation=~\"G7\")", kValue},
    {"SpyreTensorLayout([4, 64], [64, 1], SEN169_FP16, generation=~7)", kSyntax},
    {"SpyreTensorLayout([4, 64], [64, 1], SEN169_FP16, generation=\"G1~)", kSyntax},
    {"SpyreTensorLayout([4, 64], ~[1], [64, 1], SEN169_FP16)", kShape},
};

TEST(Records, SayWhereATextIsWrong) {
  for (const Rejected& row : kRejected) {
    std::string text = row.marked;
    const std::size_t mark = text.find('~');
    ASSERT_NE(mark, std::string::npos) << row.marked;
    text.erase(mark, 1);
    const auto layout = parse(text, &fp16());
    ASSERT_FALSE(layout.has_value()) << text;
    EXPECT_EQ(name(layout.error().code), name(row.code)) << text << ": " << layout.error().message;
    EXPECT_EQ(layout.error().offset, mark) << row.marked << ": " << layout.error().message;
  }
}

TEST(Records, AreNeverReadFromAProperPrefixOrAMutationThatCrashes) {
  std::size_t rejected = 0;
  for (const Accepted& row : kAccepted) {
    const std::string text = row.text;
    for (std::size_t length = 0; length < text.size(); ++length) {
      // A prefix of fields can be complete by itself.
      const auto layout = parse(std::string_view(text).substr(0, length), &fp16());
      ASSERT_FALSE(layout.has_value() && !text.starts_with("device_")) << text.substr(0, length);
      rejected += layout ? 0U : 1U;
    }
    for (std::size_t i = 0; i < text.size(); ++i)
      for (const char c : {'\0', '(', ']', ',', '-', '9', '=', ':', '"', '\x80'}) {
        std::string mutated = text;
        mutated[i] = c;
        const auto layout = parse(mutated, &fp16());
        ASSERT_TRUE(layout || layout.error().offset <= mutated.size()) << mutated;
        rejected += layout ? 0U : 1U;
      }
  }
  EXPECT_GT(rejected, 10000U);
}

}  // namespace spyre_records_test
}  // namespace vl::spyre
