// Tensors as text, and the strides of their host storage.
#include "encodings/map/tensor.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "encodings/map/space.h"
#include "tests/support/maps.h"

namespace vl::map {
namespace map_tensor_test {

constexpr Index kMost = std::numeric_limits<Index>::max();

struct Accept {
  const char* name;
  const char* text;
  ElementType type;
  std::vector<Index> size;
};

void PrintTo(const Accept& row, std::ostream* out) { *out << row.name; }

class TensorText : public testing::TestWithParam<Accept> {};

TEST_P(TensorText, IsRead) {
  const auto tensor = parse_tensor(GetParam().text);
  ASSERT_TRUE(tensor.has_value()) << tensor.error().message;
  EXPECT_EQ(*tensor, (Tensor{GetParam().type, GetParam().size, std::nullopt, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(
    Table, TensorText,
    testing::Values(Accept{"Short", "f16[5,100,150]", ElementType::F16, {5, 100, 150}},
                    Accept{"Torch", "torch.float16[5, 100]", ElementType::F16, {5, 100}},
                    Accept{"TorchHalf", "torch.half[1]", ElementType::F16, {1}},
                    Accept{"Mlir", "ui8[3]", ElementType::U8, {3}}, Accept{"RankZero", "f32[]", ElementType::F32, {}},
                    Accept{"Empty", "bf16[0,7]", ElementType::Bf16, {0, 7}},
                    Accept{"EmptyAndHuge", "f32[9223372036854775807,0,2]", ElementType::F32, {kMost, 0, 2}},
                    Accept{"Huge", "i8[9223372036854775807]", ElementType::I8, {kMost}},
                    Accept{"SpacesAndTrailingComma", "  f64 [ 2 , 3 , ] ", ElementType::F64, {2, 3}},
                    Accept{"Fp8", "f8E4M3FN[2]", ElementType::F8E4M3, {2}},
                    Accept{"Block", "bfp_bf8[32]", ElementType::Bfp8, {32}},
                    Accept{"BareTorch", "float16[5,100]", ElementType::F16, {5, 100}},
                    Accept{"BareTorchInteger", "int64[5]", ElementType::I64, {5}},
                    Accept{"BareBfloat", "bfloat16[5]", ElementType::Bf16, {5}},
                    Accept{"FloatingPoint", "fp16[5,100]", ElementType::F16, {5, 100}},
                    Accept{"FloatingPoint32", "fp32[]", ElementType::F32, {}},
                    Accept{"SizesFirst", "5x100x150xf16", ElementType::F16, {5, 100, 150}},
                    Accept{"OneSizeFirst", " 7xbf16 ", ElementType::Bf16, {7}},
                    Accept{"NoElementsFirst", "0x10xf32", ElementType::F32, {0, 10}},
                    Accept{"SizesFirstAndMlirsType", "2x3xui8", ElementType::U8, {2, 3}},
                    Accept{"HexSize", "f16[0x10]", ElementType::F16, {16}}),
    [](const auto& row) { return std::string(row.param.name); });

struct Reject {
  const char* name;
  const char* text;
  ErrorCode code;
  std::size_t offset;
};

void PrintTo(const Reject& row, std::ostream* out) { *out << row.name; }

class TensorReject : public testing::TestWithParam<Reject> {};

TEST_P(TensorReject, SaysWhere) {
  const auto tensor = parse_tensor(GetParam().text);
  ASSERT_FALSE(tensor.has_value());
  EXPECT_EQ(tensor.error().code, GetParam().code) << tensor.error().message;
  EXPECT_EQ(tensor.error().offset, GetParam().offset) << tensor.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, TensorReject,
    testing::Values(
        Reject{"Nothing", "", ErrorCode::Syntax, 0}, Reject{"NoType", "[5]", ErrorCode::Syntax, 0},
        Reject{"UnknownType", "  f17[5]", ErrorCode::Value, 2},
        Reject{"UnknownTorchType", "torch.f16[5]", ErrorCode::Value, 0},
        Reject{"WrongCase", "F16[5]", ErrorCode::Value, 0}, Reject{"NoShape", "f16", ErrorCode::Syntax, 3},
        Reject{"RoundShape", "f16(5)", ErrorCode::Syntax, 3}, Reject{"OpenShape", "f16[5", ErrorCode::Syntax, 5},
        Reject{"NegativeSize", "f16 [5,-1]", ErrorCode::Value, 7},
        Reject{"NegativeFirstSize", "f16[ -5,-1]", ErrorCode::Value, 5},
        Reject{"BareUnknownType", "float17[5]", ErrorCode::Value, 0},
        Reject{"FloatingPoint17", "fp17[5]", ErrorCode::Value, 0},
        Reject{"TorchTwice", "torch.torch.half[5]", ErrorCode::Value, 0},
        Reject{"SizesFirstWithoutAType", "5x100x", ErrorCode::Syntax, 6},
        Reject{"SizesFirstWithoutAnX", "5x100", ErrorCode::Syntax, 5},
        Reject{"SizesFirstWithSpaces", "5 x 100xf16", ErrorCode::Syntax, 2},
        Reject{"SizesFirstOfAnUnknownType", "5xf17", ErrorCode::Value, 2},
        Reject{"SizesFirstAndAShape", "5xf16[3]", ErrorCode::Syntax, 5},
        Reject{"SizesFirstWithUnknownSize", "5x?xf16", ErrorCode::Syntax, 2},
        Reject{"SizesFirstTooLarge", "9223372036854775808xf16", ErrorCode::Overflow, 0},
        Reject{"ANumber", "150", ErrorCode::Syntax, 3}, Reject{"SymbolicSize", "f16[n]", ErrorCode::Syntax, 4},
        Reject{"FractionalSize", "f16[1.5]", ErrorCode::Syntax, 5},
        Reject{"SizeTooLarge", "f16[9223372036854775808]", ErrorCode::Overflow, 4},
        Reject{"VolumeTooLarge", "f16[4294967296,4294967296]", ErrorCode::Overflow, 3},
        Reject{"MoreBehind", "f16[5] x", ErrorCode::Syntax, 7}, Reject{"TwoShapes", "f16[5][6]", ErrorCode::Syntax, 6}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ElementType, HasItsBits) {
  EXPECT_EQ(bits(ElementType::Bool), 8);
  EXPECT_EQ(bits(ElementType::I4), 4);
  EXPECT_EQ(bits(ElementType::F16), 16);
  EXPECT_EQ(bits(ElementType::Bf16), 16);
  EXPECT_EQ(bits(ElementType::F8E5M2), 8);
  EXPECT_EQ(bits(ElementType::F32), 32);
  EXPECT_EQ(bits(ElementType::I64), 64);
  EXPECT_EQ(bits(ElementType::Bfp4), 4);
}

TEST(ElementType, HasANameThatIsReadBack) {
  for (int i = 0; i <= static_cast<int>(ElementType::Bfp4); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_type_of(name(type)), type);
  }
  EXPECT_EQ(element_type_of(""), std::nullopt);
  EXPECT_EQ(element_type_of("torch."), std::nullopt);
}

TEST(PrintTensor, LeavesOutDefaultsAndNamesTheRest) {
  EXPECT_EQ(print(Tensor{ElementType::F16, {5, 100, 150}, std::nullopt, 0, 0}), "f16[5,100,150]");
  EXPECT_EQ(print(Tensor{ElementType::F32, {}, std::nullopt, 0, 0}), "f32[]");
  EXPECT_EQ(print(Tensor{ElementType::I8, {2, 3}, std::vector<Index>{1, 2}, 4, 5}),
            "i8[2,3] strides [1,2] offset 4 view-offset 5");
}

RC_GTEST_PROP(TensorLaws, ATensorWithoutStridesIsReadBackAsPrinted, ()) {
  const auto size = *rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(0, 200));
  RC_PRE(size.size() <= 8U);
  const Tensor tensor{static_cast<ElementType>(*rc::gen::inRange(0, 17)), size, std::nullopt, 0, 0};
  const auto again = parse_tensor(print(tensor));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == tensor);
}

std::vector<Index> dense(std::vector<Index> size) { return *dense_strides(size); }

TEST(DenseStrides, AreRowMajor) {
  EXPECT_EQ(dense({5, 100, 150}), (std::vector<Index>{15000, 150, 1}));
  EXPECT_EQ(dense({7}), (std::vector<Index>{1}));
  EXPECT_EQ(dense({}), (std::vector<Index>{}));
}

TEST(DenseStrides, CountAnExtentOfZeroAsOne) { EXPECT_EQ(dense({4, 0, 3}), (std::vector<Index>{3, 3, 1})); }

TEST(DenseStrides, NumberTheElementsInRowMajorOrder) {
  for (const Point& extents : test::all_points(*Space::create(Space::dims("e", std::vector<Index>{4, 4, 4})))) {
    const Space s = *Space::create(Space::dims("x", extents));
    const auto strides = dense(extents);
    Index number = 0;
    for (const Point& x : test::all_points(s))
      ASSERT_EQ(x[0] * strides[0] + x[1] * strides[1] + x[2] * strides[2], number++);
  }
}

TEST(DenseStrides, SayThatTheyOverflow) {
  EXPECT_EQ(dense_strides(std::vector<Index>{0, kMost, 2}).error().code, ErrorCode::Overflow);
  EXPECT_EQ(dense(std::vector<Index>{0, kMost}), (std::vector<Index>{kMost, 1}));
}

TEST(HostStrides, AreTheGivenOnesOrDense) {
  EXPECT_EQ(*host_strides(Tensor{ElementType::F16, {2, 3}, std::nullopt, 0, 0}), (std::vector<Index>{3, 1}));
  EXPECT_EQ(*host_strides(Tensor{ElementType::F16, {2, 3}, std::vector<Index>{-1, 0}, 7, 0}),
            (std::vector<Index>{-1, 0}));
}

TEST(HostStrides, RefuseWhatIsNoStorage) {
  const auto code = [](Tensor tensor) { return host_strides(tensor).error().code; };
  EXPECT_EQ(code({ElementType::F16, {2, 3}, std::vector<Index>{1}, 0, 0}), ErrorCode::Shape);
  EXPECT_EQ(code({ElementType::F16, {2}, std::nullopt, -1, 0}), ErrorCode::Value);
  EXPECT_EQ(code({ElementType::F16, {2}, std::nullopt, 0, -1}), ErrorCode::Value);
  EXPECT_EQ(code({ElementType::F16, {2}, std::vector<Index>{std::numeric_limits<Index>::min()}, 0, 0}),
            ErrorCode::Overflow);
}

TEST(Box, NamesEachAxisOnceWithAnExtentOfAtLeastOne) {
  EXPECT_EQ(*parse_box(" laneid=32, m = 64 "), (std::vector<Extent>{{"laneid", 32}, {"m", 64}}));
  const std::vector<std::pair<const char*, ErrorCode>> rejects = {
      {"", ErrorCode::Syntax},        {"laneid", ErrorCode::Syntax},
      {"laneid=", ErrorCode::Syntax}, {"=3", ErrorCode::Syntax},
      {"m=1,", ErrorCode::Syntax},    {"m=1 n=2", ErrorCode::Syntax},
      {"m=0", ErrorCode::Value},      {"m=-4", ErrorCode::Value},
      {"m=1, m=1", ErrorCode::Value}, {"m=9223372036854775808", ErrorCode::Overflow}};
  for (const auto& [text, code] : rejects) {
    const auto box = parse_box(text);
    ASSERT_FALSE(box.has_value()) << text;
    EXPECT_EQ(box.error().code, code) << text << ": " << box.error().message;
  }
}

}  // namespace map_tensor_test
}  // namespace vl::map
