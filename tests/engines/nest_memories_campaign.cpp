// Loop nests as memories of their iterations, compared with running them.
#include <gtest/gtest.h>

#include "tests/support/transfers.h"
#include "verifier/engines/solvers/nest_memories.h"

namespace vl::engines {
namespace engines_nest_memories_campaign {

using use::Nest;

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

TEST(NestMemories, TogetherHaveTheOffsetsOfTheNest) {
  test::RandomSpyre random(7);
  int sliced = 0;
  for (int n = 0; n < 2000; ++n) {
    const Nest nest = random_nest(random);
    const auto memories = nested_memories(nest, nest.destination, 27);
    ASSERT_TRUE(memories.has_value());  // three loops of three values at most
    ASSERT_LE(memories->size(), 27U);
    sliced += memories->size() > 1 ? 1 : 0;
    std::set<Index> written;
    std::set<Index> kept;
    for (const auto& move : test::moves_of({use::Direction::HostToDevice, {nest}})) written.insert(move.destination);
    for (const use::Memory& memory : *memories)
      for (Index slot = 0; slot < memory.layout.physical().volume(); ++slot)
        if (map::use_of(memory.layout, Point{slot}).valid) kept.insert(memory.base + slot);
    ASSERT_EQ(kept, written) << test::show({{}, {nest}});
  }
  EXPECT_GE(sliced, 200);
}

TEST(NestMemories, TellIterationsApartOnlyWhereTheyDo) {
  test::RandomSpyre random(8);
  int told = 0;
  for (int n = 0; n < 2000; ++n) {
    const Nest nest = random_nest(random);
    if (!tells_iterations(nest, nest.destination)) continue;
    ++told;
    std::set<Index> places;
    const auto moves = test::moves_of({use::Direction::HostToDevice, {nest}});
    for (const auto& move : moves) places.insert(move.destination);
    ASSERT_EQ(places.size(), moves.size()) << test::show({{}, {nest}});
  }
  EXPECT_GE(told, 500);
}

TEST(NestMemories, SliceLoopsThatBreakTheNestingAndNoOthers) {
  const auto count = [](const Nest& nest) {
    return nested_memories(nest, nest.destination, 64).value_or(std::vector<use::Memory>{}).size();
  };
  // 3 does not exceed what (3):2 reaches; the loop of 2 values stands still then.
  EXPECT_EQ(count({{2, 3}, {{3, 2}, 0}, {{3, 2}, 0}}), 2U);
  EXPECT_EQ(count({{2, 3}, {{1, 1}, 0}, {{6, 2}, 0}}), 1U);
  EXPECT_EQ(count({{2, 3}, {{1, 1}, 0}, {{0, 0}, 0}}), 1U);
  EXPECT_EQ(count({{65, 65}, {{1, 1}, 0}, {{64, 65}, 0}}), 0U);  // 65 values are too many
}

}  // namespace engines_nest_memories_campaign
}  // namespace vl::engines
