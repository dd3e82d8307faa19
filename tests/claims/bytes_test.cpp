// bytes: a number in 64 bits, padding included, or no answer; never a wrapped number.
#include <gtest/gtest.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_bytes_test {

map::Layout box(std::vector<Index> extents) {
  auto space = map::Space::create(map::Space::dims("d", extents));
  VL_CHECK(space.has_value(), "a box of the test");
  map::LayoutParts parts;
  parts.physical = *space;
  parts.map = {map::Affine{std::vector<map::Row>(extents.size())}};
  auto layout = map::Layout::create(std::move(parts));
  VL_CHECK(layout.has_value(), "a layout of the test");
  return std::move(*layout);
}

Judged asked(const map::Layout& layout, int bits) { return decide(*find_claim("bytes"), Sized{layout, bits}, {}); }

std::optional<Index> bytes_of(std::vector<Index> extents, int bits) {
  const map::Layout layout = box(std::move(extents));
  const Judged answer = asked(layout, bits);
  const auto* proved = std::get_if<Proved>(&answer.verdict);
  return proved != nullptr ? proved->value : std::nullopt;
}

TEST(Bytes, AreSlotsTimesBitsRoundedUp) {
  EXPECT_EQ(bytes_of({3, 64}, 16), 384);
  EXPECT_EQ(bytes_of({3, 512}, 2), 384);
  EXPECT_EQ(bytes_of({0, 64}, 16), 0);
  EXPECT_EQ(bytes_of({}, 16), 2);
  EXPECT_EQ(bytes_of({3}, 4), 2);
  EXPECT_EQ(bytes_of({7}, 1), 1);
  EXPECT_EQ(bytes_of({9}, 9), 11);
  EXPECT_EQ(bytes_of({Index{1} << 30}, 16), Index{1} << 31);  // 2 GiB, where 32 bits wrapped
  EXPECT_EQ(bytes_of({Index{1} << 62}, 8), Index{1} << 62);
  EXPECT_EQ(bytes_of({(Index{1} << 62) - 1}, 15),
            ((Index{1} << 62) - 8) / 8 * 15 + 14);  // 7 slots of 15 bits: 14 bytes
}

TEST(Bytes, BeyondSixtyFourBitsAreNoAnswer) {
  const map::Layout layout = box({Index{1} << 62});
  const Judged answer = asked(layout, 16);
  EXPECT_EQ(question::word(answer.verdict), "unknown");
  EXPECT_EQ(bytes_of({Index{1} << 62}, 16), std::nullopt);
}

TEST(Bytes, OfAnElementWithoutASizeAreUnsupported) {
  const map::Layout layout = box({64});
  const Judged answer = asked(layout, 0);
  EXPECT_EQ(question::word(answer.verdict), "unsupported");
}

}  // namespace claims_bytes_test
}  // namespace vl::claims
