// Counts the plans of the corpus: every layout that is injective and in bounds is packed, unpacked, compared, and moved
// to another layout of the same tensor.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "oracle/executor/planner.h"
#include "oracle/executor/print.h"
#include "oracle/plan/check.h"
#include "tests/executor/pairs.h"
#include "tests/support/corpus_claims.h"

namespace vl::test {
namespace executor_planner_corpus_campaign {

using oracle::Plan;
using oracle::PlanOptions;
using oracle::Relation;
using oracle::Side;

constexpr Index kMostByPoints = 2500;  // elements; larger layouts are planned and certified, but not walked through

struct Kind {
  int planned = 0;
  int held = 0;     // of them, against the definition
  int refused = 0;  // though the definition says that there is something to plan
  int open = 0;     // too large to say whether there is
};

struct Tally {
  std::map<std::string, Kind> kinds;
  std::map<std::string, std::vector<std::string>> reasons;
};

void hold(const std::string& kind, const std::string& name, const Relation& relation, bool compares, Tally& tally) {
  PlanOptions options;
  options.compares = compares;
  const auto units = oracle::units_of(relation.destination);
  const Index volume =
      std::max(relation.source.layout->domain().volume(), relation.destination.layout->domain().volume());
  const bool small = units && volume <= kMostByPoints && *units <= 50 * kMostByPoints;
  std::optional<std::vector<Pair>> pairs;
  if (small) {
    pairs = pairs_of(relation);
    if (!pairs || (!compares && !writes_once(*pairs))) return;
  }
  Kind& counts = tally.kinds[kind];
  static Plan plan;
  if (const auto error = oracle::make_plan(relation, options, plan)) {
    ++(small ? counts.refused : counts.open);
    tally.reasons[kind + (small ? "" : " (large)") + ": " + error->message].push_back(name);
    return;
  }
  ++counts.planned;
  const auto objection = oracle::objection_to(relation, plan);
  ASSERT_FALSE(objection) << kind << " " << name << "\n" << oracle::print(plan, relation.unit, objection);
  if (!small) return;
  ++counts.held;
  const Trace trace = trace_of(plan, relation.unit);
  ASSERT_TRUE((compares ? trace.compared : trace.copied) == *pairs) << kind << " " << name;
  const auto gaps = plan.fills ? gaps_of(*pairs, *units) : std::vector<Index>{};
  ASSERT_TRUE(trace.filled == gaps) << kind << " " << name;
}

TEST(PlannerCorpus, NearlyEveryRightLayoutHasPlans) {
  Tally tally;
  std::set<std::string> seen;
  std::map<std::vector<Index>, std::vector<std::unique_ptr<session::TensorReading>>> by_shape;
  for (const CorpusCase& one : corpus()) {
    const session::CaseRequest& request = one.request;
    const std::string name = request.layout.text + " of " + request.tensor.text;
    if (!seen.insert(name).second) continue;
    auto read = session::read_tensor(request);
    if (!std::holds_alternative<session::TensorReading>(read)) continue;
    auto subject = std::make_unique<session::TensorReading>(std::move(std::get<session::TensorReading>(read)));
    if (subject->reading.layout() == nullptr) continue;
    const map::Layout& layout = *subject->reading.layout();
    const std::string family(session::family_of(request.layout.text, request.family)->name);
    const Side dense{Side::Kind::Dense, &layout, false, 0};
    const Side view{Side::Kind::View, &layout, false, 0};
    const Side image{Side::Kind::Image, &layout, false, 0};
    const Side replicas{Side::Kind::Image, &layout, true, 0};
    const int packed = tally.kinds[family + " pack"].planned;
    hold(family + " pack", name, {dense, replicas, nullptr, 2}, false, tally);
    hold(family + " unpack", name, {image, dense, nullptr, 2}, false, tally);
    hold(family + " pack view", name, {view, replicas, nullptr, 2}, false, tally);
    if (layout.replicas().volume() > 1) hold(family + " compare", name, {image, replicas, nullptr, 2}, true, tally);
    // Not of a layout that cannot be packed, nor of random maps, whose shapes no system writes: no floor holds of
    // those.
    if (tally.kinds[family + " pack"].planned == packed || family == "map") continue;
    auto& others = by_shape[subject->tensor.size];
    for (std::size_t k = 0; k < std::min<std::size_t>(others.size(), 3); ++k) {
      const map::Layout& from = *others[others.size() - 1 - k]->reading.layout();
      hold("move", name, {{Side::Kind::Image, &from, false, 0}, replicas, nullptr, 2}, false, tally);
    }
    if (HasFatalFailure()) return;
    others.push_back(std::move(subject));
  }
  for (const auto& [kind, counts] : tally.kinds)
    fmt::print("{}: {} planned, {} of them held; {} refused, {} refused and too large to say whether rightly\n", kind,
               counts.planned, counts.held, counts.refused, counts.open);
  if (std::getenv("VL_SHOW") != nullptr)
    for (const auto& [why, names] : tally.reasons)
      fmt::print("{} x {}\n    {}\n", names.size(), why, fmt::join(names, "\n    "));
  const std::map<std::string, std::pair<int, int>> floors = {
      {"spyre pack", {1850, 500}},    {"spyre unpack", {1900, 500}}, {"spyre pack view", {1850, 500}},
      {"spyre compare", {40, 5}},     {"tirx pack", {540, 200}},     {"tirx unpack", {590, 200}},
      {"tirx pack view", {540, 200}}, {"tirx compare", {45, 20}},    {"move", {2900, 500}}};
  for (const auto& [kind, floor] : floors) {
    const Kind& counts = tally.kinds[kind];
    EXPECT_GE(counts.planned, floor.first) << kind;
    EXPECT_GE(counts.held, floor.second) << kind;
    EXPECT_LE(100 * counts.refused, counts.held) << kind;  // one in a hundred, where the definition was asked
  }
}

}  // namespace executor_planner_corpus_campaign
}  // namespace vl::test
