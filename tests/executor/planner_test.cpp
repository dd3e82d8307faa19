// Plans against the relations that they are made of, unit by unit, on random layouts of both families and on the corpus.
#include "oracle/executor/planner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "oracle/plan/check.h"
#include "tests/executor/pairs.h"
#include "tests/support/spyre_random.h"
#include "tests/support/tirx_random.h"

namespace vl::test {
namespace {

using oracle::Plan;
using oracle::PlanOptions;
using oracle::Relation;
using oracle::Side;

/// How often plans were made, and why not where there was a relation to plan.
struct Tally {
  std::map<std::string, int> made;
  std::map<std::string, std::map<std::string, int>> refused;
  int objections = 0;
};

/// Makes a plan and holds it against the definition. What is refused although it is a relation is counted.
void hold(const std::string& kind, const std::string& name, const Relation& relation, const PlanOptions& options, Tally& tally) {
  const auto pairs = pairs_of(relation);
  const auto units = oracle::units_of(relation.destination);
  const auto sources = oracle::units_of(relation.source);
  const bool sound = pairs && units && sources && (options.compares || writes_once(*pairs));
  static Plan plan;
  const auto error = oracle::make_plan(relation, options, plan);
  if (!sound) {
    ASSERT_TRUE(error) << kind << " " << name << ": planned, though there is nothing to plan";
    return;
  }
  if (error) {
    ++tally.refused[kind][error->message];
    if (getenv("VL_SHOW")) fmt::print("{} {}: {}\n", kind, name, error->message);
    return;
  }
  ++tally.made[kind];
  const Trace trace = trace_of(plan, relation.unit);
  ASSERT_EQ(options.compares ? trace.compared : trace.copied, *pairs) << kind << " " << name;
  ASSERT_TRUE((options.compares ? trace.copied : trace.compared).empty()) << kind << " " << name;
  const bool fills = options.fills && !options.compares && relation.destination.kind == Side::Kind::Image;
  ASSERT_EQ(trace.filled, fills ? gaps_of(*pairs, *units) : std::vector<Index>{}) << kind << " " << name;
  if (const auto objection = oracle::objection_to(relation, plan)) {
    if (++tally.objections <= 5) fmt::print("{} {}: {}\n", kind, name, *objection);
  }
}

void print(const Tally& tally) {
  for (const auto& [kind, count] : tally.made) {
    fmt::print("{}: {} planned\n", kind, count);
    if (const auto refused = tally.refused.find(kind); refused != tally.refused.end())
      for (const auto& [why, times] : refused->second) fmt::print("    {} not: {}\n", times, why);
  }
  fmt::print("{} objections\n", tally.objections);
}

Side dense(const map::Layout& layout) { return {Side::Kind::Dense, &layout, false, 0}; }
Side view(const map::Layout& layout) { return {Side::Kind::View, &layout, false, 0}; }
Side image(const map::Layout& layout, bool replicas) { return {Side::Kind::Image, &layout, replicas, 0}; }

void hold_all(const std::string& family, const std::string& name, const map::Layout& layout, Index unit, Tally& tally) {
  const PlanOptions copies;
  PlanOptions compares;
  compares.compares = true;
  hold(family + " pack", name, {dense(layout), image(layout, true), nullptr, unit}, copies, tally);
  hold(family + " unpack", name, {image(layout, false), dense(layout), nullptr, unit}, copies, tally);
  hold(family + " compare", name, {image(layout, false), image(layout, true), nullptr, unit}, compares, tally);
  hold(family + " pack view", name, {view(layout), image(layout, true), nullptr, unit}, copies, tally);
  hold(family + " unpack view", name, {image(layout, false), view(layout), nullptr, unit}, copies, tally);
}

TEST(Planner, RandomSpyreLayoutsAreTheirRelations) {
  RandomSpyre random(1);
  Tally tally;
  for (int n = 0; n < 4000; ++n) {
    const RandomCase made = random.next(200);
    const auto layout = spyre::lower(made.layout, made.tensor);
    if (!layout) continue;
    hold_all("spyre", made.show(), *layout, Index{1} << n % 5, tally);
    if (HasFatalFailure()) return;
  }
  print(tally);
}

TEST(Planner, RandomTirxLayoutsAreTheirRelations) {
  RandomTirx random(1);
  Tally tally;
  for (int n = 0; n < 4000; ++n) {
    const RandomTirxCase made = random.next(200);
    const auto layout = tirx::lower(made.layout, made.tensor);
    if (!layout || layout->physical().volume() > 100000) continue;
    hold_all("tirx", made.show(), *layout, Index{1} << n % 5, tally);
    if (HasFatalFailure()) return;
  }
  print(tally);
}

}  // namespace
}  // namespace vl::test
