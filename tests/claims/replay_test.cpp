// replay() accepts exactly the genuine witnesses. Every witness of random layouts is changed, one coordinate at a time;
// a witness that is still accepted must be genuine by the rule in plain arrays.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"

namespace vl::question {
namespace claims_replay_test {

using test::Truth;

bool genuine(const Truth& truth, Kind kind, const Witness& w) {
  const auto slot = [&](const Point& p) {
    return truth.slots[static_cast<std::size_t>(test::number_of(p, truth.domain))];
  };
  switch (kind) {
    case Kind::Escapes: return test::inside(w.p, truth.domain) && slot(w.p) < 0;
    case Kind::Lands: return test::inside(w.p, truth.domain) && slot(w.p) >= 0;
    case Kind::Collides:
      return test::inside(w.p, truth.domain) && test::inside(w.q, truth.domain) && w.p < w.q && slot(w.p) >= 0 &&
             slot(w.p) == slot(w.q);
    case Kind::Misses:
      return test::inside(w.slot, truth.physical) &&
             truth.hits[static_cast<std::size_t>(test::number_of(w.slot, truth.physical))] == 0;
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Differs:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  return false;
}

struct Tally {
  Index tampered = 0;
  Index accepted = 0;
};

TEST(Replay, AcceptsATamperedWitnessOnlyWhenItIsGenuine) {
  test::RandomSpyre random(20261121);
  std::map<Kind, Tally> tallies;
  Index witnesses = 0;
  for (int n = 0; n < 3000; ++n) {
    const test::RandomCase made = random.next(30);
    const auto layout = spyre::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value());
    const Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses}) {
      const Question question{kind, &*layout, nullptr};
      const engines::Answer answer = engines::decide_enumerate(question, {});
      const auto* found = std::get_if<engines::Found>(&answer);
      if (found == nullptr) continue;
      ++witnesses;
      ASSERT_TRUE(replay(question, found->witness)) << made.show();
      ASSERT_TRUE(genuine(truth, kind, found->witness)) << made.show();
      const auto tamper = [&](Witness changed) {
        const bool accepted = replay(question, changed);
        ASSERT_EQ(accepted, genuine(truth, kind, changed)) << name(kind) << " of " << made.show();
        ++tallies[kind].tampered;
        tallies[kind].accepted += accepted ? 1 : 0;
      };
      for (Point Witness::*part : {&Witness::p, &Witness::q, &Witness::slot}) {
        for (std::size_t i = 0; i < (found->witness.*part).size(); ++i)
          for (const Index by : {-1, 1, 2, 1'000'000'000}) {
            Witness changed = found->witness;
            (changed.*part)[i] += by;
            tamper(std::move(changed));
          }
        if ((found->witness.*part).empty()) continue;
        Witness shorter = found->witness;
        (shorter.*part).pop_back();
        tamper(std::move(shorter));
        Witness longer = found->witness;
        (longer.*part).push_back(0);
        tamper(std::move(longer));
      }
      if (kind == Kind::Collides) {
        tamper({found->witness.q, found->witness.p, {}});
        tamper({found->witness.p, found->witness.p, {}});
      }
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(witnesses, 4000);
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses}) {
    const Tally& tally = tallies[kind];
    std::cout << fmt::format("{}: {} tampered, {} still genuine\n", name(kind), tally.tampered, tally.accepted);
    EXPECT_GT(tally.tampered, 1000) << name(kind);
    EXPECT_GT(tally.tampered - tally.accepted, 500) << name(kind);
    EXPECT_GT(tally.accepted, 0) << name(kind);
  }
}

TEST(Replay, AcceptsNoCountAndNoWitnessOfAClaimThatHolds) {
  const spyre::SpyreTensorLayout raw = test::raw_layout({3, 4}, {4, 1});
  map::Tensor tensor;
  tensor.size = {3, 4};
  const auto layout = spyre::lower(raw, tensor);
  ASSERT_TRUE(layout.has_value());
  Index refused = 0;
  for (Index i = -1; i <= 3; ++i)
    for (Index j = -1; j <= 4; ++j) {
      const Point p{i, j};
      for (const Kind kind :
           {Kind::Escapes, Kind::Misdecodes, Kind::Breaks, Kind::Misses, Kind::Count, Kind::Collides}) {
        EXPECT_FALSE(replay({kind, &*layout, nullptr}, {p, {2, 3}, p})) << name(kind) << i << j;
        ++refused;
      }
      EXPECT_FALSE(replay({Kind::Differs, &*layout, &*layout}, {p, {}, {}}));
      EXPECT_EQ(replay({Kind::Lands, &*layout, nullptr}, {p, {}, {}}), i >= 0 && j >= 0 && i < 3 && j < 4);
    }
  EXPECT_EQ(refused, 5 * 6 * 6);
}

TEST(Replay, HoldsWitnessesOfRulesAgainstTheRules) {
  // Element x at 2x of 6 slots; decode gives slot s to element s; the identity's element row is 3x.
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{3}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{6}));
  parts.map = {map::Affine{{map::Row{0, {{0, 2}}}}}};
  parts.decode = {map::Affine{{map::pick(0)}}};
  parts.identity = map::OffsetIdentity{map::pick(0), map::Row{0, {{0, 3}}}};
  const auto layout = map::Layout::create(parts);
  parts.map = {map::Affine{{map::Row{0, {{0, 1}}}}}};
  const auto other = map::Layout::create(parts);
  ASSERT_TRUE(layout.has_value() && other.has_value());
  for (Index x = -1; x <= 3; ++x) {
    const bool element = x > 0 && x < 3;  // x = 0 satisfies every rule
    EXPECT_EQ(replay({Kind::Misdecodes, &*layout, nullptr}, {{x}, {}, {}}), element) << x;
    EXPECT_EQ(replay({Kind::Breaks, &*layout, nullptr}, {{x}, {}, {}}), element) << x;
    EXPECT_EQ(replay({Kind::Differs, &*layout, &*other}, {{x}, {}, {}}), element) << x;
  }
}

}  // namespace claims_replay_test
}  // namespace vl::question
