#include "verifier/engines/forms/same_places.h"

#include <algorithm>
#include <array>

#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/forms/over_digits.h"
#include "verifier/engines/forms/subset_sum.h"
#include "verifier/engines/forms/swizzled.h"

namespace vl::engines {
namespace {

constexpr Index kMostListed = Index{1} << 20;
constexpr Index kMostSampleWork = Index{1} << 22;

// Vectors over the outputs, in 64 bits or not at all.
std::optional<Point> plus(Point a, const Point& b, Index factor) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (!accumulate(a[j], factor, b[j])) return std::nullopt;
  return a;
}

bool is_zero(const Point& v) {
  return std::ranges::all_of(v, [](Index c) { return c == 0; });
}

struct VectorMode {
  Point vector;
  Index extent = 1;

  bool operator==(const VectorMode&) const = default;
};

// D(x) + min R as steps, and R - min R as modes.
struct Normal {
  Point origin;
  std::vector<std::pair<Index, Point>> steps;  // boundary, vector; boundaries ascend from 1
  std::vector<VectorMode> replicas;            // each vector lexicographically positive
};

Point vector_of(const std::vector<Row>& rows, std::size_t input) {
  Point out;
  for (const Row& row : rows) {
    const auto found = std::ranges::find(row.terms, input, &map::Term::input);
    out.push_back(found == row.terms.end() ? 0 : found->coefficient);
  }
  return out;
}

// Merges modes whose union is one: (e,v) and (f,k·v), 1 <= k <= e.
void merge(std::vector<VectorMode>& modes) {
  const Point* longer = nullptr;
  do {
    longer = nullptr;
    std::ranges::sort(modes, {}, &VectorMode::vector);
    for (std::size_t i = 0; i < modes.size() && !longer; ++i)
      for (std::size_t j = i + 1; j < modes.size() && !longer; ++j) {
        const auto lead = std::ranges::find_if(modes[i].vector, [](Index c) { return c != 0; });
        const Index k = modes[j].vector[static_cast<std::size_t>(lead - modes[i].vector.begin())] / *lead;
        if (k < 1 || k > modes[i].extent || plus(Point(modes[i].vector.size()), modes[i].vector, k) != modes[j].vector)
          continue;
        Index extent = modes[i].extent;
        if (!accumulate(extent, modes[j].extent - 1, k)) continue;
        modes[i].extent = extent;
        modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(j));
        longer = &modes[i].vector;
      }
  } while (longer != nullptr);
}

std::optional<Normal> normal_of(const DigitDomain& digits, const std::vector<Row>& rows) {
  Normal out;
  for (const Row& row : rows) out.origin.push_back(row.constant);
  const std::size_t count = digits.digits().size();
  Index boundary = 1;
  Index inner = 1;  // the extent of the digits that are merged into the last step
  for (std::size_t d = count; d-- > 0;) {
    Point vector = vector_of(rows, d);
    const bool merges = !out.steps.empty() && plus(Point(vector.size()), out.steps.back().second, inner) == vector;
    if (!merges) {
      out.steps.emplace_back(boundary, std::move(vector));
      inner = 1;
    }
    inner *= digits.digits()[d];
    boundary *= digits.digits()[d];
  }
  for (std::size_t r = 0; r < digits.replicas().size(); ++r) {
    VectorMode mode{vector_of(rows, count + r), digits.replicas()[r]};
    if (mode.extent == 1 || is_zero(mode.vector)) continue;
    if (mode.vector < Point(mode.vector.size())) {  // counted from its other end
      auto origin = plus(std::move(out.origin), mode.vector, mode.extent - 1);
      auto mirrored = plus(Point(mode.vector.size()), mode.vector, -1);
      if (!origin || !mirrored) return std::nullopt;
      out.origin = std::move(*origin);
      mode.vector = std::move(*mirrored);
    }
    out.replicas.push_back(std::move(mode));
  }
  merge(out.replicas);
  return out;
}

std::optional<std::vector<Point>> listed(const std::vector<VectorMode>& modes, std::size_t rank) {
  Index count = 1;
  for (const VectorMode& mode : modes) {
    const auto product = checked_mul(count, mode.extent);
    if (!product || *product > kMostListed) return std::nullopt;
    count = *product;
  }
  std::vector<Point> all{Point(rank)};
  for (const VectorMode& mode : modes) {
    const std::size_t before = all.size();
    for (Index r = 1; r < mode.extent; ++r)
      for (std::size_t i = 0; i < before; ++i) {
        auto sum = plus(all[i], mode.vector, r);
        if (!sum) return std::nullopt;
        all.push_back(std::move(*sum));
      }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Whether the modes' sums are the same sets.
std::optional<bool> same_sets(const std::vector<VectorMode>& a, const std::vector<VectorMode>& b, std::size_t rank) {
  if (a == b) return true;
  std::array<std::optional<Point>, 2> most{Point(rank), Point(rank)};
  for (std::size_t side = 0; side < 2; ++side)
    for (const VectorMode& mode : side == 0 ? a : b)
      if (most[side]) most[side] = plus(std::move(*most[side]), mode.vector, mode.extent - 1);
  if (most[0] && most[1] && *most[0] != *most[1]) return false;
  const auto all_a = listed(a, rank);
  const auto all_b = listed(b, rank);
  if (!all_a || !all_b) return std::nullopt;
  return *all_a == *all_b;
}

// The smallest n below `count` with f(n) != g(n); nothing when there is none.
std::optional<Index> first_difference(const Normal& a, const Normal& b) {
  if (a.origin != b.origin) return 0;
  for (std::size_t k = 0; k < a.steps.size() || k < b.steps.size(); ++k) {
    if (k >= a.steps.size()) return b.steps[k].first;
    if (k >= b.steps.size()) return a.steps[k].first;
    if (a.steps[k] == b.steps[k]) continue;
    return std::min(a.steps[k].first, b.steps[k].first);
  }
  return std::nullopt;
}

Answer differs_at(const Question& question, Index number) {
  if (std::max(question.layout->replicas().volume(), question.other->replicas().volume()) > question::kMostReplicas)
    return abstain("too many replicas to replay a difference");
  return Found{{question.layout->logical().point(number), {}, {}}, true};
}

// Both are one function but for constants around one swizzle σ, without replicas: which elements x have
// c_A + σ(m(x)) != c_B + σ(m(x) + d)? Those whose address modulo the swizzle's period is in some intervals
// (swizzled.h).
Answer shifted(const DigitDomain& a, const DigitDomain& b) {
  if (!a.replicas().empty() || !b.replicas().empty() || !a.after().terms.empty() || !b.after().terms.empty())
    return abstain("something is added behind a swizzle");
  const map::Swizzle& swizzle = *a.swizzle();
  const Index period = period_of(swizzle);
  const std::size_t s = swizzle.input;
  const bool a_first = a.after().constant != 0;  // the one that adds behind the swizzle
  const DigitDomain& late = a_first ? a : b;
  const DigitDomain& early = a_first ? b : a;
  const Index shift = late.after().constant;
  if (early.after().constant != 0 || shift < 0) return abstain("something is added behind both swizzles");
  auto rows_late = late.rows();
  auto rows_early = early.rows();
  if (checked_add(rows_late[s].constant, shift) != rows_early[s].constant)
    return abstain("two different shifts of a swizzle");
  rows_early[s].constant = rows_late[s].constant;
  const auto normal_late = normal_of(late, rows_late);
  const auto normal_early = normal_of(early, rows_early);
  if (!normal_late || !normal_early || first_difference(*normal_late, *normal_early))
    return abstain("two different addresses");
  const auto moved = moved_by(swizzle, shift % period);
  if (!moved) return abstain("a swizzle over too many chunks");
  // Addresses modulo the period: coefficients modulo the period, and one more input that takes periods away.
  Row row{floor_mod(rows_late[s].constant, period), {}};
  for (const map::Term& term : rows_late[s].terms)
    if (const Index rest = floor_mod(term.coefficient, period); rest != 0) row.terms.push_back({term.input, rest});
  Box box = late.box();
  const auto reach = range_of(row, box);
  if (!reach) return abstain("addresses beyond 64 bits");
  row.terms.push_back({box.size(), -period});
  box.push_back({0, reach->high / period});
  Effort effort;
  First first = first_bad(box, [&](const Box& part) { return meets_any(row, part, *moved, effort); });
  if (!first.decided) return abstain("the strides nest too little for a search");
  if (!first.point) return None{};
  first.point->pop_back();
  return Found{{late.point(*first.point), {}, {}}, true};
}

}  // namespace

Answer decide_same_places(const Question& question, const DigitDomain& a, const DigitDomain& b) {
  if (question.layout->guards() > 0 || question.other->guards() > 0) return abstain("outputs are guarded");
  const bool same_box = map::extents_of(question.layout->physical()) == map::extents_of(question.other->physical());
  if (a.swizzle() != b.swizzle() || (a.swizzle() && !same_box)) return abstain("two different swizzles");
  const bool plain = a.after() == Row{} && b.after() == Row{};
  if (!plain) {
    // The outputs have to be slots; by intervals, since the sum behind the swizzle is outside DigitQuestions.
    for (const map::Layout* layout : {question.layout, question.other}) {
      const auto& ranges = layout->map().ranges(layout->map().stages().size());
      for (std::size_t j = 0; j < ranges.size(); ++j)
        if (ranges[j].low < 0 || ranges[j].high >= layout->physical().extent(j))
          return abstain("some place may be no slot");
    }
    return shifted(a, b);
  }
  for (const auto& [layout, digits] : {std::pair(question.layout, &a), std::pair(question.other, &b)})
    if (const auto lands = all_land(*layout, *digits); !lands || !*lands) return abstain("a place is not a slot");
  std::vector<Row> rows_a = a.rows();
  std::vector<Row> rows_b = b.rows();
  if (!same_box) {
    const auto number_a = map::combined(map::row_major_number(question.layout->physical()), rows_a);
    const auto number_b = map::combined(map::row_major_number(question.other->physical()), rows_b);
    if (!number_a || !number_b) return abstain("a number in memory beyond 64 bits");
    rows_a = {*number_a};
    rows_b = {*number_b};
  }
  const auto normal_a = normal_of(a, rows_a);
  const auto normal_b = normal_of(b, rows_b);
  if (!normal_a || !normal_b) return abstain("a place beyond 64 bits");
  const auto same = same_sets(normal_a->replicas, normal_b->replicas, rows_a.size());
  if (!same) return abstain("too many replicas to compare");
  if (!*same) return differs_at(question, 0);
  const auto number = first_difference(*normal_a, *normal_b);
  return number ? differs_at(question, *number) : Answer(None{});
}

std::optional<Witness> differing_sample(const Question& question) {
  const map::Space& logical = question.layout->logical();
  const Index replicas = std::max(question.layout->replicas().volume(), question.other->replicas().volume());
  if (replicas > question::kMostReplicas) return std::nullopt;
  std::vector<Index> numbers{0};
  for (Index power = 1; power < logical.volume() && power < Index{1} << 62; power *= 2)
    for (const Index n : {power - 1, power, power + 1, logical.volume() - power}) numbers.push_back(n);
  const std::vector<Index> weights = map::row_major_weights(logical);
  for (const Index weight : weights)
    for (const Index n : {weight - 1, weight, weight + 1}) numbers.push_back(n);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  Index work = 0;
  for (const Index number : numbers) {
    if (number < 0 || number >= logical.volume()) continue;
    if ((work += replicas) > kMostSampleWork) return std::nullopt;
    const Point x = logical.point(number);
    if (question::memory_of(*question.layout, x) != question::memory_of(*question.other, x)) return Witness{x, {}, {}};
  }
  return std::nullopt;
}

}  // namespace vl::engines
