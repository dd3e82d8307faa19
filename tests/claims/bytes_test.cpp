// bytes and fits: a number in 64 bits, padding included, or no answer; never a wrapped number.
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

Judged asked_to_fit(const map::Layout& layout, int bits, Index capacity) {
  return decide(*find_claim("fits"), Fitted{layout, bits, capacity}, {});
}

std::string fits(const map::Layout& layout, int bits, Index capacity) {
  return std::string(question::word(asked_to_fit(layout, bits, capacity).verdict));
}

// Two cores with 100 slots each.
map::Layout on_cores() {
  map::LayoutParts parts;
  parts.physical = *map::Space::create({{"c0", 2, map::Unit::Core}, {"m", 100, map::Unit::Element}});
  parts.map = {map::Affine{std::vector<map::Row>(2)}};
  parts.named_axes = true;
  return *map::Layout::create(std::move(parts));
}

TEST(Fits, IsAboutOneMemory) {
  const map::Layout image = box({3, 64}), cores = on_cores();
  EXPECT_EQ(fits(image, 16, 384), "proved");
  EXPECT_EQ(fits(image, 16, 383), "refuted");
  EXPECT_EQ(fits(image, 1, 24), "proved");
  EXPECT_EQ(fits(image, 1, 23), "refuted");
  EXPECT_EQ(fits(cores, 32, 400), "proved") << "of each core; both together have 800";
  EXPECT_EQ(fits(cores, 32, 399), "refuted");
  EXPECT_EQ(fits(cores, 0, 400), "unsupported");
  EXPECT_EQ(fits(box({Index{1} << 62}), 16, INT64_MAX), "unknown");
  const Judged answer = asked_to_fit(cores, 32, 300);
  const Counterexample& shown = std::get<question::Refuted>(answer.verdict).counterexample;
  EXPECT_EQ(shown.explanation, "the share of one memory takes 400 bytes, 100 more than it has");
}

}  // namespace claims_bytes_test
}  // namespace vl::claims
