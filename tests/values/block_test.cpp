// Block floats: groups against a packer that computes with real numbers, and what a greater exponent does to all bf16.
#include "encodings/values/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/property.h"
#include "tests/support/sanitized.h"

namespace vl {
namespace values_block_test {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }
const BlockFormat& block(std::string_view name) { return *find_block_format(name); }

// The second packer. A number is a double, also where the exponent field is that of an infinity.
struct Parts {
  bool negative;
  int exponent;
  double magnitude;
};
Parts parts_of(Code single) {
  const int exponent = static_cast<int>(single >> 23 & 0xFF);
  const double magnitude = std::ldexp(1.0 + static_cast<double>(single & 0x7FFFFF) / 8388608.0, exponent - 127);
  return {single >> 31 != 0, exponent, exponent == 0 ? 0.0 : magnitude};
}

// The lane as a number: multiples of 2^(S - 150) are cut off, then it is rounded to a multiple of 2^(S - 126 - w).
double lane_of(int bits, const Parts& parts, int shared) {
  const double cut = std::floor(std::ldexp(parts.magnitude, 150 - shared));
  const double most = std::ldexp(1.0, bits) - 1.0;
  const double rounded = std::min(most, std::nearbyint(std::ldexp(cut, bits - 24)));  // ties to even
  const double value = std::ldexp(rounded, shared - 126 - bits);
  return parts.negative && value != 0 ? -value : value;
}

double number_of(Code single) {
  const Parts parts = parts_of(single);
  const double subnormal = std::ldexp(static_cast<double>(single & 0x7FFFFF), -149);
  return (parts.negative ? -1 : 1) * (parts.exponent == 0 ? subnormal : parts.magnitude);
}

// Lanes of one magnitude, of a few, of any; zeros, infinities, NaN and subnormals among them.
Code random_single(test::WideEngine& random, unsigned near) {
  const Code any = random();
  const Code fraction = any % 5 == 0 ? (any >> 8 & 0x7F) << 16 : any % 7 == 0 ? 0x7FFFFF : any >> 9 & 0x7FFFFF;
  const unsigned kind = any >> 40 & 255;
  const unsigned exponent = kind == 0   ? 0
                            : kind == 1 ? 255
                            : kind == 2 ? static_cast<unsigned>(any >> 50 & 0xFF)
                                        : near - std::min(near, static_cast<unsigned>(any >> 50) % 7);
  return (any >> 63) << 31 | static_cast<Code>(exponent) << 23 | (kind == 3 ? 0 : fraction);
}

// VL_GROUPS: how many; 10'000'000 take a minute.
TEST(Blocks, AreWhatASecondPackerMakes) {
  const char* asked = std::getenv("VL_GROUPS");
  const long groups = asked != nullptr ? std::strtol(asked, nullptr, 10) : 10'000;
  const Format& f32 = of("f32");
  long zeros = 0;
  test::for_all(static_cast<int>(groups), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const BlockFormat& format = block_formats()[random.below(3)];
    std::array<Code, kBlockLanes> codes{};
    const unsigned near = static_cast<unsigned>(random() % 256);
    for (Code& code : codes) code = random_single(random, near);
    int shared = 0;
    for (const Code code : codes) shared = std::max(shared, parts_of(code).exponent);
    const Block got = pack_block(format, f32, codes);
    RC_ASSERT(got.exponent == static_cast<unsigned>(shared));
    const auto singles = unpack_block(format, got);
    for (std::size_t i = 0; i < kBlockLanes; ++i) {
      const double want = lane_of(static_cast<int>(format.bits), parts_of(codes[i]), shared);
      RC_ASSERT(number_of(singles[i]) == want);
      RC_ASSERT((got.lanes[i] >> format.bits) == (want < 0 ? 1 : 0));
      zeros += want == 0 ? 1 : 0;
    }
  });
  EXPECT_GT(zeros, groups * 16 / 20);
  EXPECT_LT(zeros, groups * 16 / 2);
}

// Of all finite normal bf16: how many change if the shared exponent is d above their own, in hundredths of a percent,
// and how many become 0. Of the 128 fractions of a bf16 each bfp8 magnitude has its multiples of 2^d.
TEST(Blocks, LoseWhatAGreaterExponentTakes) {
  const Format& bf16 = of("bf16");
  const auto count = [&](const BlockFormat& format, unsigned d) {
    long all = 0, changed = 0, zero = 0;
    for (Code code = 0; code <= 0xFFFF; ++code) {
      const unsigned own = exponent_of(bf16, code);
      if (own == 0 || own == 255 || own + d > 255) continue;
      const Code before = unpacked(format, packed(format, bf16, code, own), own);
      const Code after = unpacked(format, packed(format, bf16, code, own + d), own + d);
      ++all;
      changed += before != after ? 1 : 0;
      zero += after == 0 ? 1 : 0;
    }
    EXPECT_EQ(all, 2 * 128 * (255 - 1 - std::max<long>(0, static_cast<long>(d) - 1)));
    return std::pair(std::lround(10000.0 * static_cast<double>(changed) / static_cast<double>(all)),
                     std::lround(10000.0 * static_cast<double>(zero) / static_cast<double>(all)));
  };
  const std::vector<std::pair<long, long>> bfp8 = {{0, 0},    {2578, 0}, {6328, 0},   {8203, 0},     {9141, 0},
                                                   {9609, 0}, {9844, 0}, {10000, 78}, {10000, 10000}};
  for (unsigned d = 0; d < bfp8.size(); d += test::fact_or_campaign(3U, 1U))
    EXPECT_EQ(count(block("bfp8"), d), bfp8[d]) << d;
  EXPECT_EQ(count(block("bfp8"), 100).second, 10000);
  EXPECT_LT(count(block("bfp4"), 3).second, 10000);
  EXPECT_EQ(count(block("bfp4"), 4).second, 10000);
  EXPECT_LT(count(block("bfp2"), 1).second, 10000);
  EXPECT_EQ(count(block("bfp2"), 2).second, 10000);
}

// The reciprocal of a row of 1 to 32 elements and pads of 0, in two groups of 16: pads become infinities, whose group
// loses its elements. tt-metal #51831 has this table by running it.
TEST(Blocks, OfReciprocalsOfZeroPadsLoseTheirElements) {
  const Format& bf16 = of("bf16");
  int clean = 0;
  for (std::size_t width = 1; width <= 32; ++width) {
    std::array<Code, 32> row{};
    for (std::size_t i = 0; i < 32; ++i) row[i] = i < width ? 0x3F80 - static_cast<Code>(i % 4) * 0x40 : 0x7F80;
    const auto lost = [&](std::size_t group) {
      const std::span<const Code> lanes = std::span<const Code>(row).subspan(group * 16, 16);
      const auto singles = unpack_block(block("bfp8"), pack_block(block("bfp8"), bf16, lanes));
      long out = 0;
      for (std::size_t i = 0; i < 16 && group * 16 + i < width; ++i) out += singles[i] != lanes[i] << 16 ? 1 : 0;
      return out;
    };
    const auto pad_in = [&](std::size_t group) { return width > group * 16 && width < group * 16 + 16; };
    for (const std::size_t group : {0U, 1U})
      EXPECT_EQ(lost(group), pad_in(group) ? static_cast<long>(width - group * 16) : 0) << width << " " << group;
    clean += lost(0) == 0 && lost(1) == 0 ? 1 : 0;
  }
  EXPECT_EQ(clean, 2);  // widths 16 and 32
}

TEST(Blocks, OfPadsChangeTheirNeighboursByHand) {
  const Format& bf16 = of("bf16");
  EXPECT_EQ(packed(block("bfp8"), bf16, 0x3F80, 127), 0x40);
  EXPECT_EQ(packed(block("bfp8"), bf16, 0x3F80, 133), 0x01);
  EXPECT_EQ(packed(block("bfp8"), bf16, 0x3F80, 134), 0x00);  // half of the least: to even
  EXPECT_EQ(packed(block("bfp8"), bf16, 0xBFC0, 134), 0x81);  // 1.5, three quarters of the least
  EXPECT_EQ(packed(block("bfp8"), bf16, 0x8000, 127), 0x00);  // -0
  EXPECT_EQ(packed(block("bfp4"), bf16, 0xBF80, 127), 0x0C);
  EXPECT_EQ(packed(block("bfp2"), bf16, 0x3F80, 128), 0x00);
  EXPECT_EQ(packed(block("bfp2"), bf16, 0x3FC0, 128), 0x01);
  EXPECT_EQ(packed(block("bfp8"), bf16, 0x0001, 0), 0x00);  // subnormal
  EXPECT_EQ(unpacked(block("bfp8"), 0xC0, 127), 0xBF800000u);
  EXPECT_EQ(unpacked(block("bfp8"), 0x01, 1), 0x00020000u);  // 2^-132, a subnormal f32
  EXPECT_EQ(unpacked(block("bfp8"), 0x40, 255), 0x7F800000u);
  EXPECT_FALSE(is_packable(of("f64")));
  EXPECT_FALSE(is_packable(of("i8")));
  EXPECT_FALSE(is_packable(of("f8e4m3fnuz")));
  EXPECT_TRUE(is_packable(of("f16")));
  EXPECT_EQ(exponent_of(of("f16"), 0x0001), 103u);  // 2^-24 is normal in f32
}

}  // namespace values_block_test
}  // namespace vl
