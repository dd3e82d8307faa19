// Claims: their words, the conditions for vacuous and unsupported, and their statements on layouts made by hand, whose
// right answer is easy to see.
#include "tests/support/subjects.h"
#include "verifier/claims/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace vl::claims {
namespace claims_test {

map::Space space(std::string_view prefix, std::vector<Index> extents) {
  auto made = map::Space::create(map::Space::dims(prefix, extents));
  VL_CHECK(made.has_value(), "a space of the test");
  return std::move(*made);
}

map::Layout layout_of(map::LayoutParts parts) {
  auto made = map::Layout::create(std::move(parts));
  VL_CHECK(made.has_value(), "a layout of the test");
  return std::move(*made);
}

// x in [0, n) -> stride·x + start in [0, slots), decoded by s -> s (element s).
map::LayoutParts line(Index n, Index slots, Index stride = 1, Index start = 0) {
  map::LayoutParts parts;
  parts.logical = space("x", {n});
  parts.physical = space("d", {slots});
  parts.map = {map::Affine{{map::dot(std::vector<Index>{stride}, start)}}};
  parts.host_offset = map::pick(0);
  return parts;
}

std::string_view word(std::string_view claim, const map::Layout& layout, const map::Layout* other = nullptr) {
  return question::word(test::ask(claim, layout, {.other = other}).verdict);
}

Index padding_of(const map::Layout& layout) {
  const Judged answer = test::ask("padding", layout);
  const auto* proved = std::get_if<Proved>(&answer.verdict);
  return proved && proved->value ? *proved->value : -1;
}

TEST(Claims, HaveOneWordForEachVerdictAndReason) {
  EXPECT_EQ(question::word(Verdict{Proved{}}), "proved");
  EXPECT_EQ(question::word(Verdict{Refuted{}}), "refuted");
  EXPECT_EQ(question::word(Verdict{Unknown{Reason::Vacuous, {}, {}}}), "vacuous");
  EXPECT_EQ(question::word(Verdict{Unknown{Reason::Unsupported, {}, {}}}), "unsupported");
  for (const Reason reason : {Reason::OutOfReach, Reason::Timeout, Reason::ResourceLimit, Reason::Memory,
                              Reason::Incomplete, Reason::SolverFault, Reason::EnginesDisagree})
    EXPECT_EQ(question::word(Verdict{Unknown{reason, {}, {}}}), "unknown");
}

TEST(Claims, AreFoundByTheNamesOfTheTable) {
  Index found = 0;
  for (const Claim& claim : claims()) {
    EXPECT_EQ(find_claim(claim.name, is_about_nests(claim)), &claim);
    EXPECT_EQ(is_about<Pair>(claim), claim.name == "equal");
    EXPECT_EQ(is_about<WayBack>(claim), claim.name == "inverse");
    EXPECT_EQ(is_about<SharedBuffer>(claim), claim.name == "disjoint");
    EXPECT_EQ(is_about<Operated>(claim), claim.name == "compatible");
    // `occupied` is `occupied=used` where nothing is said; `accepts` has its target beside the transfer.
    if (claim.name != "accepts") {
      EXPECT_EQ(needs(claim).empty(), claim.keys.all.empty() || claim.name == "occupied") << claim.name;
    }
    EXPECT_EQ(claim.measures, claim.name == "padding" || claim.name == "bytes" || claim.name == "conflicts" ||
                                  claim.name == "contiguous" || claim.name == "padding-kind" ||
                                  claim.name == "wavefronts");
    ++found;
  }
  EXPECT_GE(found, 9);
  EXPECT_EQ(find_claim("surjective"), nullptr);
}

TEST(Claims, OfATensorWithoutElementsAreVacuousAndAllItsSlotsPadding) {
  map::LayoutParts parts = line(0, 7);
  parts.identity = map::OffsetIdentity{map::pick(0), map::pick(0)};
  const map::Layout empty = layout_of(std::move(parts));
  for (const char* claim : {"in-bounds", "injective", "bijective", "offset-identity"})
    EXPECT_EQ(word(claim, empty), "vacuous") << claim;
  EXPECT_EQ(word("equal", empty, &empty), "vacuous");
  EXPECT_EQ(word("onto", empty), "refuted");  // seven slots, and no element in them
  EXPECT_EQ(padding_of(empty), 7);
}

TEST(Claims, OfElementsWithoutAnySlotAreVacuousWhereTheySpeakOfSlots) {
  map::LayoutParts parts = line(3, 4, 1, 10);  // 10, 11, 12 of 4 slots
  parts.identity = map::OffsetIdentity{map::pick(0), map::pick(0)};
  const map::Layout outside = layout_of(std::move(parts));
  EXPECT_EQ(word("in-bounds", outside), "refuted");
  EXPECT_EQ(word("bijective", outside), "refuted");
  EXPECT_EQ(word("injective", outside), "vacuous");
  EXPECT_EQ(word("offset-identity", outside), "vacuous");
  EXPECT_EQ(padding_of(outside), 4);
}

TEST(Claims, OntoIsVacuousWithoutASlot) {
  const map::Layout nowhere = layout_of(line(3, 0));
  EXPECT_EQ(word("onto", nowhere), "vacuous");
  EXPECT_EQ(word("in-bounds", nowhere), "refuted");
  EXPECT_EQ(padding_of(nowhere), 0);
}

TEST(Claims, OffsetIdentityIsUnsupportedWithoutAnIdentity) {
  EXPECT_EQ(word("offset-identity", layout_of(line(3, 4))), "unsupported");
}

TEST(Claims, WellFormedHoldsWhatARuleHasAgainstWhatItWants) {
  const map::Layout layout = layout_of(line(3, 4));
  const auto judged = [&](std::vector<use::Rule> rules) {
    return test::ask("well-formed", layout, {.rules = rules}).verdict;
  };
  EXPECT_EQ(question::word(judged({})), "proved");
  EXPECT_EQ(question::word(judged({{"a stick", 64, 64}})), "proved");
  const Verdict refuted = judged({{"a stick", 64, 64}, {"two halves", 63, 32}});
  ASSERT_EQ(question::word(refuted), "refuted");
  const Counterexample& why = std::get<Refuted>(refuted).counterexample;
  ASSERT_EQ(why.fields.size(), 2U);
  EXPECT_EQ(why.fields[0], (std::pair<std::string, Counterexample::Value>{"have", Index{63}}));
  EXPECT_EQ(why.fields[1], (std::pair<std::string, Counterexample::Value>{"want", Index{32}}));
  EXPECT_NE(why.explanation.find("two halves"), std::string::npos);
}

TEST(Claims, PaddingIsTheBoxWithoutTheImage) {
  EXPECT_EQ(padding_of(layout_of(line(3, 4))), 1);
  EXPECT_EQ(padding_of(layout_of(line(3, 7, 2))), 4);
  EXPECT_EQ(padding_of(layout_of(line(3, 4, 2))), 2);      // 0, 2 and, outside, 4
  EXPECT_EQ(padding_of(layout_of(line(3, 4, 0))), 3);      // three elements in one slot
  EXPECT_EQ(padding_of(layout_of(line(3, 4, -1, 1))), 2);  // 1, 0 and, outside, -1
}

// Replicas: each element in two slots, x and x + 3, or both replicas in one slot.
map::LayoutParts copies(Index step) {
  map::LayoutParts parts = line(3, 6);
  parts.replicas = space("r", {2});
  parts.map = {map::Affine{{map::dot(std::vector<Index>{1, step})}}};
  return parts;
}

TEST(Claims, ReplicasAreSlotsOfTheirElement) {
  const map::Layout apart = layout_of(copies(3));
  EXPECT_EQ(word("injective", apart), "proved");
  EXPECT_EQ(word("bijective", apart), "proved");
  EXPECT_EQ(padding_of(apart), 0);
  EXPECT_EQ(question::memory_of(apart, Point{1}), (std::vector<Index>{1, 4}));
  const map::Layout same = layout_of(copies(0));
  EXPECT_EQ(word("injective", same), "refuted");
  EXPECT_EQ(word("in-bounds", same), "proved");
  EXPECT_EQ(question::memory_of(same, Point{1}), (std::vector<Index>{1}));
  const map::Layout leaving = layout_of(copies(5));  // the second replica of 1 and 2 leaves the box
  EXPECT_EQ(word("in-bounds", leaving), "refuted");
  EXPECT_EQ(question::memory_of(leaving, Point{0}), (std::vector<Index>{0, 5}));
  EXPECT_EQ(question::memory_of(leaving, Point{1}), (std::vector<Index>{1}));
  const map::Layout overlapping = layout_of(copies(1));  // the second replica of 0 is in the slot of 1
  EXPECT_EQ(word("injective", overlapping), "refuted");
}

TEST(Claims, EqualComparesReplicasAsSets) {
  // r -> 1-r: the same two slots in another order.
  map::LayoutParts turned = copies(3);
  turned.map = {map::Affine{{map::dot(std::vector<Index>{1, -3}, 3)}}};
  const map::Layout a = layout_of(copies(3));
  const map::Layout b = layout_of(std::move(turned));
  EXPECT_EQ(word("equal", a, &b), "proved");
  const map::Layout once = layout_of(line(3, 6));
  EXPECT_EQ(word("equal", a, &once), "refuted");
  EXPECT_EQ(word("equal", once, &a), "refuted");
  const map::Layout twice = layout_of(copies(0));  // both replicas where `once` has its one
  EXPECT_EQ(word("equal", twice, &once), "proved");
}

TEST(Claims, EqualComparesMemoryAndItsSize) {
  const map::Layout six = layout_of(line(3, 6));
  const map::Layout seven = layout_of(line(3, 7));
  const Judged answer = test::ask("equal", six, {.other = &seven});
  ASSERT_EQ(question::word(answer.verdict), "refuted");
  const auto& fields = std::get<Refuted>(answer.verdict).counterexample.fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0], (std::pair<std::string, Counterexample::Value>{"size", Index{6}}));
  EXPECT_EQ(fields[1], (std::pair<std::string, Counterexample::Value>{"other_size", Index{7}}));
  // Another shape of the same memory is equal, and one element further is not.
  map::LayoutParts folded = line(3, 6);
  folded.physical = space("d", {2, 3});
  folded.map = {map::Affine{{map::Row{}, map::pick(0)}}};
  const map::Layout boxed = layout_of(std::move(folded));
  EXPECT_EQ(word("equal", six, &boxed), "proved");
  const map::Layout shifted = layout_of(line(3, 6, 1, 1));
  EXPECT_EQ(word("equal", six, &shifted), "refuted");
  // Without a slot in both is equal, in one is not.
  const map::Layout out_a = layout_of(line(3, 6, 1, 4));
  const map::Layout out_b = layout_of(line(3, 6, 3, 4));
  EXPECT_EQ(word("equal", out_a, &out_b), "refuted");
  EXPECT_EQ(word("equal", out_a, &out_a), "proved");
}

TEST(Claims, OffsetIdentityIsRefutedWhenItsRowIsWrong) {
  map::LayoutParts right = line(3, 6, 2);
  right.identity = map::OffsetIdentity{map::pick(0), map::Row{0, {{0, 2}}}};
  EXPECT_EQ(word("offset-identity", layout_of(right)), "proved");
  map::LayoutParts wrong = right;
  wrong.identity->element = map::Row{0, {{0, 3}}};
  const map::Layout layout = layout_of(wrong);
  const Judged answer = test::ask("offset-identity", layout);
  ASSERT_EQ(question::word(answer.verdict), "refuted");
  const auto& fields = std::get<Refuted>(answer.verdict).counterexample.fields;
  EXPECT_EQ(fields[0], (std::pair<std::string, Counterexample::Value>{"a", Point{1}}));  // the smallest: 2 against 3
  EXPECT_EQ(fields[1], (std::pair<std::string, Counterexample::Value>{"physical", Point{2}}));
  EXPECT_EQ(fields[2], (std::pair<std::string, Counterexample::Value>{"dot", Index{2}}));
  EXPECT_EQ(fields[3], (std::pair<std::string, Counterexample::Value>{"host_offset", Index{3}}));
}

TEST(Claims, BijectiveIsRefutedByADecodeRuleThatGivesASlotAway) {
  // Element x lives at 2x; the rule decodes slot s to element s.
  map::LayoutParts parts = line(3, 6, 2);
  parts.decode = {map::Affine{{map::pick(0)}}};
  const map::Layout wrong = layout_of(parts);
  EXPECT_EQ(word("in-bounds", wrong), "proved");
  EXPECT_EQ(word("injective", wrong), "proved");
  EXPECT_EQ(word("bijective", wrong), "refuted");
  // With the right rule (s = 2·element + guard) it is proved, and by every engine that decides.
  parts.decode = {map::Split{0, {2, 1}}};
  parts.decode_guards = 1;
  const map::Layout right = layout_of(parts);
  EXPECT_EQ(word("bijective", right), "proved");
  Index decided = 0;
  for (const engines::Engine& engine : engines::engines()) {
    engines::Options options;
    options.only = engine.name;
    for (const auto& [layout, expected] : {std::pair(&wrong, "refuted"), std::pair(&right, "proved")}) {
      const std::string_view said = question::word(test::ask("bijective", *layout, {}, options).verdict);
      if (said == "unknown") continue;
      EXPECT_EQ(said, expected) << engine.name;
      ++decided;
    }
  }
  EXPECT_GE(decided, 5);
}

TEST(Claims, AreNeverProvedByAnEngineThatAbstains) {
  const map::Layout layout = layout_of(line(3, 4));
  engines::Options options;
  options.only = "no such engine";
  Index undecided = 0;
  for (const char* claim : {"in-bounds", "injective", "onto", "bijective", "padding"}) {
    const Judged answer = test::ask(claim, layout, {}, options);
    EXPECT_EQ(question::word(answer.verdict), "unknown") << claim;
    ++undecided;
  }
  EXPECT_EQ(undecided, 5);
}

TEST(Claims, AreAskedOnlyOfWhatTheyAreAbout) {
  const map::Layout layout = layout_of(line(3, 4));
  EXPECT_THROW((void)decide(*find_claim("equal"), OneLayout{layout}, {}), InternalError);
}

}  // namespace claims_test
}  // namespace vl::claims
