// Plans against their relations, unit by unit, on random layouts of both families, on moves between them, on loop
// nests, and on strided, expanded and reversed host views. VL_CASES=n multiplies the number of cases.
#include "oracle/executor/planner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "encodings/use/synthesis.h"
#include "oracle/executor/print.h"
#include "oracle/plan/check.h"
#include "tests/executor/pairs.h"
#include "tests/support/spyre_random.h"
#include "tests/support/tirx_random.h"

namespace vl::test {
namespace executor_planner_campaign {

using oracle::Plan;
using oracle::PlanOptions;
using oracle::Relation;
using oracle::Side;

int cases(int everyday) {
  const char* more = std::getenv("VL_CASES");
  return everyday * (more == nullptr ? 1 : std::max(1, std::atoi(more)));
}

/// Relations that have a meaning, each destination unit written once: with a plan, and why not.
struct Tally {
  int relations = 0;
  int planned = 0;
  int gaps = 0;
  int pieces = 0;
  std::map<std::string, int> refused;

  [[nodiscard]] int percent() const { return relations == 0 ? 0 : 100 * planned / relations; }
};

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  out << fmt::format("{} of {} relations planned, {} pieces, {} gaps\n", tally.planned, tally.relations, tally.pieces,
                     tally.gaps);
  for (const auto& [why, times] : tally.refused) out << fmt::format("    {} not: {}\n", times, why);
  return out;
}

/// Makes a plan and compares it with the definition: the same pairs, the gaps filled, the certificate accepted.
void hold(const std::string& name, const Relation& relation, const PlanOptions& options, Tally& tally) {
  static Plan plan;
  const auto pairs = pairs_of(relation);
  const auto units = oracle::units_of(relation.destination);
  const auto sources = oracle::units_of(relation.source);
  const auto inside = [&](const Pair& p) {
    return p.first >= 0 && p.first < *sources && p.second >= 0 && p.second < *units;
  };
  const bool once = pairs && writes_once(*pairs);
  const bool sound = pairs && units && sources && (once || options.compares) && std::ranges::all_of(*pairs, inside);
  const auto error = oracle::make_plan(relation, options, plan);
  if (!sound) {
    ASSERT_TRUE(error) << name << ": planned, though there is nothing to plan\n"
                       << oracle::print(plan, relation.unit, {});
    ASSERT_TRUE(plan.steps.empty());
    return;
  }
  ++tally.relations;
  if (error) {
    ++tally.refused[error->message];
    if (std::getenv("VL_SHOW") != nullptr) fmt::print("{}: {}\n", name, error->message);
    return;
  }
  ++tally.planned;
  const Trace trace = trace_of(plan, relation.unit);
  const bool fills = options.fills && !options.compares && relation.destination.kind == Side::Kind::Image;
  const auto gaps = fills ? gaps_of(*pairs, *units) : std::vector<Index>{};
  for (const oracle::Step& step : plan.steps) ++(step.piece >= 0 ? tally.pieces : tally.gaps);
  ASSERT_EQ(plan.fills, fills);
  ASSERT_TRUE((options.compares ? trace.compared : trace.copied) == *pairs) << name << "\n"
                                                                            << oracle::print(plan, relation.unit, {});
  ASSERT_TRUE((options.compares ? trace.copied : trace.compared).empty()) << name;
  ASSERT_TRUE(trace.filled == gaps) << name << "\n" << oracle::print(plan, relation.unit, {});
  const auto objection = oracle::objection_to(relation, plan, {options.fills, options.compares});
  ASSERT_TRUE(!objection || !once) << name << "\n" << oracle::print(plan, relation.unit, objection);
}

Side dense(const map::Layout& layout) { return {Side::Kind::Dense, &layout, false, 0}; }
Side view(const map::Layout& layout, std::uint64_t pinned = 0) { return {Side::Kind::View, &layout, false, pinned}; }
Side image(const map::Layout& layout, bool replicas) { return {Side::Kind::Image, &layout, replicas, 0}; }

/// Dimensions along which the host's offsets do not change.
std::uint64_t expanded(const map::Layout& layout) {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < layout.logical().rank(); ++k) {
    const auto reads = [&](const map::Term& term) { return term.input == k; };
    if (std::ranges::none_of(layout.host_offset().terms, reads)) out |= std::uint64_t{1} << k;
  }
  return out;
}

struct Tallies {
  Tally pack, unpack, compare, from_view, to_view, pinned, move, nests;
};

void hold_all(const std::string& name, const map::Layout& layout, Index unit, Tallies& tallies) {
  const PlanOptions copies;
  PlanOptions compares;
  compares.compares = true;
  PlanOptions leaves;
  leaves.fills = false;
  hold("pack " + name, {dense(layout), image(layout, true), nullptr, unit}, unit == 4 ? leaves : copies, tallies.pack);
  hold("unpack " + name, {image(layout, false), dense(layout), nullptr, unit}, copies, tallies.unpack);
  hold("compare " + name, {image(layout, false), image(layout, true), nullptr, unit}, compares, tallies.compare);
  hold("pack of a view " + name, {view(layout), image(layout, true), nullptr, unit}, copies, tallies.from_view);
  hold("unpack to a view " + name, {image(layout, false), view(layout), nullptr, unit}, copies, tallies.to_view);
  const std::uint64_t pinned = expanded(layout);
  if (pinned == 0) return;
  Side device = image(layout, true);
  device.pinned = pinned;
  hold("pack of a pinned view " + name, {view(layout, pinned), device, nullptr, unit}, copies, tallies.pinned);
  device.replicas = false;
  hold("unpack to a pinned view " + name, {device, view(layout, pinned), nullptr, unit}, copies, tallies.pinned);
  const Side first{Side::Kind::Dense, &layout, false, pinned};
  hold("unpack, one side pinned " + name, {image(layout, false), first, nullptr, unit}, copies, tallies.pinned);
}

void hold_nests(const std::string& name, const map::Layout& layout, Index unit, Tally& tally) {
  for (const auto direction : {use::Direction::HostToDevice, use::Direction::DeviceToHost}) {
    auto transfer = use::synthesise(layout, direction);
    if (!transfer) continue;
    const bool up = direction == use::Direction::HostToDevice;
    const Side host = view(layout);
    const Side device = image(layout, false);
    for (int change = 0; change < 3; ++change) {
      if (change == 1) std::ranges::reverse(transfer->nests);
      if (change == 2 && !transfer->nests.empty()) {  // perhaps outside, twice, or short of some
        use::Nest& nest = transfer->nests.front();
        if (!nest.extents.empty()) nest.extents.front() += static_cast<Index>(name.size() % 3) - 1;
        nest.destination.offset += static_cast<Index>(name.size() % 2);
      }
      hold(fmt::format("nests {} {}", change, name), {up ? host : device, up ? device : host, &*transfer, unit}, {},
           tally);
    }
  }
}

/// Layouts of one tensor, to move between.
class Movers {
 public:
  void hold(const std::string& name, const map::Layout& layout, Index unit, Tally& tally) {
    std::unique_ptr<map::Layout>& last = by_shape_[map::extents_of(layout.logical())];
    if (last)
      executor_planner_campaign::hold("move to " + name, {image(*last, false), image(layout, true), nullptr, unit}, {},
                                      tally);
    last = std::make_unique<map::Layout>(layout);
  }

 private:
  std::map<std::vector<Index>, std::unique_ptr<map::Layout>> by_shape_;
};

TEST(Planner, RandomSpyreLayoutsAreTheirRelations) {
  RandomSpyre random(1);
  Movers movers;
  Tallies of;
  for (int n = 0; n < cases(1200) && !HasFatalFailure(); ++n) {
    const RandomCase made = random.next(120);
    const auto layout = spyre::lower(made.layout, made.tensor);
    if (!layout) continue;
    const Index unit = Index{1} << n % 5;
    hold_all(made.show(), *layout, unit, of);
    if (n % 3 == 0) hold_nests(made.show(), *layout, unit, of.nests);
    movers.hold(made.show(), *layout, unit, of.move);
  }
  for (const Tally* tally :
       {&of.pack, &of.unpack, &of.compare, &of.from_view, &of.to_view, &of.pinned, &of.move, &of.nests})
    std::cout << *tally;
  for (const Tally* tally : {&of.pack, &of.unpack, &of.compare, &of.from_view, &of.to_view}) {
    EXPECT_GE(tally->relations, cases(500)) << *tally;
    EXPECT_GE(tally->percent(), 98) << *tally;
  }
  EXPECT_GE(of.pinned.relations, cases(30));
  EXPECT_GE(of.pinned.percent(), 95) << of.pinned;
  EXPECT_GE(of.nests.relations, cases(300));
  EXPECT_GE(of.nests.percent(), 95) << of.nests;
  EXPECT_GE(of.move.relations, cases(100));
  EXPECT_GE(of.move.percent(), 90) << of.move;
  EXPECT_GE(of.pack.gaps, cases(500));
}

TEST(Planner, RandomTirxLayoutsAreTheirRelations) {
  RandomTirx random(1);
  Movers movers;
  Tallies of;
  for (int n = 0; n < cases(1200) && !HasFatalFailure(); ++n) {
    const RandomTirxCase made = random.next(120);
    const auto layout = tirx::lower(made.layout, made.tensor);
    if (!layout || layout->physical().volume() > 20000) continue;
    const Index unit = Index{1} << n % 5;
    hold_all(made.show(), *layout, unit, of);
    movers.hold(made.show(), *layout, unit, of.move);
  }
  for (const Tally* tally : {&of.pack, &of.unpack, &of.compare, &of.from_view, &of.to_view, &of.move})
    std::cout << *tally;
  for (const Tally* tally : {&of.pack, &of.unpack, &of.compare, &of.from_view, &of.to_view}) {
    EXPECT_GE(tally->relations, cases(400)) << *tally;
    EXPECT_GE(tally->percent(), 93) << *tally;
  }
  EXPECT_GE(of.move.relations, cases(30));
  EXPECT_GE(of.move.percent(), 90) << of.move;
}

}  // namespace executor_planner_campaign
}  // namespace vl::test
