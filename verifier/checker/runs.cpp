#include "verifier/checker/runs.h"

#include <algorithm>

namespace vl::checker {
namespace {

// The row that has column `at`, once and with factor 1.
std::size_t row_with(const Stage& stage, std::size_t at) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < stage.rows.size(); ++i)
    for (const auto& [input, coefficient] : stage.rows[i].terms) {
      if (input != at || coefficient == 0) continue;
      require(!found && coefficient == 1, "a step that is not carried as it is");
      found = i;
    }
  require(found.has_value(), "a step that is lost");
  return *found;
}

void check_counts_up(const Layout& runs) {
  require(runs.map.domain.rank() >= 2 && !runs.map.stages.empty(), "no steps");
  std::size_t at = runs.map.domain.rank() - 1;
  for (std::size_t s = 0; s < runs.map.stages.size(); ++s) {
    const Stage& stage = runs.map.stages[s];
    const bool last = s + 1 == runs.map.stages.size();
    require(!last || stage.kind == Stage::Kind::Affine, "a last stage that adds nothing");
    if (stage.kind == Stage::Kind::Affine) {
      at = row_with(stage, at);
      require(last || (stage.rows[at].terms.size() == 1 && stage.rows[at].constant == 0), "a step that is changed");
      continue;
    }
    require(stage.input != at, "a step that is changed");
    if (stage.kind == Stage::Kind::Split && stage.input < at) at += stage.weights.size() - 1;
  }
  require(runs.named && at < runs.physical.rank() && runs.physical.names[at] == "m", "a step on no memory");
}

}  // namespace

void check_runs(const Layout& reads, const Layout* runs, Statement& statement, Evidence& evidence,
                Questions& questions) {
  enter(__FILE__);
  const Space& points = reads.map.domain;
  require(reads.named && reads.replicas().rank() == 0 && points.rank() >= 2 && points.volume() > 0 &&
              std::ranges::find(reads.physical.names, "m") != reads.physical.names.end(),
          "a map of another kind");
  const Wide length = points.extents.back();
  require(take(statement.value) == length, "another length");
  require((length > 1) == (runs != nullptr), "a second map for blocks of one step, or none for longer ones");
  if (runs != nullptr) {
    check_counts_up(*runs);
    require(reads.physical.names == runs->physical.names && runs->replicas().rank() == 0,
            "two maps that are not of one kind");
    questions.same_places();
  }
  const auto memory = std::ranges::find(reads.physical.names, "m") - reads.physical.names.begin();
  Wide divisor = points.extents[points.rank() - 2];
  for (Point p : take(evidence.runs)) {
    require(p.size() + 1 == points.rank() && p.back() >= 1, "a block without one before it");
    divisor = gcd(divisor, p.back());
    p.push_back(0);
    require(points.contains(p), "a block that does not exist");
    const Point next = evaluate(reads.map, p);
    p[p.size() - 2] = p[p.size() - 2] - 1;
    p.back() = length - 1;
    Point expected = evaluate(reads.map, p);
    expected[static_cast<std::size_t>(memory)] += 1;
    require(next != expected, "a break that is none");
  }
  require(divisor == 1, "a length that may be greater");
}

}  // namespace vl::checker
