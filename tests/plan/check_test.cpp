// The checker on plans written by hand: right ones, and each one that is wrong in a way that a planner could be wrong.
#include "oracle/plan/check.h"

#include <gtest/gtest.h>

#include "tests/plan/mutants.h"

namespace vl::test {
namespace {

using map::Affine;
using map::dot;
using map::Layout;
using map::LayoutParts;
using map::pick;
using map::Space;
using map::Split;

Space space(const char* prefix, std::vector<Index> extents) { return *Space::create(Space::dims(prefix, extents)); }

/// f16[a,b,c] on sticks: (b, ceil(c / stick), a, stick), the host dense.
Layout sticks(Index a, Index b, Index c, Index stick) {
  LayoutParts parts;
  parts.logical = space("x", {a, b, c});
  parts.physical = space("d", {b, (c + stick - 1) / stick, a, stick});
  parts.map = {Split{2, {stick, 1}}, Affine{{pick(1), pick(2), pick(0), pick(3)}}};
  parts.host_offset = dot(std::vector<Index>{b * c, c, 1});
  return *Layout::create(parts);
}

Step step(Kernel kernel, std::vector<Loop> loops, Index source, Index destination, Index run, int piece, int gap = -1) {
  Step step;
  step.kernel = kernel;
  step.rank = static_cast<std::uint8_t>(loops.size());
  std::copy(loops.begin(), loops.end(), step.loops.begin());
  step.source = source;
  step.destination = destination;
  step.run = run;
  step.piece = piece;
  step.gap = gap;
  return step;
}

/// f16[2,3,10] into (3, 3, 2, 4): x2 cut at 8; two sticks of 4 and a rest of 2, whose stick has 2 lanes of padding.
class Pack : public ::testing::Test {
 protected:
  Pack() : layout(sticks(2, 3, 10, 4)) {
    relation = Relation{{Side::Kind::Dense, &layout}, {Side::Kind::Image, &layout}, nullptr, 2};
    plan.pieces = {{Rule::Cut, 2, 0, 8}, {Rule::Block, 2, 0, 4}, {Rule::Digit}, {Rule::Affine}, {Rule::Address}, {Rule::Emit},
                   {Rule::Digit},        {Rule::Affine},         {Rule::Address}, {Rule::Emit}};
    // 72 units: (y:9, v:8) with stick numbers x1·3 + t, then (x1:3, t:3, v).
    plan.cover = {{Rule::Block, 0, 0, 8}, {Rule::Block, 0, 0, 3}, {Rule::Cut, 2, 0, 2}, {Rule::Holds, 0, 0, 0},
                  {Rule::Drop, 2, 0, 0},  {Rule::Block, 1, 0, 4}, {Rule::Cut, 2, 0, 2}, {Rule::Holds, 0, 0, 1}, {Rule::Gap}};
    plan.steps = {step(Kernel::Run, {{3, 20, 48}, {2, 8, 16}, {2, 60, 8}}, 0, 0, 8, 0),
                  step(Kernel::Run, {{3, 20, 48}, {2, 60, 8}}, 16, 32, 4, 1),
                  step(Kernel::Fill, {{3, 0, 48}, {2, 0, 8}}, 0, 36, 4, -1, 0)};
    plan.groups = {{0, 1, 0}, {1, 2, 1}};
    plan.source_bytes = 120;
    plan.destination_bytes = 144;
    plan.fills = true;
  }

  std::string objection() const { return oracle::objection_to(relation, plan).value_or(""); }

  Layout layout;
  Relation relation;
  Plan plan;
};

TEST_F(Pack, IsAcceptedAndDoesWhatItsRelationSays) {
  EXPECT_EQ(objection(), "");
  EXPECT_EQ(misdeed(relation, pairs_of(relation), plan), "");
}

TEST_F(Pack, EveryAcceptedMutantDoesWhatTheRelationSays) {
  const Pairs pairs = pairs_of(relation);
  PlanMutator mutant(20261122);
  int accepted = 0;
  constexpr int kMutants = 40000;
  for (int k = 0; k < kMutants; ++k) {
    const Plan changed = mutant(plan);
    if (oracle::objection_to(relation, changed)) continue;
    ++accepted;
    ASSERT_EQ(misdeed(relation, pairs, changed), "") << k;
  }
  EXPECT_GE(accepted, kMutants / 20);
  EXPECT_GE(kMutants - accepted, kMutants / 2);
}

}  // namespace
}  // namespace vl::test
