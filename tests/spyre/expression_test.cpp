// Layout expressions: texts with derivations, and refusals with their places and reasons.
#include "encodings/spyre/expression.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vl::spyre {
namespace spyre_expression_test {

using List = std::vector<Index>;

map::Tensor tensor(List size, std::optional<List> strides = {}) {
  map::Tensor made;
  made.size = std::move(size);
  made.strides = std::move(strides);
  return made;
}

const std::string kA = "SpyreTensorLayout([5, 70], torch.float16)";
const std::string kRaw = "SpyreTensorLayout([2, 5, 64], [64, 70, 1], DataFormats.SEN169_FP16)";

struct Accepted {
  std::string text;
  map::Tensor of;
  List device_size;
  List stride_map;
  const char* dtype;
};

const std::vector<Accepted> kAccepted = {
    {kA, tensor({5, 70}), {2, 5, 64}, {64, 70, 1}, "SEN169_FP16"},
    {kA + ".restickify(0)", tensor({5, 70}), {1, 70, 64}, {4480, 1, 70}, "SEN169_FP16"},
    {kA + ".restickify(dim=0)", tensor({5, 70}), {1, 70, 64}, {4480, 1, 70}, "SEN169_FP16"},
    {"  " + kA + "\n .restickify ( 0 )\t. rescale ( torch.float32 , ) ",
     tensor({5, 70}),
     {1, 70, 32},
     {2240, 1, 70},
     "IEEE_FP32"},
    {kRaw + ".restickify(0)", tensor({5, 70}), {1, 70, 64}, {4480, 1, 70}, "SEN169_FP16"},
    // the constructor's arguments go before the tensor, of which a note tells that it differs
    {kA + ".restickify(0)", tensor({7, 3}), {1, 70, 64}, {4480, 1, 70}, "SEN169_FP16"},
    {kA + ".rescale(torch.float32)", tensor({5, 70}), {3, 5, 32}, {32, 70, 1}, "IEEE_FP32"},
    {kA + ".rescale(DataFormats.SENINT8)", tensor({5, 70}), {1, 5, 128}, {128, 70, 1}, "SENINT8"},
    {kRaw + ".rescale(torch.float32, extent=70)", tensor({5, 70}), {3, 5, 32}, {32, 70, 1}, "IEEE_FP32"},
    {kRaw + ".rescale(torch.float32, host_size=[5, 70])", tensor({5, 70}), {3, 5, 32}, {32, 70, 1}, "IEEE_FP32"},
    {kRaw + ".rescale(torch.float32, (5, 70), host_stride=(70, 1))",
     tensor({5, 70}),
     {3, 5, 32},
     {32, 70, 1},
     "IEEE_FP32"},
    {kRaw + ".rescale(torch.int8)", tensor({5, 70}), {1, 5, 128}, {128, 70, 1}, "SENINT8"},
    {"rescale_stl_for_dtype(" + kA + ", torch.float32, stick_extent=70)",
     tensor({5, 70}),
     {3, 5, 32},
     {32, 70, 1},
     "IEEE_FP32"},
    {"rescale_stl_for_dtype(" + kA +
         ", torch.float32, ElementArrangement.STANDARD, host_size=host_size, host_stride=host_strides)",
     tensor({5, 70}),
     {3, 5, 32},
     {32, 70, 1},
     "IEEE_FP32"},
    {"rescale_stl_for_dtype(rescale_stl_for_dtype(" + kA +
         ", torch.float32, host_size), torch.float16, host_size).restickify(0)",
     tensor({5, 70}),
     {1, 70, 64},
     {4480, 1, 70},
     "SEN169_FP16"},
    {kA + ".resize((3, 130))", tensor({3, 130}), {3, 3, 64}, {64, 130, 1}, "SEN169_FP16"},
    {kA + ".resize(size=[3, 130], old_size=(5, 70),)", tensor({3, 130}), {3, 3, 64}, {64, 130, 1}, "SEN169_FP16"},
    {kRaw + ".resize([3, 130], old_size=[5, 70])", tensor({3, 130}), {3, 3, 64}, {64, 130, 1}, "SEN169_FP16"},
    // padded rows: the old slot of dimension 0 has room for 8, the stick takes what 5 need
    {"SpyreTensorLayout([2, 8, 64], [64, 70, 1], DataFormats.SEN169_FP16).restickify(0)",
     tensor({5, 70}),
     {1, 70, 64},
     {4480, 1, 70},
     "SEN169_FP16"},
    // copies stay where they are
    {"SpyreTensorLayout([2, 3, 5, 64], [64, 0, 70, 1], DataFormats.SEN169_FP16).restickify(0)",
     tensor({5, 70}),
     {1, 3, 70, 64},
     {4480, 0, 1, 70},
     "SEN169_FP16"},
    // the sparse stick keeps all but the lanes
    {"SpyreTensorLayout([5, 70], torch.float16, [0, 1, -1]).rescale(torch.float32)",
     tensor({5, 70}),
     {70, 1, 5, 32},
     {1, -1, 70, -1},
     "IEEE_FP32"},
    {"SpyreTensorLayout((), torch.float16).rescale(torch.float32)", tensor({}), {1, 32}, {-1, -1}, "IEEE_FP32"},
    {"SpyreTensorLayout((), torch.float16).resize(())", tensor({}), {1, 64}, {-1, -1}, "SEN169_FP16"},
    // torch-spyre, test_rescale_for_dtype_rejects_inexact_stick_rescale: two whole sticks become one
    {"rescale_stl_for_dtype(SpyreTensorLayout([2, 4, 32], [32, 32, 1], IEEE_FP32, ElementArrangement.STANDARD), "
     "torch.float16, "
     "ElementArrangement.STANDARD)",
     tensor({4, 64}),
     {1, 4, 64},
     {64, 32, 1},
     "SEN169_FP16"},
    // test_qfp8ch_layout_rounds_a_partial_stick_up, its three rows
    {"rescale_stl_for_dtype(SpyreTensorLayout([1, 4, 64], [64, 64, 1], SEN169_FP16), torch.float8_e4m3fn, "
     "ElementArrangement.QFP8CH, stick_extent=64)",
     tensor({4, 64}),
     {1, 4, 128},
     {128, 64, 1},
     "SEN143_FP8"},
    {"rescale_stl_for_dtype(SpyreTensorLayout([3, 4, 64], [64, 64, 1], SEN169_FP16), torch.float8_e4m3fn, "
     "ElementArrangement.QFP8CH, stick_extent=192)",
     tensor({4, 192}),
     {2, 4, 128},
     {128, 64, 1},
     "SEN143_FP8"},
    {"rescale_stl_for_dtype(SpyreTensorLayout([2, 4, 64], [64, 64, 1], SEN169_FP16), torch.float8_e4m3fn, "
     "ElementArrangement.QFP8CH, stick_extent=128)",
     tensor({4, 128}),
     {1, 4, 128},
     {128, 64, 1},
     "SEN143_FP8"},
};

TEST(Expression, GivesTheDerivedLayout) {
  for (const Accepted& row : kAccepted) {
    const auto read = read_expression(row.text, row.of);
    ASSERT_TRUE(read.has_value()) << row.text << ": " << read.error().message;
    EXPECT_EQ(read->layout.device_size, row.device_size) << row.text;
    EXPECT_EQ(read->layout.stride_map, row.stride_map) << row.text;
    EXPECT_EQ(read->layout.device_dtype.name, row.dtype) << row.text;
  }
}

TEST(Expression, WithoutADerivationIsWhatParseReads) {
  for (const std::string& text : {kA, kRaw, "\n " + kA + " "}) {
    const auto read = read_expression(text, tensor({5, 70}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->layout, *parse(text));
    EXPECT_TRUE(read->notes.empty());
  }
  EXPECT_EQ(read_expression("SpyreTensorLayout(", tensor({})).error(), parse("SpyreTensorLayout(").error());
  EXPECT_EQ(read_expression(kA + " x", tensor({})).error(), parse(kA + " x").error());
}

TEST(Expression, NotesEachDerivation) {
  const auto read = read_expression(kA + ".restickify(0).rescale(torch.float32)", tensor({5, 70}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->notes,
            (std::vector<std::string>{
                "restickify(0): device_size [2, 5, 64] -> [1, 70, 64], stride_map [64, 70, 1] -> [4480, 1, 70]",
                "rescale(torch.float32): device_size [1, 70, 64] -> [1, 70, 32], stride_map [4480, 1, 70] -> [2240, 1, "
                "70]"}));
}

TEST(Expression, SaysTheArrangementOfTheResult) {
  const auto arrangement = [](const std::string& text) {
    const auto read = read_expression(text, tensor({4, 68}));
    return read ? read->layout.element_arrangement : read.error().message;
  };
  const std::string dense = "SpyreTensorLayout([4, 68], torch.float32)";
  EXPECT_EQ(arrangement(dense + ".rescale(torch.float16)"), "STANDARD");
  EXPECT_EQ(arrangement(dense + ".rescale(torch.float16, ElementArrangement.FP32_TO_DL16)"), "FP32_TO_DL16");
  EXPECT_EQ(arrangement(dense + ".rescale(torch.float16, element_arrangement=ElementArrangement.QFP8CH)"), "QFP8CH");
  // torch-spyre, test_sparse_stick_drops_staggered_ea: a stick of one element has no order to be staggered
  EXPECT_EQ(
      arrangement("SpyreTensorLayout([4, 1], torch.float32).rescale(torch.float16, ElementArrangement.FP32_TO_DL16)"),
      "STANDARD");
  EXPECT_EQ(arrangement("SpyreTensorLayout([4, 1], torch.float32).rescale(torch.float16, ElementArrangement.EXX2)"),
            "EXX2");
}

struct Refused {
  std::string text;
  map::Tensor of;
  ErrorCode code;
  std::string_view place;  // the text from there on starts with this
  std::string message;     // a part of it
};

const std::vector<Refused> kRefused = {
    {kA + ".restickify(1)", tensor({5, 70}), ErrorCode::Value, "restickify", "host dimension 1 has the stick already"},
    {kA + ".restickify(2)", tensor({5, 70}), ErrorCode::Value, "restickify",
     "2 is not a dimension of a host tensor of rank 2"},
    {"SpyreTensorLayout([5, 70], torch.float16, [0, 1, -1]).restickify(0)", tensor({5, 70}), ErrorCode::Value,
     "restickify", "the stick is sparse"},
    {"SpyreTensorLayout([70, 1, 5, 64], [1, -1, 70, -1], SEN169_FP16).restickify(0)", tensor({5, 70}), ErrorCode::Value,
     "restickify", "the stick is sparse"},
    {"SpyreTensorLayout(device_size=[2, 5, 64], dim_map=[1, 0, 1], device_dtype=SEN169_FP16).restickify(0)",
     tensor({5, 70}), ErrorCode::Value, "restickify", "expected a layout with a stride_map"},
    {"SpyreTensorLayout([2, 5, 32], [32, 70, 1], SEN169_FP16).restickify(0)", tensor({5, 64}), ErrorCode::Value,
     "restickify", "the last device dimension has 32 elements, a stick of SEN169_FP16 has 64"},
    {"SpyreTensorLayout([24, 1, 2, 64], [60, 64, 1440, 1], SEN169_FP16).restickify(0)", tensor({40, 60}),
     ErrorCode::Value, "restickify",
     "device dimension 0 has 24 positions for the 40 that host dimension 0 needs: it is tiled"},
    {"SpyreTensorLayout([38, 64], [64, 1], SEN169_FP16).restickify(0)", tensor({40, 60}), ErrorCode::Value,
     "restickify", "device dimension 0 steps by 64, and so do 0 dimensions"},
    {"SpyreTensorLayout([1, 1, 2, 5, 64], [-1, -1, 64, 70, 1], SEN169_FP16).restickify(1)", tensor({5, 1, 1, 70}),
     ErrorCode::Value, "restickify", "host dimension 1 of size 1 may be 2 device dimensions"},
    {"SpyreTensorLayout([5, 64], [70, 1], SEN169_FP16).restickify(0)", tensor({5, 70}), ErrorCode::Value, "restickify",
     "no device dimension counts the sticks of host dimension 1"},
    {kRaw + ".restickify(0)", tensor({5, 70}, List{80, 1}), ErrorCode::Value, "restickify",
     "device dimension 1 steps by 70"},
    {kRaw + ".restickify(0)", tensor({5, 70}, List{80}), ErrorCode::Shape, "restickify", "stride"},
    {kRaw + ".restickify(0)", tensor({5, 5, 70}, List{70, 70, 1}), ErrorCode::Value, "restickify",
     "and so do 2 dimensions"},
    {"SpyreTensorLayout([5, 2, 5, 64], [70, 64, 70, 1], SEN169_FP16).restickify(0)", tensor({5, 70}), ErrorCode::Value,
     "restickify", "host dimension 0 has more than one device dimension of stride 70"},
    {kRaw + ".restickify(0).resize([3, 3], old_size=[5, 70])", tensor({3, 3}), ErrorCode::Value, "restickify",
     "the size of the raw layout before the resize is not known"},
    {"SpyreTensorLayout([1, 4, 32], [32, 32, 1], IEEE_FP32).rescale(torch.float16)", tensor({4, 32}), ErrorCode::Value,
     "rescale", "1 stick(s) of 32 elements are not a whole number of 64-element sticks"},
    {"rescale_stl_for_dtype(SpyreTensorLayout([3, 4, 32], [32, 32, 1], IEEE_FP32), torch.float16)", tensor({4, 96}),
     ErrorCode::Value, "(Spyre", "3 stick(s) of 32 elements are not a whole number of 64-element sticks"},
    {kRaw + ".rescale(torch.float32)", tensor({5, 70}), ErrorCode::Value, "rescale",
     "2 stick(s) of 64 elements hold 65 to 128 of them, which may take 3 to 4 sticks of 32; say which"},
    {"SpyreTensorLayout([2, 4, 32], [32, 32, 1], IEEE_FP32).rescale(torch.float16)", tensor({4, 64}), ErrorCode::Value,
     "rescale", "device dimension 1 steps by 32, within the 33 of the stick's dimension: it is tiled"},
    {kA + ".rescale(torch.float32, extent=71)", tensor({5, 70}), ErrorCode::Value, "rescale",
     "the extent is given as 71, host dimension 1 has 70"},
    {kRaw + ".rescale(torch.float32, extent=200)", tensor({5, 70}), ErrorCode::Value, "rescale",
     "no device dimension counts the 4 stick(s) that 200 elements take"},
    {kRaw + ".rescale(torch.float32, host_size)", tensor({5, 70}), ErrorCode::Value, "rescale", "this layout is raw"},
    {kRaw + ".rescale(torch.float32, host_stride=(70, 1))", tensor({5, 70}), ErrorCode::Value, "rescale",
     "host strides without a host size"},
    {kRaw + ".rescale(torch.float32, host_size=(5, 70), host_stride=(70,))", tensor({5, 70}), ErrorCode::Shape,
     "rescale", ""},
    {kA + ".rescale(torch.float64)", tensor({5, 70}), ErrorCode::Value, "torch.float64", "no device format"},
    {kA + ".rescale(torch.float32, size=3)", tensor({5, 70}), ErrorCode::Syntax, "size", "unknown argument 'size'"},
    {kA + ".rescale(torch.float32, extent=70, stick_extent=70)", tensor({5, 70}), ErrorCode::Syntax, "stick_extent",
     "given twice"},
    {kA + ".rescale(torch.float32, (5, 70), host_size=(5, 70))", tensor({5, 70}), ErrorCode::Syntax, "host_size",
     "given twice"},
    {kA + ".rescale(torch.float32, host_size, (5, 70))", tensor({5, 70}), ErrorCode::Syntax, "(5, 70)", "given twice"},
    {kA + ".rescale(torch.float32, ElementArrangement.STANDARD, ea=ElementArrangement.STANDARD)", tensor({5, 70}),
     ErrorCode::Syntax, "ea=", "given twice"},
    {kA + ".rescale(torch.float32, extent=99999999999999999999)", tensor({5, 70}), ErrorCode::Overflow, "9999", ""},
    {kRaw + ".resize([3, 3])", tensor({3, 3}), ErrorCode::Value, "resize",
     "a raw layout does not say the size it was made for"},
    {kA + ".resize([3, 3, 3])", tensor({3, 3, 3}), ErrorCode::Shape, "resize", "3 sizes for a layout of 2"},
    {kA + ".resize([3, -3])", tensor({3, 3}), ErrorCode::Value, "resize", "the size -3 is negative"},
    {kA + ".resize([3037000500, 3037000500])", tensor({3, 3}), ErrorCode::Overflow, "resize", "64 bits"},
    {kA + ".resize([9223372036854775807, 9223372036854775807])", tensor({3, 3}), ErrorCode::Overflow, "resize",
     "64 bits"},
    {kRaw + ".resize([3, 3], old_size=[6, 70])", tensor({3, 3}), ErrorCode::Value, "resize",
     "no dim order gives this layout"},
    {"SpyreTensorLayout([1, 1, 64], [-1, -1, -1], SEN169_FP16).resize([2, 1], old_size=[1, 1])", tensor({2, 1}),
     ErrorCode::Value, "resize", "the dim orders [0, 1] and [1, 0] both give this layout to size [1, 1]"},
    {"SpyreTensorLayout([5, 60], [64, 1], torch.float16, [0, 1]).resize([5, 50])", tensor({5, 50}), ErrorCode::Value,
     "resize", "is not dense"},
    {"SpyreTensorLayout([1, 64], [-1, 1], SEN169_FP16).resize([1, 1, 1, 1, 1, 1, 1, 1], old_size=[1, 1, 1, 1, 1, 1, 1, "
     "1])",
     tensor({}), ErrorCode::Value, "resize", "up to rank 7"},
    {kA + ".transpose(0)", tensor({5, 70}), ErrorCode::Syntax, "transpose",
     "expected restickify, rescale or resize, found 'transpose'"},
    {kA + ".restickify(0", tensor({5, 70}), ErrorCode::Syntax, "", "expected ')', found the end"},
    {kA + ".restickify(0) x", tensor({5, 70}), ErrorCode::Syntax, "x", "expected the end"},
    {"SpyreTensorLayout([5, 70], torch.float61).restickify(0)", tensor({5, 70}), ErrorCode::Value, "torch.float61",
     "torch.float61"},
    {"rescale_stl_for_dtype(SpyreTensorLayout([5, x], torch.float16), torch.float32)", tensor({5, 70}),
     ErrorCode::Syntax, "x", ""},
    {"rescale_stl_for_dtype(" + kA, tensor({5, 70}), ErrorCode::Syntax, "", "expected ','"},
};

TEST(Expression, RefusesWithTheReasonAtItsPlace) {
  for (const Refused& row : kRefused) {
    const auto read = read_expression(row.text, row.of);
    ASSERT_FALSE(read.has_value()) << row.text;
    const Error& error = read.error();
    EXPECT_EQ(error.code, row.code) << row.text << ": " << error.message;
    EXPECT_NE(error.message.find(row.message), std::string::npos) << row.text << ": " << error.message;
    ASSERT_LE(error.offset, row.text.size()) << row.text;
    EXPECT_TRUE(std::string_view(row.text).substr(error.offset).starts_with(row.place))
        << row.text << ": '" << row.text.substr(error.offset) << "', " << error.message;
  }
}

TEST(Expression, OfAnExpandedOrReplicatedStickIsRefused) {
  EXPECT_FALSE(read_expression("SpyreTensorLayout([2, 64], [64, 0], SEN169_FP16).rescale(torch.float32, extent=2)",
                               tensor({2})));
  EXPECT_FALSE(read_expression("SpyreTensorLayout([2, 64], [64, 0], SEN169_FP16).restickify(0)", tensor({2}, List{0})));
}

TEST(Expression, IsReadOrRefusedForEveryPrefixOfATextAndEveryDepth) {
  std::size_t read = 0, refused = 0;
  for (const Accepted& row : kAccepted)
    for (std::size_t size = 0; size <= row.text.size(); ++size)
      ++(read_expression(row.text.substr(0, size), row.of) ? read : refused);
  EXPECT_GE(read, kAccepted.size());
  EXPECT_GT(refused, 1000U);
  std::string open, close;
  for (int depth = 0; depth < 2000; ++depth) {
    open += "rescale_stl_for_dtype(";
    close += ", torch.float16, host_size)";
  }
  const auto deep = read_expression(open + kA + close, tensor({5, 70}));
  ASSERT_FALSE(deep.has_value());
  EXPECT_NE(deep.error().message.find("at most 64"), std::string::npos);
  std::string chain = kA;
  for (int n = 0; n < 500; ++n) chain += n % 2 == 0 ? ".restickify(0)" : ".restickify(1)";
  const auto moved = read_expression(chain, tensor({5, 70}));
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(print(moved->layout), print(*parse(kA)));
}

// Numbers of every kind in the place of others: what is read must be a layout that its own raw text states.
TEST(Expression, OfMutatedTextsIsAValidLayoutOrRefused) {
  const std::vector<std::string> numbers = {"0",
                                            "1",
                                            "-1",
                                            "2",
                                            "3",
                                            "63",
                                            "64",
                                            "65",
                                            "4096",
                                            "2147483648",
                                            "4611686018427387904",
                                            "9223372036854775807",
                                            "-9223372036854775808"};
  std::size_t read = 0, refused = 0;
  test::for_all(test::fact_or_campaign(1'250, 5'000), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.below(n)); };
    const Accepted& row = kAccepted[below(kAccepted.size())];
    std::string text = row.text;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      const bool digit = text[at] >= '0' && text[at] <= '9';
      if (digit) {
        text.replace(at, 1, numbers[below(numbers.size())]);
      } else if (below(10) == 0) {
        text.erase(at, 1 + below(4));
      }
    }
    RC_LOG() << text;
    const auto derived = read_expression(text, row.of);
    ++(derived ? read : refused);
    if (!derived) return;
    const auto again = parse(print(derived->layout));
    RC_ASSERT(again.has_value());
    RC_ASSERT(print(*again) == print(derived->layout));
    (void)lower(derived->layout, row.of);  // a map, or an error
  });
  EXPECT_GT(read, test::fact_or_campaign(180U, 750U));
  EXPECT_GT(refused, test::fact_or_campaign(180U, 750U));
}

}  // namespace spyre_expression_test
}  // namespace vl::spyre
