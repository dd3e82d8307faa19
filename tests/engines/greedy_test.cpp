// Counting greedy digits in closed form against counting them one number at a time.
#include "verifier/engines/forms/greedy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace vl::engines {
namespace engines_greedy_test {

bool allowed(const std::vector<Level>& levels, Index number) {
  for (const Level& level : levels) {
    const Index digit = number / level.weight;
    if (digit < level.low || digit > level.high) return false;
    number %= level.weight;
  }
  return true;
}

std::string show(const std::vector<Level>& levels) {
  std::string out;
  for (const Level& level : levels) out += fmt::format("{}:[{},{}] ", level.weight, level.low, level.high);
  return out;
}

struct Tally {
  Index counters = 0;
  Index bounds = 0;
  Index partly = 0;  // of these with some numbers allowed and some not
};

void hold_against_a_loop(const std::vector<Level>& levels, Tally& tally) {
  constexpr Index kMost = 90;
  const GreedyCounter counter(levels);
  ++tally.counters;
  std::vector<Index> below(kMost + 1, 0);  // how many of [0, n) are allowed
  for (Index n = 0; n < kMost; ++n)
    below[static_cast<std::size_t>(n + 1)] = below[static_cast<std::size_t>(n)] + (allowed(levels, n) ? 1 : 0);
  for (Index bound = 0; bound <= kMost; ++bound) {
    const Index expected = below[static_cast<std::size_t>(bound)];
    ASSERT_EQ(counter.below(bound), expected) << show(levels) << "below " << bound;
    ++tally.bounds;
    if (expected > 0 && expected < bound) ++tally.partly;
    // [bound/3 - 4, bound): starts below 0 too.
    const Index first = bound / 3 - 4;
    const Index skipped = first <= 0 ? 0 : below[static_cast<std::size_t>(first)];
    ASSERT_EQ(counter.within(first, bound - 1), expected - skipped) << show(levels) << first << " to " << bound - 1;
  }
  ASSERT_EQ(counter.within(5, 4), 0);
}

// All lists of weights up to 12 that do not ascend and end in 1, of up to four levels; ties and weights that do not
// divide each other among them. A few limits of digits each.
TEST(GreedyCounter, CountsWhatALoopCountsOnAllSmallWeights) {
  std::mt19937_64 random(20261121);
  Tally tally;
  Index lists = 0;
  Index odd = 0;
  for (Index a = 1; a <= 12; ++a)
    for (Index b = 1; b <= a; ++b)
      for (Index c = 1; c <= b; ++c)
        for (std::size_t skip = 0; skip < 4; ++skip) {
          const std::vector<Index> weights{a, b, c, 1};
          if ((skip > 0 && a < 12) || (skip > 1 && b < 12) || (skip > 2 && c < 12)) continue;  // shorter lists once
          ++lists;
          if (skip == 0 && (a % b != 0 || b % c != 0)) ++odd;
          for (int limits = 0; limits < 12; ++limits) {
            std::vector<Level> levels;
            for (std::size_t k = skip; k < 4; ++k) {
              const Index low = random() % 3 == 0 ? static_cast<Index>(random() % 4) : 0;
              levels.push_back({weights[k], low, low + static_cast<Index>(random() % 12) - 1});
              if (random() % 6 == 0) levels.back().high = Index{1} << 61;
            }
            hold_against_a_loop(levels, tally);
            if (HasFatalFailure()) return;
          }
        }
  EXPECT_EQ(lists, 364 + 78 + 12 + 1);
  EXPECT_GT(odd, 150);
  EXPECT_EQ(tally.counters, lists * 12);
  EXPECT_EQ(tally.bounds, tally.counters * 91);
  EXPECT_GT(tally.partly, tally.bounds / 4);
}

// 720, 60, 1 with digits below 2, 12, 60: the header's example.
TEST(GreedyCounter, StopsWhereTheFirstDigitHasNoRoom) {
  const std::vector<Level> levels{{720, 0, 1}, {60, 0, 11}, {1, 0, 59}};
  EXPECT_EQ(GreedyCounter(levels).below(1440), 1440);
  EXPECT_EQ(GreedyCounter(levels).below(1500), 1440);
}

TEST(GreedyCounter, CountsBeyondAnyWalk) {
  const Index tera = Index{1} << 40;
  const std::vector<Level> levels{{tera, 0, (1 << 20) - 1}, {64, 0, (Index{1} << 34) - 1}, {1, 0, 62}};
  EXPECT_EQ(GreedyCounter(levels).below(Index{1} << 60), (Index{1} << 54) * 63);
  EXPECT_EQ(GreedyCounter(levels).within(63, 63), 0);
  EXPECT_EQ(GreedyCounter(levels).within(64, 127), 63);
}

}  // namespace engines_greedy_test
}  // namespace vl::engines
