// Strided views: places that documents give, a table of rejects, texts in logs, and random views in their two meanings.
#include "encodings/strided/strided.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "tests/support/sanitized.h"
#include "tests/support/scan.h"

namespace vl::strided {
[[nodiscard]] const use::Family& family();

namespace strided_test {

Result<use::Reading> read(const std::string& text, const std::string& tensor) {
  return family().read(text, *map::parse_tensor(tensor));
}

Index place(const std::string& text, const std::string& tensor, const Point& x) {
  const auto reading = read(text, tensor);
  EXPECT_TRUE(reading && reading->layout()) << text << ": " << (reading ? "" : reading.error().message);
  return reading && reading->layout() ? map::outputs_at(*reading->layout(), x, {})[0] : -1;
}

TEST(Strided, PlacesElementsInTheUnitOfTheNotation) {
  EXPECT_EQ(place("size=(2, 3, 4, 5), stride=(60, 1, 15, 3)", "f32[2,3,4,5]", {1, 2, 3, 4}), 119);
  EXPECT_EQ(place("memref<2x3xf32, strided<[1, 4], offset: 2>>", "f32[2,3]", {1, 2}), 11);
  EXPECT_EQ(place("memref<2x3xf32, 1>", "f32[2,3]", {1, 2}), 5);
  EXPECT_EQ(place("shape=(3, 4), strides=(32, 8), dtype=float64", "f64[3,4]", {1, 1}), 5);
  EXPECT_EQ(place("{'shape': (3, 4), 'strides': (32, 8), 'typestr': '<f8'}", "f64[3,4]", {1, 1}), 5);
  EXPECT_EQ(place("(3, 4), strides (32, 8) elements", "f64[3,4]", {1, 1}), 40);
  EXPECT_EQ(place("(3, 4), strides (32, 8) bytes", "f64[3,4]", {1, 1}), 5);
  EXPECT_EQ(place("DLTensor(shape=[3, 4], strides=[4, 1], dtype=float64, byte_offset=16)", "f64[3,4]", {1, 1}), 7);
  EXPECT_EQ(place("ne=[4, 3], nb=[2, 8]", "f16[3,4]", {1, 1}), 5);
  EXPECT_EQ(place("torch.Size([3, 4]), stride (1, 3), storage_offset 2", "f64[3,4]", {1, 1}), 6);
  EXPECT_EQ(place("FixedLayout('cuda:0', torch.float16, size=[3, 4], stride=[4, 1], offset=8)", "f16[3,4]", {1, 1}),
            13);
  EXPECT_EQ(place("size=(2, 3), stride=(-3, 1), storage_offset=3", "u8[2,3]", {1, 2}), 2);
  EXPECT_EQ(place("size=(2, 3, 4, 5, 6), memory_format=NDHWC", "u8[2,3,4,5,6]", {0, 1, 0, 0, 1}), 4);
}

TEST(Strided, TakesStepsAsPyTorchDoes) {
  EXPECT_EQ(place("torch.arange(24).view(2, 3, 4)[1, ..., 1:]", "u8[3,3]", {1, 1}), 18);
  EXPECT_EQ(place("torch.arange(24).view(2, -1)[None, :, ::5]", "u8[1,2,3]", {0, 1, 2}), 22);
  EXPECT_EQ(place("torch.empty(2, 3, 4).mT.flatten(0, 1)", "u8[8,3]", {3, 2}), 11);
  EXPECT_EQ(place("torch.empty(2, 3, 4).permute(2, 0, 1).reshape(4, 6)", "u8[4,6]", {1, 4}), 17);
  EXPECT_EQ(place("torch.empty(2, 3, 4).permute(2, 0, 1).reshape(8, 3)", "u8[8,3]", {3, 2}), 11) << "a copy";
  EXPECT_EQ(place("torch.empty(2, 3).t().reshape(6)", "u8[6]", {4}), 4) << "a copy";
  EXPECT_EQ(place("torch.empty(1, 3).expand(2, 5, -1)", "u8[2,5,3]", {1, 4, 2}), 2);
  EXPECT_EQ(place("np.empty((2, 3, 4)).transpose(2, 0, 1)", "u8[4,2,3]", {3, 1, 2}), 23);
  EXPECT_EQ(place("torch.empty(4, 6).narrow(1, 2, 3).select(0, -1)", "u8[3]", {1}), 21);
  EXPECT_EQ(place("torch.empty(4, 6).as_strided((2, 2), (6, 12), 3)", "u8[2,2]", {1, 1}), 21);
  EXPECT_EQ(place("torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)", "u8[2,3,4,5]", {1, 2, 3, 4}), 119);
  EXPECT_EQ(place("torch.randn(2, 3, dtype=torch.float16, device='cuda', requires_grad=True).t()", "f16[3,2]", {2, 1}),
            5);
  EXPECT_EQ(place("torch.as_strided(b, (2, 3), (1, 2), storage_offset=4)", "u8[2,3]", {1, 2}), 9);
  EXPECT_EQ(place("torch.empty(4, 1, 6).squeeze().unsqueeze(0).swapdims(1, 2)", "u8[1,6,4]", {0, 5, 3}), 23);
}

TEST(Strided, RejectsWhatIsNoView) {
  struct Reject {
    std::string text, tensor;
    std::size_t offset;
    std::string says;
  };
  for (const Reject& reject : {Reject{"size=(2, 3), stride=(3)", "u8[2,3]", 13, "1 stride for 2 sizes"},
                               {"size=(2, 3), stride=(3, 1", "u8[2,3]", 25, "expected ','"},
                               {"size=(2, 3), size=(2, 3)", "u8[2,3]", 13, "stated twice"},
                               {"shape=(3, 4), strides=(32, 8)", "f64[3,4]", 14, "the unit of 'strides' is not stated"},
                               {"size=(4, 3), stride=(1, 4).view(12)", "u8[12]", 26, "its dimensions do not join"},
                               {"size=(4, 3), stride=(3, 1)[4]", "u8[3]", 26, "index 4 of a size of 4"},
                               {"size=(4, 3), stride=(3, 1).diagonal()", "u8[3]", 26, ".diagonal of 0 arguments"},
                               {"size=(4, 3), stride=(3, 1).real", "u8[4,3]", 26, "expected the end"},
                               {"size=(2, 3), stride=(-3, 1)", "u8[2,3]", 0, "the lowest place is -3"},
                               {"memref<2x3xf32, #map>", "f32[2,3]", 16, "other layout maps are not read"},
                               {"np.zeros((3, 4), order='F')", "u8[3,4]", 17, "argument order= is not read"},
                               {"np.zeros((3, 4), np.float32, 'F')", "f32[3,4]", 29, "argument 'F' is not read"},
                               {"torch.zeros(2, 3, layout=torch.sparse_csr)", "u8[2,3]", 18, "argument layout="},
                               {"torch.empty(2, 3, out=x)", "u8[2,3]", 18, "argument out= is not read"},
                               {"torch.arange(2, 14)", "u8[2,14]", 13, "arange of 2 numbers is not read"},
                               {"as_strided(b, (2, 3), (1, 2), 4, 5)", "u8[2,3]", 33, "argument 5 is not read"},
                               {"np.lib.stride_tricks.as_strided(b, (2, 3), (1, 2))", "u8[2,3]", 32, "are bytes"},
                               {"np.zeros((3, 4), np.float32)", "f64[3,4]", 0, "the text states elements of f32"},
                               {"size=(2, 3), stride=(3, 1)", "u8[3,2]", 0, "the tensor is [3, 2]"}}) {
    const auto reading = read(reject.text, reject.tensor);
    ASSERT_FALSE(reading.has_value()) << reject.text;
    EXPECT_EQ(reading.error().offset, reject.offset) << reject.text << ": " << reading.error().message;
    EXPECT_NE(reading.error().message.find(reject.says), std::string::npos) << reading.error().message;
  }
  for (const char* text : {"memref<?x3xf32, strided<[?, 1], offset: ?>>", "size=(M, 3), stride=(3, 1)"}) {
    const auto reading = read(text, "f32[2,3]");
    ASSERT_TRUE(reading.has_value()) << reading.error().message;
    EXPECT_NE(reading->undecidable(), nullptr) << text;
  }
}

TEST(Strided, IsFoundInLogs) {
  using test::found_in;
  using test::Lines;
  EXPECT_EQ(found_in("12:03 buf0: size=(2, 3), stride=(3, 1), dtype=torch.float16. Then"),
            Lines{"1:13 size=(2, 3), stride=(3, 1), dtype=torch.float16 | f16[2,3]"});
  EXPECT_EQ(found_in("layout=FixedLayout('cuda:0', torch.float32, size=[16, s0], stride=[s0, 1])\n"),
            Lines{"1:8 FixedLayout('cuda:0', torch.float32, size=[16, s0], stride=[s0, 1]) | f32[16,s0]"});
  EXPECT_EQ(found_in("  buf1 = empty_strided_cuda((4, 8), (8, 1), torch.float16)\n"),
            Lines{"1:10 empty_strided_cuda((4, 8), (8, 1), torch.float16) | f16[4,8]"});
  EXPECT_EQ(found_in("%v = memref.subview %a : memref<8x8xf32> to memref<2x3xf32, strided<[8, 1], offset: 9>>"),
            Lines{"1:45 memref<2x3xf32, strided<[8, 1], offset: 9>> | f32[2,3]"});
  for (const char* text :
       {"x = torch.zeros(2, 3)", "%a : memref<8x8xf32>", "F.avg_pool2d(x, size=(2, 2), stride=(2, 2))",
        "expanded: size=(4, 3), stride=(0, 1)", "random.normal(size=(2, 3))", "x: kernel_size=(3, 3), stride=(2, 2)",
        "make_block_ptr(base, shape=(M, N), strides=(sm, sn), offsets=(0, 0))",
        "memref<?x3xf32, strided<[?, 1], offset: ?>> here"})
    EXPECT_EQ(found_in(text), Lines{}) << text;
}

// Numbers between brackets.
std::string list(const std::vector<Index>& numbers) { return fmt::format("({})", fmt::join(numbers, ", ")); }

// A view of up to four dimensions, and up to four steps; what cannot be is refused by the reader.
std::string drawn(use::Random& random) {
  std::vector<Index> size, stride;
  for (Index rank = random.between(1, 4); rank > 0; --rank) {
    size.push_back(random.between(1, 6));
    stride.push_back(random.chance(60) ? 1 : random.between(0, 30));
  }
  for (std::size_t k = size.size() - 1; k-- > 0;)
    if (random.chance(70)) stride[k] = stride[k + 1] * size[k + 1];
  std::string text = fmt::format("reinterpret_tensor(b, {}, {}, {})", list(size), list(stride), random.below(9));
  for (Index steps = random.between(0, 4); steps > 0; --steps) {
    const Index a = random.between(-2, 3), b = random.between(0, 3), n = random.between(1, 8);
    switch (random.below(11)) {
      case 0: text += fmt::format(".transpose({}, {})", a, b); break;
      case 1: text += fmt::format(".{}({}, -1)", random.chance(50) ? "view" : "reshape", n); break;
      case 2: text += ".flatten()"; break;
      case 3: text += fmt::format("[{}:{}]", a, n); break;
      case 4: text += fmt::format("[..., ::{}]", b + 1); break;
      case 5: text += fmt::format(".select({}, {})", b, a); break;
      case 6: text += fmt::format(".narrow({}, {}, {})", a, b, n); break;
      case 7: text += ".contiguous()"; break;
      case 8: text += fmt::format(".unsqueeze({})", a); break;
      case 9: text += random.chance(50) ? ".squeeze()" : ".T"; break;
      case 10: text += fmt::format(".movedim({}, {})", a, b); break;
    }
  }
  return text;
}

TEST(Strided, OfRandomStepsHasItsTwoMeaningsAlike) {
  const auto all = use::references();
  const auto found = std::ranges::find(all, "strided", [](const auto* each) { return each->family; });
  ASSERT_NE(found, all.end());
  Index elements = 0, views = 0, refused = 0;
  for (Index index = 0; index < test::fact_or_campaign(1'000, 100'000); ++index) {
    use::Random random(20261201, 51, static_cast<std::uint64_t>(index));
    const std::string text = drawn(random);
    use::Numbers<Index> numbers(text);
    const auto said = take_said(numbers, std::nullopt);
    ASSERT_FALSE(numbers.in.failed()) << text << ": " << numbers.in.error().message;
    if (said.wrong) {
      ++refused;
      continue;
    }
    const map::Tensor tensor{map::ElementType::U8, said.view.size};
    const auto reading = family().read(text, tensor);
    ASSERT_TRUE(reading && reading->layout()) << text << ": " << (reading ? "" : reading.error().message);
    const auto slots = (*found)->slots(text, tensor);
    ASSERT_TRUE(slots) << text;
    ++views;
    const map::Layout& layout = *reading->layout();
    if (layout.logical().volume() == 0) continue;
    Point x(tensor.size.size(), 0);
    do {
      const Point at = map::outputs_at(layout, x, {});
      ASSERT_TRUE(layout.is_slot(at)) << text;
      ASSERT_EQ(std::vector<Point>{at}, (*slots)(x)) << text << fmt::format(" [{}]", fmt::join(x, ","));
      ++elements;
    } while (map::advance(layout.logical(), x));
  }
  EXPECT_GT(views, test::fact_or_campaign(300, 30'000));
  EXPECT_GT(refused, test::fact_or_campaign(100, 10'000));
  EXPECT_GT(elements, test::fact_or_campaign(5'000, 500'000));
}

}  // namespace strided_test
}  // namespace vl::strided
