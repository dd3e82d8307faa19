// The facts about strided modes against every offset of their box.
#include "verifier/engines/forms/modes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tests/support/property.h"

namespace vl::engines {
namespace engines_modes_campaign {

std::string show(const std::vector<Mode>& modes) {
  std::string out;
  for (const Mode& mode : modes) out += fmt::format("{}:{} ", mode.extent, mode.stride);
  return out;
}

// All offsets, in the order of the points.
std::vector<Index> offsets_of(const std::vector<Mode>& modes) {
  std::vector<Index> all{0};
  for (const Mode& mode : modes) {
    std::vector<Index> more;
    for (const Index offset : all)
      for (Index x = 0; x < mode.extent; ++x) more.push_back(offset + x * mode.stride);
    all = std::move(more);
  }
  return all;
}

struct Tally {
  Index lists = 0;
  Index injective = 0;
  Index colliding = 0;
  Index undetermined = 0;
  Index progressions = 0;
};

bool is_collision(const std::vector<Mode>& modes, const std::vector<Index>& delta) {
  if (delta.size() != modes.size()) return false;
  Index sum = 0;
  bool some = false;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (std::abs(delta[i]) >= modes[i].extent) return false;
    sum += delta[i] * modes[i].stride;
    some = some || delta[i] != 0;
  }
  return some && sum == 0;
}

/// What is wrong about the answers on these modes; "" where nothing is.
std::string fault_of(const std::vector<Mode>& modes, Tally& tally) {
  ++tally.lists;
  std::vector<Index> offsets = offsets_of(modes);
  const std::size_t points = offsets.size();
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());

  const Injectivity answer = injectivity(modes);
  if (std::holds_alternative<Injective>(answer)) {
    ++tally.injective;
    if (offsets.size() != points) return "said to be injective: " + show(modes);
  } else if (const auto* colliding = std::get_if<Colliding>(&answer)) {
    ++tally.colliding;
    if (!is_collision(modes, colliding->delta)) return "no such collision: " + show(modes);
  } else {
    ++tally.undetermined;
  }

  // E2 for any step: the offsets are an arithmetic progression iff progression() returns one.
  const Index base = 100;
  bool even = true;
  for (std::size_t i = 2; i < offsets.size(); ++i)
    even = even && offsets[i] - offsets[i - 1] == offsets[1] - offsets[0];
  const auto filled = progression(base, modes);
  if (filled.has_value() != even) return "an arithmetic progression or not: " + show(modes);
  if (!filled) return "";
  ++tally.progressions;
  const bool right = filled->base == base + offsets.front() && filled->count == static_cast<Index>(offsets.size()) &&
                     (filled->count == 1 || filled->step == offsets[1] - offsets[0]);
  return right ? "" : "another progression: " + show(modes);
}

// All lists of one rank with extents 1 to 4 and strides -6 to 13.
Tally all_lists(std::size_t rank) {
  Tally tally;
  const Index choices = 4 * 20;
  Index lists = 1;
  for (std::size_t i = 0; i < rank; ++i) lists *= choices;
  for (Index n = 0; n < lists; ++n) {
    std::vector<Mode> modes;
    for (Index rest = n; modes.size() < rank; rest /= choices) modes.push_back({rest % 4 + 1, rest % choices / 4 - 6});
    const std::string fault = fault_of(modes, tally);
    EXPECT_EQ(fault, "");
    if (!fault.empty()) break;
  }
  EXPECT_EQ(tally.lists, lists);
  return tally;
}

TEST(Modes, AreAlwaysDecidedUpToRank2) {
  for (const std::size_t rank : {0U, 1U, 2U}) {
    const Tally tally = all_lists(rank);
    EXPECT_EQ(tally.undetermined, 0) << rank;
    EXPECT_EQ(tally.injective + tally.colliding, tally.lists) << rank;
  }
}

TEST(Modes, AreNeverJudgedWronglyAtRank3) {
  const Tally tally = all_lists(3);
  EXPECT_GE(tally.lists, 512000);
  EXPECT_EQ(tally.injective + tally.colliding + tally.undetermined, tally.lists);
  EXPECT_GT(tally.injective, 100000);
  EXPECT_GT(tally.colliding, 100000);
  EXPECT_LT(tally.undetermined, tally.lists / 7);
  EXPECT_GT(tally.progressions, 10000);
  std::cout << fmt::format("injective {}, colliding {}, undetermined {}, progressions {}\n", tally.injective,
                           tally.colliding, tally.undetermined, tally.progressions);
}

std::vector<Mode> random_modes(test::Engine& random) {
  std::vector<Mode> modes;
  const Index rank = test::roll(random, 4, 5);
  const bool nested = random.below(2) == 0;  // strides near a radix chain: the layouts that occur
  Index reach = 1;
  for (Index k = 0; k < rank; ++k) {
    const Index extent = test::roll(random, 1, 4);
    const Index stride = nested ? reach + test::roll(random, -1, 2) : test::roll(random, -20, 39);
    modes.push_back({extent, random.below(5) == 0 ? -stride : stride});
    reach += std::abs(stride) * (extent - 1);
  }
  std::shuffle(modes.begin(), modes.end(), random);
  return modes;
}

TEST(Modes, AreNeverJudgedWronglyAtRandomRanks4And5) {
  Tally tally;
  test::for_all(40000, [&] { RC_ASSERT(fault_of(*test::drawn(random_modes), tally) == ""); });
  EXPECT_GT(tally.injective, 4000);
  EXPECT_GT(tally.colliding, 4000);
  EXPECT_GT(tally.progressions, 2000);
  EXPECT_LT(tally.undetermined, 12000);
  std::cout << fmt::format("injective {}, colliding {}, undetermined {}, progressions {}\n", tally.injective,
                           tally.colliding, tally.undetermined, tally.progressions);
}

TEST(Modes, OfAnySizeAreDecidedByTheSameFacts) {
  const Index tera = Index{1} << 40;
  EXPECT_TRUE(std::holds_alternative<Injective>(injectivity(std::vector<Mode>{{tera, 1}, {1 << 20, tera}})));
  const Injectivity answer = injectivity(std::vector<Mode>{{tera, 1}, {1 << 20, tera - 1}});
  ASSERT_TRUE(std::holds_alternative<Colliding>(answer));
  EXPECT_EQ(std::get<Colliding>(answer).delta, (std::vector<Index>{tera - 1, -1}));
  const auto filled = progression(7, std::vector<Mode>{{tera, 1}, {1 << 20, tera}});
  ASSERT_TRUE(filled.has_value());
  EXPECT_EQ(filled->count, Index{1} << 60);
  EXPECT_FALSE(progression(0, std::vector<Mode>{{tera, 1}, {tera, tera}}).has_value());  // 2^80 offsets
  // One more than the last offset is a number too.
  const Index most = std::numeric_limits<Index>::max();
  EXPECT_TRUE(progression(most - 2, std::vector<Mode>{{2, 1}}).has_value());
  EXPECT_FALSE(progression(most - 1, std::vector<Mode>{{2, 1}}).has_value());
  EXPECT_FALSE(progression(most, std::vector<Mode>{{2, 1}}).has_value());
}

}  // namespace engines_modes_campaign
}  // namespace vl::engines
