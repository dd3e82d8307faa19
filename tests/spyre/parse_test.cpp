// Texts to layouts: every spelling that torch-spyre prints or constructs, and the places of errors in wrong ones.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace spyre_parse_test {

using List = std::vector<Index>;

struct Accepted {
  const char* text;
  List device_size;
  List stride_map;
  List dim_map;
  const char* dtype;
  const char* arrangement = "STANDARD";
};

const std::vector<Accepted> kAccepted = {
    // as printed, with the space before '=' and without
    {"SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
     "device_dtype=DataFormats.SEN169_FP16)",
     {100, 3, 5, 64},
     {150, 64, 15000, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, 1], device_dtype=DataFormats.SEN169_FP16)",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_dtype=IEEE_FP32, stride_map=[32, 1], device_size=[2, 32])",
     {2, 32},
     {32, 1},
     {},
     "IEEE_FP32"},
    // tuples and lists, white space, commas
    {"SpyreTensorLayout(device_size=(4, 512, 64,), stride_map=(64, 256, 1,), device_dtype=DataFormats.SEN169_FP16,)",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=(64,), stride_map=[1], device_dtype=BFLOAT16)", {64}, {1}, {}, "BFLOAT16"},
    {" \t\r\n SpyreTensorLayout ( device_size = [ 2 , 64 ] ,\n stride_map\t=\r\n[ +64 , -1 ] , device_dtype = SENINT8 "
     ") \n ",
     {2, 64},
     {64, -1},
     {},
     "SENINT8"},
    {"SpyreTensorLayout(device_size=[2,64],stride_map=[64,1],device_dtype=SEN169_FP16)",
     {2, 64},
     {64, 1},
     {},
     "SEN169_FP16"},
    // the older dim_map, alone and beside a stride_map
    {"SpyreTensorLayout(device_size=[100, 3, 5, 64], dim_map =[1, 2, 0, 2], device_dtype=DataFormats.SEN169_FP16)",
     {100, 3, 5, 64},
     {},
     {1, 2, 0, 2},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=[100, 3, 5, 64], dim_map =[1, 2, 0, 2], num_stick_dims=1, "
     "format=StickFormat.Dense, "
     "device_dtype=DataFormats.SEN169_FP16)",
     {100, 3, 5, 64},
     {},
     {1, 2, 0, 2},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=[2, 256, 64], dim_map =[1, 0, 1], stride_map =[64, 128, 1], "
     "device_dtype=DataFormats.SEN169_FP16)",
     {2, 256, 64},
     {64, 128, 1},
     {1, 0, 1},
     "SEN169_FP16"},
    // element_arrangement
    {"SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=SEN169_FP16, "
     "element_arrangement=ElementArrangement.STANDARD)",
     {2, 64},
     {64, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=SEN169_FP16, element_arrangement=EXX2)",
     {2, 64},
     {64, 1},
     {},
     "SEN169_FP16",
     "EXX2"},
    {"SpyreTensorLayout([2, 64], [64, 1], DataFormats.SEN169_FP16, ElementArrangement.DL16_TO_FP32)",
     {2, 64},
     {64, 1},
     {},
     "SEN169_FP16",
     "DL16_TO_FP32"},
    {"SpyreTensorLayout(\n            [256, 64], (64, 1), torch.float16, [1, 0], ElementArrangement.EXX2\n        )",
     {4, 64, 64},
     {4096, 1, 64},
     {},
     "SEN169_FP16",
     "EXX2"},
    // the raw constructor
    {"SpyreTensorLayout([4, 512, 64], [64, 256, 1], DataFormats.SEN169_FP16)",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([4, 512, 64], [64, 256, 1], get_device_dtype(torch.float16))",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([1, 60, 32], [3840, 1, 60], get_device_dtype(torch.int64))",
     {1, 60, 32},
     {3840, 1, 60},
     {},
     "IEEE_INT32"},
    {"SpyreTensorLayout([4, 512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)",
     {4, 512, 64},
     {64, 256, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([512, 1, 1, 64], [4096, -1, -1, 1], device_dtype=BOOL)",
     {512, 1, 1, 64},
     {4096, -1, -1, 1},
     {},
     "BOOL"},
    {"SpyreTensorLayout([1, 512, 64], [64, 0, 1], DataFormats.SEN169_FP16)",
     {1, 512, 64},
     {64, 0, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([0, 3, 64], [64, 64, 1], DataFormats.SEN169_FP16)", {0, 3, 64}, {64, 64, 1}, {}, "SEN169_FP16"},
    // (size, dtype[, order])
    {"SpyreTensorLayout((5, 100, 150), torch.float16)", {100, 3, 5, 64}, {150, 64, 15000, 1}, {}, "SEN169_FP16"},
    {"SpyreTensorLayout([512, 256], torch.float16)", {4, 512, 64}, {64, 256, 1}, {}, "SEN169_FP16"},
    {"SpyreTensorLayout((128,), torch.float16)", {2, 64}, {64, 1}, {}, "SEN169_FP16"},
    {"SpyreTensorLayout([], torch.float16)", {1, 64}, {-1, -1}, {}, "SEN169_FP16"},
    {"SpyreTensorLayout((), torch.float32)", {1, 32}, {-1, -1}, {}, "IEEE_FP32"},
    {"SpyreTensorLayout((5, 100, 150), torch.float16, [1,0,2])",
     {5, 3, 100, 64},
     {15000, 64, 150, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([512, 256], torch.float16, [0, 1, -1])",
     {256, 1, 512, 64},
     {1, -1, 256, -1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout((5, 100, 150), dtype=torch.float16, dim_order=[1, 0, 2])",
     {5, 3, 100, 64},
     {15000, 64, 150, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(size=(4, 64), dtype=torch.float32)", {2, 4, 32}, {32, 64, 1}, {}, "IEEE_FP32"},
    {"SpyreTensorLayout([3, 256], torch.uint8)", {8, 3, 32}, {32, 256, 1}, {}, "SENUINT32"},
    // (size, strides, dtype, order)
    {"SpyreTensorLayout((5, 100, 150), (15000, 150, 1), torch.float16, [1, 0, 2])",
     {5, 3, 100, 64},
     {15000, 64, 150, 1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([512, 256], [256, 1], torch.float16, [0, 1, -1])",
     {256, 1, 512, 64},
     {1, -1, 256, -1},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout(\n            [512, 8, 256], [2048, 256, 1], torch.float16, [2, 1, 0]\n        )",
     {8, 8, 256, 64},
     {256, 131072, 1, 2048},
     {},
     "SEN169_FP16"},
    {"SpyreTensorLayout([128], [1], torch.float16, [0])", {2, 64}, {64, 1}, {}, "SEN169_FP16"},
    {"SpyreTensorLayout([4, 63], strides=[1, 4], dtype=torch.float16, dim_order=[1, 0])",
     {1, 63, 64},
     {64, 4, 1},
     {},
     "SEN169_FP16"},
};

TEST(Parse, ReadsEverySpelling) {
  for (const Accepted& row : kAccepted) {
    const auto layout = parse(row.text);
    ASSERT_TRUE(layout.has_value()) << row.text << ": " << layout.error().message;
    EXPECT_EQ(layout->device_size, row.device_size) << row.text;
    EXPECT_EQ(layout->stride_map, row.stride_map) << row.text;
    EXPECT_EQ(layout->dim_map, row.dim_map) << row.text;
    EXPECT_EQ(layout->device_dtype.name, row.dtype) << row.text;
    EXPECT_EQ(layout->element_arrangement, row.arrangement) << row.text;
  }
}

TEST(Parse, RemembersWhatTheConstructorWasGiven) {
  EXPECT_EQ(parse("SpyreTensorLayout((2, 3), torch.float16)")->host_size, (List{2, 3}));
  EXPECT_EQ(parse("SpyreTensorLayout([2, 64], [64, 1], SEN169_FP16)")->host_size, std::nullopt);
  EXPECT_EQ(parse("SpyreTensorLayout((2, 3), (1, 2), torch.float16, [0, 1])")->host_strides, (List{1, 2}));
  EXPECT_EQ(parse("SpyreTensorLayout((2, 3), torch.float16)")->host_strides, std::nullopt);
}

TEST(Parse, RefusesEveryProperPrefixOfAText) {
  for (const Accepted& row : kAccepted) {
    std::string text = row.text;
    while (text.back() == ' ' || text.back() == '\n') text.pop_back();
    for (std::size_t length = 0; length < text.size(); ++length) {
      const auto layout = parse(std::string_view(text).substr(0, length));
      ASSERT_FALSE(layout.has_value()) << text.substr(0, length);
      ASSERT_LE(layout.error().offset, length);
    }
  }
}

TEST(Parse, NeverThrowsOnAMutatedText) {
  std::size_t accepted = 0;
  std::size_t rejected = 0;
  for (const Accepted& row : kAccepted) {
    const std::string text = row.text;
    for (std::size_t i = 0; i < text.size(); ++i)
      for (const char c : {'\0', '(', ']', ',', '-', '9', '=', '\x80'}) {
        std::string mutated = text;
        mutated[i] = c;
        const auto layout = parse(mutated);
        ++(layout ? accepted : rejected);
        ASSERT_TRUE(layout || layout.error().offset <= mutated.size()) << mutated;
      }
  }
  EXPECT_GT(accepted, 100U);
  EXPECT_GT(rejected, 10000U);
}

// ---- print

TEST(Print, IsTheFormThatTorchSpyrePrints) {
  const std::string text =
      "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
      "device_dtype=DataFormats.SEN169_FP16)";
  EXPECT_EQ(print(*parse(text)), text);
  const std::string older =
      "SpyreTensorLayout(device_size=[100, 3, 5, 64], dim_map =[1, 2, 0, 2], device_dtype=DataFormats.SEN169_FP16)";
  EXPECT_EQ(print(*parse(older)), older);
  EXPECT_EQ(print(*parse("SpyreTensorLayout((5, 100, 150), torch.float16)")), text);
}

TEST(Print, IsReadAgainAsTheSameLayout) {
  for (const Accepted& row : kAccepted) {
    SpyreTensorLayout layout = *parse(row.text);
    layout.host_size.reset();  // what the constructor was given is not part of the raw form
    layout.host_strides.reset();
    layout.dim_order.reset();
    if (!layout.stride_map.empty()) layout.dim_map.clear();  // a dim_map beside a stride_map means nothing
    const auto again = parse(print(layout));
    ASSERT_TRUE(again.has_value()) << print(layout);
    EXPECT_EQ(*again, layout) << row.text;
    EXPECT_EQ(print(*again), print(layout));
  }
}

SpyreTensorLayout random_raw() {
  constexpr std::string_view kFormats[] = {"SEN169_FP16", "IEEE_FP32",  "SENINT8", "SENINT4",
                                           "SENUINT2",    "IEEE_INT64", "BOOL"};
  constexpr std::string_view kArrangements[] = {"STANDARD", "DL16_TO_FP32", "QFP8CH", "EXX2"};
  const auto rank = *rc::gen::inRange<std::size_t>(1, 9);
  SpyreTensorLayout layout;
  layout.device_size = *rc::gen::container<List>(rank, rc::gen::inRange<Index>(0, 100));
  const auto entries = *rc::gen::container<List>(
      rank, rc::gen::oneOf(rc::gen::inRange<Index>(-1, 10), rc::gen::inRange<Index>(0, Index{1} << 62)));
  (*rc::gen::arbitrary<bool>() ? layout.stride_map : layout.dim_map) = entries;
  layout.device_dtype = *device_format(kFormats[*rc::gen::inRange<std::size_t>(0, std::size(kFormats))]);
  layout.element_arrangement = kArrangements[*rc::gen::inRange<std::size_t>(0, std::size(kArrangements))];
  return layout;
}

RC_GTEST_PROP(Print, IsReadAgainAsTheSameLayoutWhateverItIs, ()) {
  const SpyreTensorLayout layout = random_raw();
  const auto again = parse(print(layout));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == layout);
}

RC_GTEST_PROP(Parse, DoesNotCareAboutWhiteSpaceBetweenTokens, ()) {
  const SpyreTensorLayout layout = random_raw();
  std::string text;
  for (const char c : print(layout)) {
    const bool token = std::string_view("()[],=").find(c) != std::string_view::npos;
    if (token) text += *rc::gen::element<std::string>("", " ", "\n\t", "\r\n  ");
    text += c;
    if (token) text += *rc::gen::element<std::string>("", " ", "\t");
  }
  const auto again = parse(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == layout);
}

}  // namespace spyre_parse_test
}  // namespace vl::spyre
