// Matrix descriptors: bits, places that PTX's tables and public constants give, a table of rejects, and random ones in
// their two meanings.
#include "encodings/descriptor/operand.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/map/layout.h"
#include "encodings/use/family.h"
#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "tests/support/sanitized.h"

namespace vl::descriptor {
namespace descriptor_operand_test {

map::Tensor tensor_of(const std::string& text) { return *map::parse_tensor(text); }

Operand read(const std::string& text) {
  const auto out = parse(text);
  EXPECT_TRUE(out.has_value()) << text << ": " << out.error().message;
  return out ? *out : Operand{};
}

Index slot(const std::string& text, const std::string& tensor, Index mn, Index k) {
  const auto layout = lower(read(text), tensor_of(tensor));
  EXPECT_TRUE(layout.has_value()) << text << ": " << layout.error().message;
  return map::outputs_at(*layout, Point{mn, k}, {})[0];
}

TEST(Operand, HasTheBitsOfItsFields) {
  EXPECT_EQ(*encode(read("smemdesc(wgmma, K, f16, start 1024, lbo 16, sbo 1024, swizzle 128B)")), 0x4000004000010040U);
  EXPECT_EQ(*encode(read("smemdesc(tcgen05, K, f16, start 1024, lbo 16, sbo 1024, swizzle 128B)")),
            0x4000404000010040U);
  EXPECT_EQ(*encode(read("smemdesc(tcgen05, K, f16, start 2048, sbo 256, swizzle 32B)")), 0xc000401000000080U);
  const Operand made = read("tcgen05:0x4000404002000000 MN");
  EXPECT_EQ(made, (Operand{Unit::Tcgen05, true, 0, 8192, 1024, Span::B128, 0, 0, 0, false}));
  EXPECT_EQ(print(made), "tcgen05:0x4000404002000000 MN");
  EXPECT_TRUE(read("wgmma:0x4000004000010040").assumed);
}

TEST(Operand, PlacesElementsWhereTheTablesDo) {
  const std::string k = "smemdesc(wgmma, K, f16, start 1024, lbo 16, sbo 1024, swizzle 128B)";
  EXPECT_EQ(slot(k, "f16[64,64]", 9, 8) * 2, 2176);
  EXPECT_EQ(slot("smemdesc(wgmma, K, f16, start 1056, lbo 16, sbo 1024, swizzle 128B)", "f16[64,16]", 9, 8) * 2, 2208);
  EXPECT_EQ(slot("smemdesc(wgmma, K, f16, start 0, lbo 2048, sbo 128)", "f16[64,16]", 17, 12) * 2, 2328);
  EXPECT_EQ(slot("smemdesc(wgmma, MN, f16, start 0, lbo 8192, sbo 1024, swizzle 128B)", "f16[128,16]", 70, 9) * 2,
            9372);
  EXPECT_EQ(slot("smemdesc(wgmma, MN, f16, start 0, lbo 256, sbo 128)", "f16[16,16]", 9, 9) * 2, 402);
  EXPECT_EQ(
      slot("smemdesc(tcgen05, MN, tf32, start 0, lbo 4096, sbo 512, swizzle 128B_ATOM_32B)", "f32[64,8]", 33, 5) * 4,
      4772);
  EXPECT_EQ(slot("smemdesc(wgmma, K, f8, start 1024, sbo 1024, swizzle 128B)", "i8[64,32]", 13, 20), 2756);
}

TEST(Operand, RejectsWhatNoDescriptorSays) {
  struct Reject {
    std::string text;
    std::size_t offset;
    std::string says;
  };
  for (const Reject& reject : {Reject{"wgmma", 5, "expected ':'"},
                               {"wgmma:4", 6, "expected 0x"},
                               {"wgmma:0x", 8, "expected 64 bits"},
                               {"wgmma:0x1ffffffffffffffff", 8, "expected 64 bits"},
                               {"wgmma:0x10 N", 11, "expected the end"},
                               {"wgmma:0x8000", 8, "belong to no field"},
                               {"tcgen05:0x40", 10, "version is 0"},
                               {"tcgen05:0x6000400000000000", 10, "3 is no swizzle"},
                               {"smemdesc(wgmma, K, f16, start 8)", 0, "multiple of 16"},
                               {"smemdesc(wgmma, K, f16, start S)", 0, "no number"},
                               {"smemdesc(wgmma, K, f16, sbo 16)", 0, "without 'start'"}}) {
    const auto made = parse(reject.text);
    ASSERT_FALSE(made.has_value()) << reject.text;
    EXPECT_EQ(made.error().offset, reject.offset) << reject.text << ": " << made.error().message;
    EXPECT_NE(made.error().message.find(reject.says), std::string::npos) << reject.text << ": " << made.error().message;
  }
}

// A text with a tensor that it may have.
std::pair<std::string, map::Tensor> drawn(use::Random& random) {
  struct Type {
    std::string_view word, tensor;
    Index bits;
  };
  constexpr Type kTypes[] = {{"f8", "i8", 8}, {"f16", "f16", 16}, {"tf32", "f32", 32}, {"u4", "i4", 4}};
  const Type& type = kTypes[random.below(4)];
  constexpr std::string_view kSwizzles[] = {"none", "32B", "64B", "128B", "128B_ATOM_32B"};
  constexpr Index kSpans[] = {1 << 12, 32, 64, 128, 128};
  const std::size_t swizzle = random.below(5);
  const bool mn = random.chance(50);
  const std::string_view unit = swizzle == 4 || random.chance(50) ? "tcgen05" : "wgmma";
  const Index longest = mn ? 300 : std::min<Index>(300, kSpans[swizzle] * 8 / type.bits);
  const std::string text = fmt::format("smemdesc({}, {}, {}, start {}, lbo {}, sbo {}, swizzle {})", unit,
                                       mn ? "MN" : "K", type.word, 16 * random.between(0, 300),
                                       16 * random.between(0, 600), 16 * random.between(0, 600), kSwizzles[swizzle]);
  return {text, tensor_of(fmt::format("{}[{},{}]", type.tensor, random.between(1, 40),
                                      random.between(1, std::min<Index>(40, longest))))};
}

TEST(Operand, OfRandomFieldsHasItsTwoMeaningsAlike) {
  const auto all = use::references();
  const auto found = std::ranges::find(all, "descriptor", [](const auto* each) { return each->family; });
  ASSERT_NE(found, all.end());
  Index compared = 0;
  for (Index index = 0; index < test::fact_or_campaign(300, 5'000); ++index) {
    use::Random random(20261130, 51, static_cast<std::uint64_t>(index));
    const auto [fields, tensor] = drawn(random);
    const Operand operand = read(fields);
    const auto bits = print(operand);
    for (const std::string& text : {fields, bits}) {
      const auto layout = lower(read(text), tensor);
      const auto slots = (*found)->slots(text, tensor);
      ASSERT_TRUE(layout && slots) << text;
      for (Index mn = 0; mn < tensor.size[0]; ++mn)
        for (Index k = 0; k < tensor.size[1]; ++k, ++compared) {
          const Point at = map::outputs_at(*layout, Point{mn, k}, {});
          ASSERT_TRUE(layout->is_slot(at)) << text;
          ASSERT_EQ(std::vector<Point>{at}, (*slots)(Point{mn, k})) << text << " of " << map::print(tensor);
        }
    }
  }
  EXPECT_GT(compared, 10'000);
}

}  // namespace descriptor_operand_test
}  // namespace vl::descriptor
