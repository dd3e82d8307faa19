// The facts about Swizzle<B,M,S> (here bits, base, shift) on which engines rely, exhaustively on small parameters.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "encodings/base/check.h"
#include "encodings/map/map.h"

namespace vl::map {
namespace map_swizzle_test {

/// y = x ^ ((x & mask << (M+S)) >> S), or the mirrored formula, bit by bit.
Index by_bits(const Swizzle& s, Index x) {
  Index y = x;
  for (int bit = 0; bit < 62; ++bit) {
    const bool down = s.direction == Swizzle::Direction::Down;
    const int target = down ? bit - s.base : bit - s.base - s.shift;
    const int source = down ? bit + s.shift : bit - s.shift;
    if (target >= 0 && target < s.bits) y ^= ((x >> source) & 1) << bit;
  }
  return y;
}

std::vector<Swizzle> all_swizzles(int total) {
  std::vector<Swizzle> all;
  for (int base = 0; base <= total; ++base)
    for (int bits = 0; base + bits <= total; ++bits)
      for (int shift = 1; base + bits + shift <= total; ++shift)
        for (const auto direction : {Swizzle::Direction::Down, Swizzle::Direction::Up})
          all.push_back(Swizzle{0, base, bits, shift, direction});
  return all;
}

TEST(Swizzle, IsTheFormulaBitByBit) {
  const auto all = all_swizzles(8);
  EXPECT_EQ(all.size(), 240U);
  for (const Swizzle& s : all)
    for (Index x = 0; x < 512; ++x) ASSERT_EQ(apply(s, x), by_bits(s, x)) << s.base << s.bits << s.shift << " " << x;
}

TEST(Swizzle, IsABijectionOfItsBitsForEveryShift) {
  for (const Swizzle& s : all_swizzles(8)) {
    const Index size = Index{1} << (s.base + s.bits + s.shift);
    std::set<Index> image;
    for (Index x = 0; x < size; ++x) image.insert(apply(s, x));
    ASSERT_EQ(image.size(), static_cast<std::size_t>(size));
    ASSERT_EQ(*image.begin(), 0);
    ASSERT_EQ(*image.rbegin(), size - 1);
  }
}

TEST(Swizzle, IsAnInvolutionIffShiftIsAtLeastBits) {
  std::size_t involutions = 0;
  for (const Swizzle& s : all_swizzles(8)) {
    bool twice_is_identity = true;
    for (Index x = 0; x < 256; ++x) twice_is_identity = twice_is_identity && apply(s, apply(s, x)) == x;
    ASSERT_EQ(twice_is_identity, s.shift >= s.bits) << s.base << s.bits << s.shift;
    involutions += twice_is_identity ? 1U : 0U;
  }
  EXPECT_GT(involutions, 100U);
  EXPECT_LT(involutions, 240U);
}

TEST(Swizzle, PreservesAlignedBlocksOfItsBits) {
  for (const Swizzle& s : all_swizzles(7)) {
    if (s.shift < s.bits) continue;
    const bool down = s.direction == Swizzle::Direction::Down;
    const Index block = Index{1} << (s.base + s.bits + (down ? 0 : s.shift));
    for (Index x = 0; x < 512; ++x) ASSERT_EQ(apply(s, x) / block, x / block);
  }
}

// With r = N mod 2^(M+B) and k the value that is XORed in the last, partial block: onto iff r = 0 or XOR with
// k preserves [0, r).
TEST(Swizzle, MapsAPrefixOntoItselfIffTheLastPartialBlockIsPreserved) {
  std::size_t onto_count = 0;
  std::size_t partial_onto = 0;
  std::size_t cases = 0;
  for (int m = 0; m <= 3; ++m)
    for (int b = 1; b <= 3; ++b)
      for (int shift = b; shift <= 4; ++shift)
        for (Index n = 0; n <= 64; ++n) {
          const Swizzle s{0, m, b, shift, Swizzle::Direction::Down};
          bool onto = true;
          for (Index x = 0; x < n; ++x) onto = onto && by_bits(s, x) < n;
          const Index block = Index{1} << (m + b);
          const Index r = n % block;
          const Index k = ((n - r) >> (m + shift)) % (Index{1} << b) << m;
          bool preserved = true;
          for (Index x = 0; x < r; ++x) preserved = preserved && (x ^ k) < r;
          ASSERT_EQ(onto, preserved) << "M " << m << " B " << b << " S " << shift << " N " << n;
          ++cases;
          onto_count += onto ? 1U : 0U;
          partial_onto += onto && r != 0 && k != 0 ? 1U : 0U;
        }
  EXPECT_EQ(cases, 4U * 9U * 65U);
  EXPECT_GT(onto_count, 500U);
  EXPECT_LT(onto_count, cases);
  EXPECT_GT(partial_onto, 0U);
}

TEST(Swizzle, CanBeOntoAPrefixThatIsNoMultipleOfTheBlock) {
  const Swizzle s{0, 0, 1, 1, Swizzle::Direction::Down};
  std::vector<Index> image;
  for (Index x = 0; x < 5; ++x) image.push_back(apply(s, x));
  EXPECT_EQ(image, (std::vector<Index>{0, 1, 3, 2, 4}));
}

TEST(Swizzle, CanLeaveAPrefix) {
  const Swizzle s{0, 0, 2, 2, Swizzle::Direction::Down};
  EXPECT_EQ(apply(s, 8), 10);
  EXPECT_EQ(apply(s, 9), 11);
}

TEST(Swizzle, OfANegativeValueIsABug) {
  EXPECT_THROW(static_cast<void>(apply(Swizzle{0, 0, 1, 1, Swizzle::Direction::Up}, -1)), InternalError);
}

}  // namespace map_swizzle_test
}  // namespace vl::map
