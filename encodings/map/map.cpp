#include "encodings/map/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "encodings/map/bounds.h"
#include "encodings/map/run.h"

namespace vl::map {
namespace {

constexpr std::size_t kMostWeights = 512;  // more than the most dimensions of a space
constexpr int kSwizzleBits = 62;           // every bit that a swizzle touches lies below: values stay non-negative

// The error of a stage with `inputs` inputs, apart from its map; nothing if it is well-formed.
std::optional<Error> flaw(const Affine& affine, std::size_t inputs) {
  constexpr Index kLeast = std::numeric_limits<Index>::min();
  for (const Row& row : affine.rows) {
    bool negatable = row.constant != kLeast;
    for (const Term& term : row.terms) negatable = negatable && term.coefficient != kLeast;
    if (!negatable) return Error{ErrorCode::Overflow, "-2^63 has no positive twin in 64 bits"};
    for (std::size_t i = 0; i < row.terms.size(); ++i) {
      if (row.terms[i].input >= inputs)
        return Error{ErrorCode::Shape,
                     fmt::format("input x{} does not exist: there are {}", row.terms[i].input, inputs)};
      if (row.terms[i].coefficient == 0 || (i > 0 && row.terms[i - 1].input >= row.terms[i].input))
        return Error{ErrorCode::Value, "an affine row must have ascending inputs and no zero coefficient"};
    }
  }
  return std::nullopt;
}

std::optional<Error> flaw(const Split& split, std::size_t inputs) {
  if (split.input >= inputs)
    return Error{ErrorCode::Shape, fmt::format("input x{} does not exist: there are {}", split.input, inputs)};
  if (split.weights.size() > kMostWeights)
    return Error{ErrorCode::Value, fmt::format("a split with more than {} weights", kMostWeights)};
  if (split.weights.empty() || split.weights.back() != 1 || !std::ranges::is_sorted(split.weights, std::greater<>{}))
    return Error{ErrorCode::Value, fmt::format("the weights of a split must not ascend and must end in 1, not ({})",
                                               fmt::join(split.weights, ", "))};
  return std::nullopt;
}

std::optional<Error> flaw(const Swizzle& swizzle, std::size_t inputs) {
  if (swizzle.input >= inputs)
    return Error{ErrorCode::Shape, fmt::format("input x{} does not exist: there are {}", swizzle.input, inputs)};
  const auto within = [](int value, int low) { return value >= low && value <= kSwizzleBits; };
  if (within(swizzle.base, 0) && within(swizzle.bits, 0) && within(swizzle.shift, 1) &&
      swizzle.base + swizzle.bits + swizzle.shift <= kSwizzleBits)
    return std::nullopt;
  return Error{ErrorCode::Value, fmt::format("a swizzle needs base >= 0, bits >= 0, shift >= 1 and a sum of at most "
                                             "{}; got base {}, bits {}, shift {}",
                                             kSwizzleBits, swizzle.base, swizzle.bits, swizzle.shift)};
}

// Points as a value domain (run.h): the values that a stage computes. The range check of Map::create covers every
// operation, so nothing is refused.
struct Points {
  using Value = Index;

  bool row(const Row& row, std::span<const Index> in, Index& out) const {
    Index sum = row.constant;
    for (const Term& term : row.terms)
      VL_CHECK(accumulate(sum, term.coefficient, in[term.input]), "an affine row left 64 bits");
    out = sum;
    return true;
  }

  bool split(const Split& split, Index rest, std::span<Index> digits) const {
    std::size_t k = 0;
    for (; k + 1 < digits.size(); ++k) {
      const Index weight = split.weights[k];
      const Index digit = rest / weight;
      rest %= weight;
      const bool below = rest < 0;  // both were rounded towards 0
      digits[k] = digit - (below ? 1 : 0);
      rest += below ? weight : 0;
    }
    digits[k] = rest;  // the last weight is 1
    return true;
  }

  bool swizzle(const Swizzle& swizzle, Index x, Index& out) const {
    out = apply(swizzle, x);
    return true;
  }
};

std::optional<Error> not_in_domain(const Map& map, std::span<const Index> point) {
  if (point.size() != map.domain().rank())
    return Error{ErrorCode::Shape,
                 fmt::format("a point of rank {} for a map over rank {}", point.size(), map.domain().rank())};
  if (map.domain().contains(point)) return std::nullopt;
  return Error{ErrorCode::Value, fmt::format("[{}] is outside the map's domain", fmt::join(point, ", "))};
}

}  // namespace

Row pick(std::size_t input) { return Row{0, {Term{input, 1}}}; }

Row dot(std::span<const Index> coefficients, Index constant) {
  Row row{constant, {}};
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0) row.terms.push_back(Term{i, coefficients[i]});
  return row;
}

Result<Row> canonical(Row row) {
  const auto out_of_order = [](const Term& a, const Term& b) { return a.input >= b.input || b.coefficient == 0; };
  if (std::ranges::adjacent_find(row.terms, out_of_order) == row.terms.end() &&
      (row.terms.empty() || row.terms.front().coefficient != 0))
    return row;
  std::ranges::stable_sort(row.terms, {}, &Term::input);
  Row out{row.constant, {}};
  for (const Term& term : row.terms) {
    if (out.terms.empty() || out.terms.back().input != term.input) {
      out.terms.push_back(term);
      continue;
    }
    const auto sum = checked_add(out.terms.back().coefficient, term.coefficient);
    if (!sum) return Error{ErrorCode::Overflow, fmt::format("the coefficients of x{} leave 64 bits", term.input)};
    out.terms.back().coefficient = *sum;
  }
  std::erase_if(out.terms, [](const Term& term) { return term.coefficient == 0; });
  return out;
}

Index apply(const Swizzle& swizzle, Index x) {
  VL_CHECK(x >= 0, "a swizzle of a negative value");
  const auto value = static_cast<std::uint64_t>(x);
  const std::uint64_t field = (std::uint64_t{1} << swizzle.bits) - 1;
  const bool down = swizzle.direction == Swizzle::Direction::Down;
  const int from = down ? swizzle.base + swizzle.shift : swizzle.base;
  const int to = down ? swizzle.base : swizzle.base + swizzle.shift;
  return static_cast<Index>(value ^ (((value >> from) & field) << to));
}

Result<Map> Map::create(Space domain, std::vector<Stage> stages) {
  Map map;
  std::vector<Range> box;
  for (const Dim& dim : domain.dims()) box.push_back(Range{0, std::max<Index>(dim.extent, 1) - 1});
  map.ranges_.push_back(std::move(box));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::vector<Range>& in = map.ranges_.back();
    Intervals intervals;
    intervals.refused = std::visit([&](const auto& stage) { return flaw(stage, in.size()); }, stages[i]);
    std::vector<Range> out(intervals.refused ? 0 : values_after(stages[i], in.size()));
    if (intervals.refused || !step(intervals, stages[i], in, out.data()))
      return Error{intervals.refused->code, fmt::format("stage {}: {}", i + 1, intervals.refused->message)};
    map.ranges_.push_back(std::move(out));
  }
  map.domain_ = std::move(domain);
  map.stages_ = std::move(stages);
  return map;
}

Result<Point> evaluate(const Map& map, std::span<const Index> point) {
  if (auto error = not_in_domain(map, point)) return std::move(*error);
  Point values(point.begin(), point.end());
  Points points;
  VL_CHECK(run(points, map.stages(), values), "a point that a stage refuses");
  return values;
}

Result<std::vector<Point>> trace(const Map& map, std::span<const Index> point) {
  if (auto error = not_in_domain(map, point)) return std::move(*error);
  std::vector<Point> values{Point(point.begin(), point.end())};
  Points points;
  for (const Stage& stage : map.stages()) {
    Point next = values.back();
    VL_CHECK(run(points, std::span(&stage, 1), next), "a point that a stage refuses");
    values.push_back(std::move(next));
  }
  return values;
}

Evaluator::Evaluator(const Map& map) : map_(&map) {
  std::size_t widest = 0;
  for (std::size_t i = 0; i <= map.stages().size(); ++i) widest = std::max(widest, map.ranges(i).size());
  values_.resize(widest);
  next_.resize(widest);
}

std::span<const Index> Evaluator::operator()(std::span<const Index> point) {
  std::ranges::copy(point, values_.begin());
  std::size_t count = point.size();
  Points points;
  for (const Stage& stage : map_->stages()) {
    VL_CHECK(step(points, stage, std::span<const Index>(values_.data(), count), next_.data()), "a refused point");
    values_.swap(next_);
    count = values_after(stage, count);
  }
  return {values_.data(), count};
}

}  // namespace vl::map
