// The checker on plans written by hand: right ones, and one for each possible mistake of a planner.
#include "oracle/plan/check.h"

#include <gtest/gtest.h>

#include "tests/plan/mutants.h"

namespace vl::test {
namespace plan_check_test {

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
    plan.pieces = {{Rule::Cut, 2, 0, 8}, {Rule::Block, 2, 0, 4}, {Rule::Digit},  {Rule::Affine},  {Rule::Address},
                   {Rule::Emit},         {Rule::Digit},          {Rule::Affine}, {Rule::Address}, {Rule::Emit}};
    // 72 units: (y:9, v:8) with stick numbers x1·3 + t, then (x1:3, t:3, v).
    plan.cover = {{Rule::Block, 0, 0, 8}, {Rule::Block, 0, 0, 3}, {Rule::Cut, 2, 0, 2},
                  {Rule::Holds, 0, 0, 0}, {Rule::Drop, 2, 0, 0},  {Rule::Block, 1, 0, 4},
                  {Rule::Cut, 2, 0, 2},   {Rule::Holds, 0, 0, 1}, {Rule::Gap}};
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
  EXPECT_EQ(misdeed(relation, pairs_by_definition(relation), plan), "");
}

TEST_F(Pack, EveryAcceptedMutantDoesWhatTheRelationSays) {
  const Pairs pairs = pairs_by_definition(relation);
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

TEST_F(Pack, IsRefusedForAnotherPurpose) {
  EXPECT_EQ(oracle::objection_to(relation, plan, {true, false}), std::nullopt);
  EXPECT_EQ(oracle::objection_to(relation, plan, {false, false}), "it fills gaps");
  EXPECT_EQ(oracle::objection_to(relation, plan, {false, true}), "it does not compare");
  plan.steps.pop_back();
  plan.groups[1] = {1, 1, 0};
  plan.fills = false;
  EXPECT_EQ(oracle::objection_to(relation, plan, {false, false}), std::nullopt);
  EXPECT_EQ(oracle::objection_to(relation, plan, {true, false}), "it does not fill gaps");
}

struct Wrong {
  const char* name;
  void (*change)(Relation&, Plan&);
  const char* says;  // what the objection begins with
};

constexpr Wrong kWrong[] = {
    {"ACutOffByOne", [](Relation&, Plan& p) { p.pieces[0].n = 9; }, "rewrites end before"},
    {"ACutAtTheEnd", [](Relation&, Plan& p) { p.pieces[0].n = 10; }, "rewrite 0 (cut): 10 does not part"},
    {"NoCut", [](Relation&, Plan& p) { p.pieces.erase(p.pieces.begin()); },
     "cover 3 (holds): piece 0 writes other units"},
    {"BlocksOfAnotherSize", [](Relation&, Plan& p) { p.pieces[1].n = 2; },
     "rewrite 2 (digit): the rest reaches 7, the weight is 4"},
    {"BlocksOfNothing", [](Relation&, Plan& p) { p.pieces[1].n = 0; }, "rewrite 1 (block): "},
    {"AVariableThatIsNot", [](Relation&, Plan& p) { p.pieces[1].a = 3; }, "rewrite 1 (block): variable 3 of 3"},
    {"StagesInAnotherOrder", [](Relation&, Plan& p) { std::swap(p.pieces[2], p.pieces[3]); }, "rewrite 2 (affine): "},
    {"AStageLeftOut", [](Relation&, Plan& p) { p.pieces.erase(p.pieces.begin() + 3); }, "rewrite 3 (address): a stage"},
    {"AnAddressLeftOut", [](Relation&, Plan& p) { p.pieces.erase(p.pieces.begin() + 4); },
     "rewrite 4 (emit): the destination"},
    {"AStageTooMany", [](Relation&, Plan& p) { p.pieces.insert(p.pieces.begin() + 4, {Rule::Affine}); },
     "rewrite 4 (affine): "},
    {"ACellLeftOut", [](Relation&, Plan& p) { p.pieces.resize(6); }, "rewrites end before"},
    {"ARewriteTooMany", [](Relation&, Plan& p) { p.pieces.push_back({Rule::Emit}); },
     "rewrite 10 (emit): no cell is left"},
    {"APieceInTheWrongList", [](Relation&, Plan& p) { p.pieces[5] = {Rule::Holds}; }, "rewrite 5 (holds): "},
    {"AStageInTheCover", [](Relation&, Plan& p) { p.cover[0] = {Rule::Affine}; }, "cover 0 (affine): "},
    {"PiecesThatOverlap", [](Relation&, Plan& p) { p.cover[3].n = 1; }, "cover 3 (holds): piece 1 writes other units"},
    {"APieceHeldTwice",
     [](Relation&, Plan& p) {
       p.cover[8] = {Rule::Holds, 0, 0, 1};
     },
     "cover 8 (holds): piece 1 is held twice"},
    {"AGapOverData", [](Relation&, Plan& p) { p.cover[7] = {Rule::Gap}; }, "no leaf of the cover holds piece 1"},
    {"TheWrongTail", [](Relation&, Plan& p) { p.cover[6].n = 3; }, "cover 7 (holds): piece 1 writes other units"},
    {"ACoverThatEndsEarly", [](Relation&, Plan& p) { p.cover.pop_back(); }, "the cover ends before the memory"},
    {"NoCover", [](Relation&, Plan& p) { p.cover.clear(); }, "the cover ends before the memory"},
    {"APieceThatIsNot", [](Relation&, Plan& p) { p.cover[7].n = 2; }, "cover 7 (holds): there is no piece 2"},
    {"AGapNotFilled",
     [](Relation&, Plan& p) {
       p.steps.pop_back();
       p.groups[1].count = 1;
     },
     "gap 0 is not filled"},
    {"AGapFilledTwice",
     [](Relation&, Plan& p) {
       p.steps.push_back(p.steps[2]);
       p.groups[1].count = 3;
     },
     "step 3 (fill): gap 0 is filled twice"},
    {"AFillThatWasNotAsked", [](Relation&, Plan& p) { p.fills = false; }, "gap 0 is filled"},
    {"AFillOneUnitShort", [](Relation&, Plan& p) { p.steps[2].run = 2; }, "step 2 (fill): "},
    {"AFillOfHalvesOfUnits",
     [](Relation&, Plan& p) {
       p.steps[2] = step(Kernel::Fill, {{3, 0, 48}, {2, 0, 8}, {4, 0, 1}}, 0, 36, 1, -1, 0);
     },
     "step 2 (fill): a fill begins within a unit"},
    {"AFillWithAPiece", [](Relation&, Plan& p) { p.steps[2].piece = 1; }, "step 2 (fill): "},
    {"AFillWithASource", [](Relation&, Plan& p) { p.steps[2].loops[0].source = 20; },
     "step 2 (fill): a gap with a source"},
    {"SwappedStrides", [](Relation&, Plan& p) { std::swap(p.steps[0].loops[1].source, p.steps[0].loops[2].source); },
     "step 0 (run): its loops"},
    {"ARunTooLong", [](Relation&, Plan& p) { p.steps[0].run = 10; }, "step 0 (run): its loops"},
    {"ARunOffByOneByte", [](Relation&, Plan& p) { ++p.steps[1].source; }, "step 1 (run): its loops"},
    {"AnIterationTooMany", [](Relation&, Plan& p) { ++p.steps[0].loops[0].extent; }, "step 0 (run): its loops"},
    {"NoIterations", [](Relation&, Plan& p) { p.steps[0].loops[0].extent = 0; }, "step 0 (run): loop 0 has 0"},
    {"TooManyLoops", [](Relation&, Plan& p) { p.steps[0].rank = 17; }, "step 0 (run): 17 loops"},
    {"AStrideThatNothingUsesButOverflows",
     [](Relation&, Plan& p) {
       p.steps[0].loops[3] = {1, Index{1} << 62, 0};
       p.steps[0].rank = 4;
     },
     "step 0 (run): loop 3 steps"},
    {"APieceDoneTwice", [](Relation&, Plan& p) { p.steps[1] = p.steps[0]; }, "step 1 (run): piece 0 is done twice"},
    {"APieceNotDone",
     [](Relation&, Plan& p) {
       p.steps.erase(p.steps.begin());
       p.groups = {{0, 2, 1}};
     },
     "no step does piece 0"},
    {"ATransposeOfOtherStrides", [](Relation&, Plan& p) { p.steps[0].kernel = Kernel::Transpose; },
     "step 0 (transpose): the last two"},
    {"StridedUnitsOfAnOddSize",
     [](Relation&, Plan& p) {
       p.steps[0].run = 6;
       p.steps[0].kernel = Kernel::Strided;
     },
     "step 0 (strided): units of 6"},
    {"AComparison", [](Relation&, Plan& p) { p.steps[0].kernel = Kernel::Compare; },
     "step 0 (compare): it only compares"},
    {"APlanThatComparesAndWrites", [](Relation&, Plan& p) { p.compares = true; }, "a cover where none"},
    {"ASwizzleThatIsNot",
     [](Relation&, Plan& p) {
       p.steps[0].destination_swizzle = {3, 1, 1, false};
     },
     "step 0 (run): its swizzles"},
    {"AGroupOfUnequalLoops", [](Relation&, Plan& p) { p.steps[2].loops[0].extent = 2; }, "step 2 (fill): its loops"},
    {"AGroupThatSharesUnequalLoops",
     [](Relation&, Plan& p) {
       p.groups = {{0, 2, 3}, {2, 1, 0}};
     },
     "group 0: step 1 has no 3 loops"},
    {"AGroupOfUnequalExtents", [](Relation&, Plan& p) { std::swap(p.steps[1].loops[0], p.steps[1].loops[1]); },
     "group 1: loop 0 of step 2"},
    {"AGroupThatSharesNothing", [](Relation&, Plan& p) { p.groups[1].shared = 0; }, "group 1: 2 steps share no loop"},
    {"AStepInNoGroup", [](Relation&, Plan& p) { p.groups.pop_back(); }, "step 1 is in no group"},
    {"AStepInTwoGroups", [](Relation&, Plan& p) { p.groups[1].first = 0; }, "group 1: "},
    {"AGroupBeyondTheSteps", [](Relation&, Plan& p) { p.groups[1].count = 3; }, "group 1: "},
    {"AMemoryOfAnotherLength", [](Relation&, Plan& p) { ++p.source_bytes; }, "memories of 120 and 144 bytes"},
    {"AnotherUnit", [](Relation& r, Plan&) { r.unit = 4; }, "memories of 240 and 288 bytes"},
    {"AUnitOfThreeBytes", [](Relation& r, Plan&) { r.unit = 3; }, "a unit of 3 bytes"},
    {"TheOtherDirection",
     [](Relation& r, Plan& p) {
       std::swap(r.source, r.destination);
       std::swap(p.source_bytes, p.destination_bytes);
     },
     "a cover where none"},
    {"APinnedDimension", [](Relation& r, Plan&) { r.source.pinned = 1; }, "step 0 (run): its loops"},
    {"NoLayout", [](Relation& r, Plan&) { r.source.layout = nullptr; }, "the source has no layout"},
};

class WrongPlans : public Pack, public ::testing::WithParamInterface<Wrong> {};

TEST_P(WrongPlans, AreRejectedWithTheirReason) {
  GetParam().change(relation, plan);
  const std::string why = objection();
  EXPECT_EQ(why.substr(0, std::string(GetParam().says).size()), GetParam().says) << why;
}

INSTANTIATE_TEST_SUITE_P(Known, WrongPlans, ::testing::ValuesIn(kWrong),
                         [](const auto& row) { return row.param.name; });

}  // namespace plan_check_test
}  // namespace vl::test
