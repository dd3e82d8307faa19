// XLA's tiled layouts: places that its documents and tests give, a table of rejects, HLO text, and random shapes in
// their two meanings.
#include "encodings/xla/xla.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "tests/support/sanitized.h"
#include "tests/support/scan.h"

namespace vl::xla_test {

// The shape alone, without what stands in braces, as a tensor.
std::string tensor_of(const std::string& text) { return text.substr(0, text.find(']') + 1); }

Result<use::Reading> read(const std::string& text, const std::string& tensor) {
  return xla::family().read(text, *map::parse_tensor(tensor));
}

Index place(const std::string& text, const Point& x) {
  const auto reading = read(text, tensor_of(text));
  EXPECT_TRUE(reading && reading->layout()) << text << ": " << (reading ? "" : reading.error().message);
  return reading && reading->layout() ? map::outputs_at(*reading->layout(), x, {})[0] : -1;
}
Index slots(const std::string& text) {
  const auto reading = read(text, tensor_of(text));
  EXPECT_TRUE(reading && reading->layout()) << text << ": " << (reading ? "" : reading.error().message);
  return reading && reading->layout() ? reading->layout()->physical().volume() : -1;
}

// openxla/xla, docs/tiled_layout.md.
TEST(Xla, PutsElementsWhereTheDocumentDoes) {
  EXPECT_EQ(place("f32[3,5]{1,0:T(2,2)}", {2, 3}), 17);
  EXPECT_EQ(slots("f32[3,5]{1,0:T(2,2)}"), 24);
  const std::string nested = "f32[4,8]{1,0:T(2,4)(2,1)}";
  EXPECT_EQ(place(nested, {1, 0}), 1);
  EXPECT_EQ(place(nested, {0, 1}), 2);
  EXPECT_EQ(place(nested, {1, 4}), 9);
  EXPECT_EQ(place(nested, {2, 0}), 16);
  EXPECT_EQ(place(nested, {3, 7}), 31);
  const std::string across = "f32[8,8]{1,0:T(2,4)(2,1,1,1)}";  // the second tile goes over the first one's
  EXPECT_EQ(place(across, {6, 5}), 51);
  EXPECT_EQ(place(across, {2, 0}), 1);
  EXPECT_EQ(place(across, {0, 4}), 16);
  const std::string joined = "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}";
  EXPECT_EQ(place(joined, {1, 6, 7, 10, 9}), 12430);
  EXPECT_EQ(place(joined, {0, 0, 1, 0, 0}), 3);
  EXPECT_EQ(place(joined, {0, 0, 0, 1, 0}), 19);
  EXPECT_EQ(place(joined, {1, 0, 0, 0, 0}), 6216);
  EXPECT_EQ(slots(joined), 12432);
  const std::string packed = "bf16[32,256]{1,0:T(8,128)(2,1,1,1)}";
  EXPECT_EQ(place(packed, {8, 0}), 1);
  EXPECT_EQ(place(packed, {0, 1}), 2);
  EXPECT_EQ(place(packed, {0, 128}), 2048);
  EXPECT_EQ(place(packed, {16, 0}), 4096);
}

// openxla/xla, xla/layout_util_test.cc, and rows worked out by the document's rule.
TEST(Xla, PutsElementsWhereTheTestsOfXlaDo) {
  const std::string batch = "bf16[2,8,128]{2,1,0:T(8,128)(2,1)}";
  EXPECT_EQ(place(batch, {0, 2, 0}), 256);
  EXPECT_EQ(place(batch, {0, 1, 5}), 11);
  EXPECT_EQ(place(batch, {1, 0, 0}), 1024);
  EXPECT_EQ(place("f32[8]{0:T(2,2)}", {5}), 9);
  EXPECT_EQ(place("f32[8]{0:T(2,2)}", {7}), 13);
  EXPECT_EQ(slots("f32[8]{0:T(2,2)}"), 16);
  EXPECT_EQ(slots("f32[3]{0:T(8,128)}"), 1024);
  EXPECT_EQ(place("f32[24,128]{1,0:T(8,128)}", {9, 5}), 1157);
  EXPECT_EQ(place("f32[5,3]{0,1:T(2,2)}", {0, 1}), 2) << "the tile is of physical dimensions";
  EXPECT_EQ(place("f32[5,3]{0,1:T(2,2)}", {4, 2}), 20);
  EXPECT_EQ(place("bf16[9,130]{1,0:T(8,128)(2,1)}", {8, 129}), 3074);
  EXPECT_EQ(slots("f32[100]{0:T(8)L(1024)}"), 1024) << "L rounds up";
  EXPECT_EQ(place("f32[3,7,300]{2,0,1:T(8,128)}", {2, 6, 299}), 20779);
  EXPECT_EQ(slots("f32[3,7,300]{2,0,1:T(8,128)}"), 21504);
  EXPECT_EQ(place("f32[5,6]{1,0:T(*,4)}", {4, 5}), 29);
  EXPECT_EQ(slots("f32[5,6]{1,0:T(*,4)}"), 32);
  EXPECT_EQ(place("f32[9]{0:T(4)(2)}", {8}), 8);
  EXPECT_EQ(slots("f32[9]{0:T(4)(2)}"), 12);
  EXPECT_EQ(place("f32[2,3,4,5]{3,2,1,0:T(2,2,2)}", {1, 2, 3, 4}), 186);
  // A later tile that does not divide the first one: it has padding inside.
  EXPECT_EQ(place("f32[8,4]{1,0:T(4,4)(3,1)}", {3, 3}), 21);
  EXPECT_EQ(place("f32[8,4]{1,0:T(4,4)(3,1)}", {7, 3}), 45);
  EXPECT_EQ(slots("f32[8,4]{1,0:T(4,4)(3,1)}"), 48);
  // The dimension of size 1 decides about the padding.
  EXPECT_EQ(slots("f32[8,128,1]{2,1,0:T(8,128)}"), 131072);
  EXPECT_EQ(slots("f32[8,128,1]{1,2,0:T(8,128)}"), 8192);
  EXPECT_EQ(slots("f32[8,128,1]{1,0,2:T(8,128)}"), 1024);
  EXPECT_EQ(slots("f32[]{:T(128)}"), 128) << "a scalar";
  EXPECT_EQ(slots("f32[0,5]{1,0:T(8,128)}"), 0);
}

TEST(Xla, KnowsTheBitsOfAnElementOnTheDevice) {
  const auto bits = [](const std::string& text, const std::string& tensor) {
    const auto reading = read(text, tensor);
    EXPECT_TRUE(reading.has_value()) << text;
    return reading ? reading->device_bits : 0;
  };
  EXPECT_EQ(bits("s4[5,3]{1,0:E(4)}", "i4[5,3]"), 4);
  EXPECT_EQ(bits("s4[5,3]{1,0}", "i4[5,3]"), 8) << "a byte each";
  EXPECT_EQ(bits("pred[8,8,8]{0,2,1:T(8,128)E(32)}", "bool[8,8,8]"), 32);
  EXPECT_EQ(bits("bf16[8,8]{1,0:S(1)}", "bf16[8,8]"), 16);
}

TEST(Xla, RejectsWhatXlaDoes) {
  struct Reject {
    std::string text, tensor;
    std::size_t offset;
    std::string says;
  };
  for (const Reject& reject :
       {Reject{"f32[4,4]{0,0}", "f32[4,4]", 9, "minor_to_major is {0,0}"},
        {"f32[4,4]{1}", "f32[4,4]", 9, "minor_to_major is {1}"},
        {"f32[4,4]{1,0:T(0,2)}", "f32[4,4]", 15, "a tile size of 0"},
        {"f32[4,4]{1,0:T(-2,2)}", "f32[4,4]", 15, "a tile size of -2"},
        {"f32[4,4]{1,0:T(2,*)}", "f32[4,4]", 18, "'*' is the last size of a tile"},
        {"f32[4,8]{0,1:T(2,4)D(D,D)}", "f32[4,8]", 19, "expected"},
        {"f32[4,8]{0,1:T(2,4)T(2,1)}", "f32[4,8]", 19, "expected"},
        {"f32[4,8]{0,1:S(1)E(4)}", "f32[4,8]", 17, "expected"},
        {"f32[4,8]{1,0:T(2,4)", "f32[4,8]", 19, "expected"},
        {"f32[4,8]{1,0}", "f32[4,9]", 0, "dimension 1 of the tensor is 9; the text states 8"},
        {"f32[4,8]{1,0}", "bf16[4,8]", 0, "the tensor has elements of type bf16; the text states f32"},
        {"f32[4,8]{1,0}", "f32[4]", 0, "the tensor has 1 dimension; the text states 2"}}) {
    const auto reading = read(reject.text, reject.tensor);
    ASSERT_FALSE(reading.has_value()) << reject.text;
    EXPECT_EQ(reading.error().offset, reject.offset) << reject.text << ": " << reading.error().message;
    EXPECT_NE(reading.error().message.find(reject.says), std::string::npos) << reading.error().message;
  }
  EXPECT_TRUE(read("f32[4,8]{0,1:D(D,D)T(2,4)}", "f32[4,8]").has_value()) << "D is read and says nothing";
  for (const auto& [text, tensor] : {std::pair{"f32[<=8,4]{1,0:T(8,128)}", "f32[8,4]"},
                                     {"f32[8,4]{1,0:SC(0:4)}", "f32[8,4]"},
                                     {"f32[8,4]{1,0:T(8,128)M(32)}", "f32[8,4]"},
                                     {"f32[2,3,4]{2,1,0:T(2,4)(*,2,1)}", "f32[2,3,4]"}}) {
    const auto reading = read(text, tensor);
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    EXPECT_NE(reading->undecidable(), nullptr) << text;
  }
}

TEST(Xla, IsFoundInHlo) {
  using test::found_in;
  using test::Lines;
  EXPECT_EQ(
      found_in("  %dot.3 = f32[128,64]{1,0:T(8,128)} dot(bf16[128,256]{1,0:T(8,128)(2,1)} %a, %b), metadata={}"),
      (Lines{"1:12 f32[128,64]{1,0:T(8,128)} | f32[128,64]", "1:42 bf16[128,256]{1,0:T(8,128)(2,1)} | bf16[128,256]"}));
  EXPECT_EQ(found_in("ROOT %t = (s32[], f32[4,4]{0,1}) tuple(%i, %x)"), Lines{"1:19 f32[4,4]{0,1} | f32[4,4]"});
  for (const char* text : {"int a = f32[n]{0};", "x = u8[i] + 1", "tensor<f32[4]>", "returns s32[]"})
    EXPECT_EQ(found_in(text), Lines{}) << text;
}

// A shape of up to five dimensions, with up to three tiles.
std::string drawn(use::Random& random) {
  std::vector<Index> dims, order;
  for (Index rank = random.between(0, 5); rank > 0; --rank) dims.push_back(random.between(1, 7));
  order.resize(dims.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[std::size_t(random.below(Index(k)))]);
  std::string tiles;
  for (Index count = random.between(0, 3), first = count; count > 0; --count) {
    tiles += tiles.empty() ? ":T(" : "(";
    for (Index size = random.between(1, 4); size > 0; --size) {
      const bool joins = size > 1 && count == first && random.chance(20);
      tiles += (joins ? "*" : std::to_string(random.between(1, 5))) + (size > 1 ? "," : ")");
    }
  }
  return fmt::format("u8[{}]{{{}{}}}", fmt::join(dims, ","), fmt::join(order, ","), tiles);
}

TEST(Xla, OfRandomShapesHasItsTwoMeaningsAlike) {
  const auto all = use::references();
  const auto found = std::ranges::find(all, "xla", [](const auto* each) { return each->family; });
  ASSERT_NE(found, all.end());
  Index elements = 0;
  for (Index index = 0; index < test::fact_or_campaign(500, 20'000); ++index) {
    use::Random random(20261201, 52, static_cast<std::uint64_t>(index));
    const std::string text = drawn(random), shape = tensor_of(text);
    const map::Tensor tensor = *map::parse_tensor(shape);
    const auto reading = xla::family().read(text, tensor);
    ASSERT_TRUE(reading && reading->layout()) << text << ": " << (reading ? "" : reading.error().message);
    const auto places = (*found)->slots(text, tensor);
    ASSERT_TRUE(places) << text;
    const map::Layout& layout = *reading->layout();
    Point x(tensor.size.size(), 0);
    do {
      const Point at = map::outputs_at(layout, x, {});
      ASSERT_TRUE(layout.is_slot(at)) << text;
      ASSERT_EQ(std::vector<Point>{at}, (*places)(x)) << text << fmt::format(" [{}]", fmt::join(x, ","));
      ++elements;
    } while (map::advance(layout.logical(), x));
  }
  EXPECT_GT(elements, test::fact_or_campaign(10'000, 400'000));
}

}  // namespace vl::xla_test
