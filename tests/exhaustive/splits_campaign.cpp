// Every two-level split of extents up to 12: weights (w1, w2, 1) with 12 >= w1 >= w2 >= 1. The closed form that counts
// numbers with allowed greedy digits is tested on every choice of digit sizes. The engines are tested on every host of
// one or two dimensions of up to 12, whose row-major number is split into three dimensions of the needed size, one less
// or one more; and on tiles of two dimensions, each split by its own weight.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/support/panel.h"
#include "verifier/engines/forms/greedy.h"

namespace vl::engines {
namespace exhaustive_splits_campaign {

constexpr Index kMost = 12;

// Digits by the definition: the largest weight takes all that fits, and so on. Nothing else knows how to split here.
std::vector<Index> digits_of(Index number, const std::vector<Index>& weights) {
  std::vector<Index> out;
  for (const Index weight : weights) {
    Index digit = 0;
    for (; number >= weight; number -= weight) ++digit;
    out.push_back(digit);
  }
  return out;
}

TEST(ExhaustiveSplits, CountsOfAllowedDigitsAreTheNumbersWithThem) {
  const Index every = 1;  // of the largest digit's bounds
  Index counters = 0, decided = 0, wrong = 0;
  for (Index w1 = 1; w1 <= kMost; ++w1)
    for (Index w2 = 1; w2 <= w1; ++w2) {
      std::vector<std::vector<Index>> digits;
      for (Index n = 0; n <= 2 * kMost; ++n) digits.push_back(digits_of(n, {w1, w2, 1}));
      for (Index choice = 0; choice < kMost * kMost * kMost; choice += every) {
        const std::array<Index, 3> size = {choice % kMost + 1, choice / kMost % kMost + 1, choice / kMost / kMost + 1};
        const Index low = choice % 3 == 0 ? 1 : 0;  // of the last digit: a range that does not start at 0
        const std::array<Level, 3> levels = {Level{w1, 0, size[0] - 1}, Level{w2, 0, size[1] - 1},
                                             Level{1, low, size[2] - 1}};
        const GreedyCounter counter(levels);
        ++counters;
        Index count = 0;
        for (Index n = 0; n <= 2 * kMost; ++n, ++decided) {
          if (counter.below(n) != count && ++wrong <= 5)
            ADD_FAILURE() << fmt::format("({}, {}, 1) below {}, sizes {}: {} and not {}", w1, w2, n, size,
                                         counter.below(n), count);
          const auto& d = digits[static_cast<std::size_t>(n)];
          if (d[0] < size[0] && d[1] < size[1] && low <= d[2] && d[2] < size[2]) ++count;
        }
      }
    }
  fmt::print("{} counters, {} counts\n", counters, decided);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counters, 78 * ceil_div(kMost * kMost * kMost, every));
  EXPECT_EQ(decided, counters * (2 * kMost + 1));
}

// A host of extents `host`, row-major, its number split by `weights` into dimensions of these sizes.
struct Host {
  std::vector<Index> host;
  std::vector<Index> weights;
  std::vector<Index> sizes;

  [[nodiscard]] std::string show() const { return fmt::format("host {} split by {} into {}", host, weights, sizes); }

  [[nodiscard]] map::Layout layout() const {
    map::LayoutParts parts;
    parts.logical = *map::Space::create(map::Space::dims("x", host));
    parts.physical = *map::Space::create(map::Space::dims("d", sizes));
    const std::vector<Index> steps = host.size() == 1 ? std::vector<Index>{1} : std::vector<Index>{host[1], 1};
    parts.map = {map::Affine{{map::dot(steps)}}, map::Split{0, weights}};
    std::vector<map::Stage> back = {map::Affine{{map::dot(weights)}}};
    if (host.size() == 2) back.emplace_back(map::Split{0, {host[1], 1}});
    parts.decode = std::move(back);
    return *map::Layout::create(std::move(parts));
  }

  [[nodiscard]] test::Truth truth() const {
    std::vector<Index> slots;
    for (Index n = 0; n < test::product(host); ++n) {
      const std::vector<Index> digits = digits_of(n, weights);
      slots.push_back(test::inside(digits, sizes) ? test::number_of(digits, sizes) : -1);
    }
    return test::truth_of(host, sizes, std::move(slots));
  }
};

// The sizes that the digits of [0, n) need.
std::vector<Index> needed(Index n, const std::vector<Index>& weights) {
  std::vector<Index> out(weights.size(), 1);
  for (Index number = 0; number < n; ++number) {
    const std::vector<Index> digits = digits_of(number, weights);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(out[k], digits[k] + 1);
  }
  return out;
}

TEST(ExhaustiveSplits, EveryEngineSaysOfSplitHostsWhatLookingAtEveryPointSays) {
  const test::Shard shard = test::shard_of(128);
  test::Panel panel(100);
  std::uint64_t number = 0;
  for (Index rows = 0; rows <= kMost; ++rows)  // 0: one dimension
    for (Index columns = 1; columns <= kMost; ++columns)
      for (Index w1 = 1; w1 <= kMost; ++w1)
        for (Index w2 = 1; w2 <= w1; ++w2)
          for (Index change = 0; change < 27; ++change) {
            if (!shard.has(number++)) continue;
            Host made{rows == 0 ? std::vector<Index>{columns} : std::vector<Index>{rows, columns}, {w1, w2, 1}, {}};
            made.sizes = needed(test::product(made.host), made.weights);
            for (auto [k, rest] = std::pair(0U, change); k < 3; ++k, rest /= 3) made.sizes[k] += rest % 3 - 1;
            const test::Truth truth = made.truth();
            panel.hold(number, {made.layout(), truth}, [&] { return made.show(); });
          }
  EXPECT_EQ(number, 13U * 12 * 78 * 27);
  panel.report("split hosts", shard);
  const Index asked = panel.score("enumerate").asked;
  EXPECT_EQ(asked, panel.layouts() * 6);
  EXPECT_EQ(panel.score("enumerate").decided, asked);
  EXPECT_GE(panel.score("strided").decided, asked * 9 / 10);
  EXPECT_GT(panel.score("strided").found, asked / 4);
  if (shard.count <= 1600) {
    EXPECT_GT(panel.score("smt").decided, 0);
  }
}

// Tiles: (x0, x1) to (x0 div v, x1 div w, x0 mod v, x1 mod w), and the four as one address, tile after tile.
struct Tiles {
  std::array<Index, 2> extents{};
  std::array<Index, 2> weights{};
  Index flat = 0;    // one address instead of four dimensions
  Index change = 0;  // of the number of tiles in a row

  [[nodiscard]] std::string show() const {
    return fmt::format("{} in tiles of {}, {}, {:+} tiles a row", extents, weights,
                       flat ? "one address" : "four dimensions", change);
  }
  [[nodiscard]] std::vector<Index> sizes() const {
    return {ceil_div(extents[0], weights[0]), ceil_div(extents[1], weights[1]) + change, weights[0], weights[1]};
  }

  [[nodiscard]] map::Layout layout() const {
    map::LayoutParts parts;
    parts.logical = *map::Space::create(map::Space::dims("x", extents));
    parts.map = {map::Split{0, {weights[0], 1}},
                 map::Split{2, {weights[1], 1}}};  // x0 div v, x0 mod v, x1 div w, x1 mod w
    const std::vector<Index> s = sizes();
    if (flat != 0) {
      parts.map.emplace_back(map::Affine{{map::dot(std::array{s[1] * s[2] * s[3], s[3], s[2] * s[3], Index{1}})}});
      parts.physical = *map::Space::create({{"m", test::product(s)}});
    } else {
      parts.map.emplace_back(map::Affine{{map::pick(0), map::pick(2), map::pick(1), map::pick(3)}});
      parts.physical = *map::Space::create(map::Space::dims("d", s));
    }
    return *map::Layout::create(std::move(parts));
  }

  [[nodiscard]] test::Truth truth() const {
    const std::vector<Index> s = sizes();
    std::vector<Index> slots;
    for (Index i = 0; i < extents[0]; ++i)
      for (Index j = 0; j < extents[1]; ++j) {
        const auto row = digits_of(i, {weights[0], 1});
        const auto column = digits_of(j, {weights[1], 1});
        const Index address = ((row[0] * s[1] + column[0]) * s[2] + row[1]) * s[3] + column[1];
        const bool fits = flat != 0 ? address < test::product(s) : column[0] < s[1];
        slots.push_back(fits ? address : -1);
      }
    return test::truth_of({extents[0], extents[1]}, flat != 0 ? std::vector{test::product(s)} : s, std::move(slots));
  }
};

TEST(ExhaustiveSplits, EveryEngineSaysOfTilesWhatLookingAtEveryPointSays) {
  const test::Shard shard = test::shard_of(64);
  test::Panel panel(100);
  for (std::uint64_t number = 0; number < 144 * 144 * 6; ++number) {
    if (!shard.has(number)) continue;
    auto at = [rest = static_cast<Index>(number)](Index choices) mutable {
      const Index digit = rest % choices;
      rest /= choices;
      return digit;
    };
    Tiles made;
    made.extents = {at(kMost) + 1, at(kMost) + 1};
    made.weights = {at(kMost) + 1, at(kMost) + 1};
    made.flat = at(2);
    made.change = at(3) - 1;
    const test::Truth truth = made.truth();
    panel.hold(number, {made.layout(), truth}, [&] { return made.show(); });
  }
  panel.report("tiles", shard);
  const Index asked = panel.score("enumerate").asked;
  EXPECT_EQ(asked, panel.layouts() * 5);
  EXPECT_EQ(panel.score("enumerate").decided, asked);
  EXPECT_GE(panel.score("strided").decided, asked * 3 / 4);
  EXPECT_GT(panel.score("strided").found, asked / 8);
  if (shard.count <= 1600) {
    EXPECT_GT(panel.score("smt").decided, 0);
  }
}

}  // namespace exhaustive_splits_campaign
}  // namespace vl::engines
