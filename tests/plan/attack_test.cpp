// Attacks on the checker: plans of random layouts of both families, changed at random. Each plan that is still accepted
// is run byte by byte and compared with the relation's definition. The checker does not trust the planner, whose plans
// are only starting points near right ones. VL_ATTACKS=n makes the campaign n times as long.
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle/executor/planner.h"
#include "tests/plan/mutants.h"
#include "tests/support/sanitized.h"
#include "tests/support/spyre_random.h"
#include "tests/support/tirx_random.h"

namespace vl::test {
namespace plan_attack_test {

// What a fact has of a campaign's cases, or of what it must find.
constexpr int of(int count) { return test::fact_or_campaign(count / 4, count); }

int longer(int count) {
  const char* times = std::getenv("VL_ATTACKS");
  return of(times == nullptr ? count : count * std::atoi(times));
}

/// The pairs of nests, which say them themselves.
Pairs pairs_of_nests(const use::Transfer& nests) {
  Pairs pairs;
  for (const use::Nest& nest : nests.nests) {
    const map::Space box = *map::Space::create(map::Space::dims("i", nest.extents));
    Point i(box.rank(), 0);
    if (box.volume() == 0) continue;
    do
      pairs.emplace(*map::value(map::dot(nest.source.strides, nest.source.offset), i),
                    *map::value(map::dot(nest.destination.strides, nest.destination.offset), i));
    while (map::advance(box, i));
  }
  return pairs;
}

struct Score {
  int plans = 0;
  int swizzled = 0;
  int comparing = 0;
  int several = 0;  // plans of more than two pieces
  int accepted = 0;
  int rejected = 0;
};

class Attack {
 public:
  explicit Attack(std::uint32_t seed) : mutant_(seed) {}

  /// All directions between a dense host, a host view and the layout's image.
  void on(const std::string& name, const map::Layout& layout, Index unit) {
    const Side dense{Side::Kind::Dense, &layout};
    const Side view{Side::Kind::View, &layout};
    const Side image{Side::Kind::Image, &layout};
    const Side images{Side::Kind::Image, &layout, true};
    const oracle::PlanOptions fills{true, false, ++count_ % 3 == 0 ? 0 : Index{1} << 20};
    const oracle::PlanOptions compares{false, true};
    on(name + " pack", {dense, images, nullptr, unit}, fills);
    on(name + " pack of a view", {view, images, nullptr, unit}, fills);
    on(name + " unpack", {image, dense, nullptr, unit}, fills);
    on(name + " unpack to a view", {image, view, nullptr, unit}, fills);
    on(name + " move", {image, images, nullptr, unit}, fills);
    on(name + " compare", {images, image, nullptr, unit}, compares);
  }

  void on(const std::string& name, const Relation& relation, const oracle::PlanOptions& options) {
    if (::testing::Test::HasFatalFailure() || oracle::make_plan(relation, options, plan_)) return;
    const Pairs pairs = relation.nests != nullptr ? pairs_of_nests(*relation.nests) : pairs_by_definition(relation);
    const auto objection = oracle::objection_to(relation, plan_);
    ASSERT_EQ(objection.value_or(""), "") << name;
    ASSERT_EQ(misdeed(relation, pairs, plan_), "") << name;
    ++score.plans;
    score.comparing += plan_.compares;
    score.several += plan_.pieces.size() > 0 && std::ranges::count(plan_.pieces, Rule::Emit, &Rewrite::rule) > 2;
    score.swizzled += std::ranges::any_of(plan_.steps, [](const Step& s) { return s.destination_swizzle.bits > 0; });
    for (int k = 0; k < 25; ++k) {
      const Plan changed = mutant_(plan_);
      if (oracle::objection_to(relation, changed)) {
        ++score.rejected;
        continue;
      }
      ++score.accepted;
      ASSERT_EQ(misdeed(relation, pairs, changed), "") << name << ", mutant " << k;
    }
  }

  Score score;

 private:
  PlanMutator mutant_;
  Plan plan_;
  int count_ = 0;
};

TEST(Attack, OnPlansOfRandomSpyreLayouts) {
  RandomSpyre random(20261122);
  Attack attack(1);
  for (int n = 0; n < longer(500); ++n) {
    const RandomCase made = random.next(60);
    if (const auto layout = spyre::lower(made.layout, made.tensor)) attack.on(made.show(), *layout, Index{1} << n % 5);
  }
  EXPECT_GE(attack.score.plans, of(1000));
  EXPECT_GE(attack.score.several, of(40));
  EXPECT_GE(attack.score.comparing, of(200));
  EXPECT_GE(attack.score.accepted, of(2000));
  EXPECT_GE(attack.score.rejected, of(15000));
}

TEST(Attack, OnPlansOfRandomTirxLayouts) {
  RandomTirx random(20261122);
  Attack attack(2);
  for (int n = 0; n < longer(500); ++n) {
    const RandomTirxCase made = random.next(60);
    const auto layout = tirx::lower(made.layout, made.tensor);
    if (layout && layout->physical().volume() <= 4000) attack.on(made.show(), *layout, Index{1} << n % 5);
  }
  EXPECT_GE(attack.score.plans, of(1000));
  EXPECT_GE(attack.score.swizzled, of(100));
  EXPECT_GE(attack.score.comparing, of(200));
  EXPECT_GE(attack.score.accepted, of(2000));
  EXPECT_GE(attack.score.rejected, of(15000));
}

TEST(Attack, OnPlansOfLoopNestsAsGiven) {
  Engine engine(20261122);
  Attack attack(3);
  map::LayoutParts parts;
  parts.logical = parts.physical = *map::Space::create(map::Space::dims("x", std::vector<Index>{64}));
  parts.map = {map::Affine{{map::pick(0)}}};
  const map::Layout memory = *map::Layout::create(parts);
  for (int n = 0; n < longer(6000); ++n) {
    use::Transfer nests;
    for (Index left = roll(engine, 1, 2); left > 0; --left) {
      use::Nest nest;
      nest.source.offset = roll(engine, 0, 40);
      nest.destination.offset = roll(engine, 0, 40);
      for (Index rank = roll(engine, 0, 3); rank > 0; --rank) {
        nest.extents.push_back(roll(engine, n % 50 == 0 ? 0 : 1, 4));
        nest.source.strides.push_back(roll(engine, -8, 16));
        nest.destination.strides.push_back(roll(engine, -8, 16));
      }
      nests.nests.push_back(std::move(nest));
    }
    const oracle::PlanOptions options{n % 2 == 0, n % 5 == 0};
    attack.on("nests " + std::to_string(n),
              {{Side::Kind::Dense, &memory}, {Side::Kind::Dense, &memory}, &nests, Index{1} << n % 5}, options);
  }
  EXPECT_GE(attack.score.plans, of(500));
  EXPECT_GE(attack.score.comparing, of(100));
  EXPECT_GE(attack.score.accepted, of(1000));
  EXPECT_GE(attack.score.rejected, of(8000));
}

}  // namespace plan_attack_test
}  // namespace vl::test
