// "No iteration of the nest writes this place" without a quantifier, compared with running the nest.
#include <gtest/gtest.h>

#include "tests/support/transfers.h"
#include "verifier/engines/solvers/nest_digits.h"

namespace vl::engines {
namespace engines_nest_digits_campaign {

using use::Nest;

use::Memory flat(Index base, Index size) {
  map::LayoutParts parts;
  parts.logical = parts.physical = *map::Space::create({{"h", size}});
  parts.map = {map::Affine{{map::pick(0)}}};
  return {*map::Layout::create(std::move(parts)), base};
}

Nest random_nest(test::RandomSpyre& random) {
  Nest nest;
  for (Index loops = random.chance(10) ? 0 : random.between(2, 3); loops > 0; --loops) {
    nest.extents.push_back(random.between(1, 3));
    nest.source.strides.push_back(random.between(-5, 9));
    nest.destination.strides.push_back(random.chance(25) ? 0 : random.between(-4, 7));
  }
  nest.source.offset = random.between(-3, 12);
  nest.destination.offset = random.between(-3, 12);
  return nest;
}

TEST(NestDigits, SayWhetherAPlaceIsWrittenAsRunningTheNestDoes) {
  test::RandomSpyre random(7);
  int asked = 0;
  int written = 0;
  int sliced = 0;
  while (asked < 200) {
    const Nest nest = random_nest(random);
    const auto moves = test::moves_of({use::Direction::HostToDevice, {nest}});
    const bool reading = random.chance(50);
    const auto slices = nested_slices(nest, reading, 27);
    ASSERT_TRUE(slices.has_value());  // three loops of three values at most
    ASSERT_LE(slices->size(), 27U);
    sliced += slices->size() > 1 ? 1 : 0;
    const use::Memory memory = flat(random.between(-9, 0), 40);
    const auto& like = moves[static_cast<std::size_t>(random.between(0, static_cast<Index>(moves.size()) - 1))];
    const Index d = std::clamp<Index>(like.destination + random.between(-1, 1), memory.base, memory.base + 39);
    const Index s = std::clamp<Index>(like.source + (random.chance(30) ? 1 : 0), memory.base, memory.base + 39);
    const bool truth = std::ranges::any_of(
        moves, [&](const test::BruteMove& move) { return move.destination == d && (!reading || move.source == s); });
    smt::Obligation obligation;
    const auto at = [&](Index offset) {
      const OffsetTerm place{&memory, obligation.variable({0, 39})};
      obligation.require(smt::equals_constant(place.number, offset - memory.base));
      return place;
    };
    const OffsetTerm to = at(d);
    const OffsetTerm from = at(s);
    for (const Nest& slice : *slices) {
      const auto formula = unmoved(obligation, slice, to, reading ? std::optional(from) : std::nullopt);
      ASSERT_TRUE(formula.has_value());
      obligation.require(*formula);
    }
    const auto outcome = smt::solve(obligation, {});
    ASSERT_EQ(std::holds_alternative<smt::Unsatisfiable>(outcome), truth) << test::show({{}, {nest}}) << "\n"
                                                                          << d << " " << s;
    ASSERT_EQ(std::holds_alternative<smt::Satisfiable>(outcome), !truth);
    written += truth ? 1 : 0;
    ++asked;
  }
  EXPECT_GE(written, 50);
  EXPECT_LE(written, 150);
  EXPECT_GE(sliced, 20);
}

TEST(NestDigits, TellIterationsApartOnlyWhereTheyDo) {
  test::RandomSpyre random(8);
  int told = 0;
  for (int n = 0; n < 2000; ++n) {
    const Nest nest = random_nest(random);
    for (const bool reading : {false, true}) {
      if (!tells_iterations(nest, reading)) continue;
      ++told;
      std::set<std::pair<Index, Index>> places;
      const auto moves = test::moves_of({use::Direction::HostToDevice, {nest}});
      for (const auto& move : moves) places.emplace(move.destination, reading ? move.source : 0);
      ASSERT_EQ(places.size(), moves.size()) << test::show({{}, {nest}});
    }
  }
  EXPECT_GE(told, 1000);
}

TEST(NestDigits, SliceLoopsThatBreakTheNestingAndNoOthers) {
  const auto count = [](const Nest& nest, bool reading) {
    return nested_slices(nest, reading, 64).value_or(std::vector<Nest>{}).size();
  };
  // 3 does not exceed what (3):2 reaches; the loop of 2 values stands still then.
  EXPECT_EQ(count({{2, 3}, {{3, 2}, 0}, {{3, 2}, 0}}, false), 2U);
  EXPECT_EQ(count({{2, 3}, {{1, 1}, 0}, {{6, 2}, 0}}, true), 1U);  // the source is not asked for its digits
  EXPECT_EQ(count({{2, 3}, {{1, 1}, 0}, {{0, 0}, 0}}, false), 1U);
  EXPECT_EQ(count({{2, 3}, {{1, 1}, 0}, {{0, 0}, 0}}, true), 3U);
  EXPECT_EQ(count({{65, 65}, {{1, 1}, 0}, {{64, 65}, 0}}, false), 0U);  // 65 values are too many
}

}  // namespace engines_nest_digits_campaign
}  // namespace vl::engines
