#include "encodings/map/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "encodings/map/bounds.h"

namespace vl::map {
namespace {

constexpr std::size_t kMostWeights = 512;  // more than any space has dimensions
constexpr int kSwizzleBits = 62;           // every bit that a swizzle touches lies below: values stay non-negative

// The range of a row over independent inputs. Every partial sum is checked too, in the order evaluate() adds them.
Result<Range> range_of(const Row& row, std::span<const Range> inputs) {
  Range range{row.constant, row.constant};
  for (const Term& term : row.terms) {
    const Range& in = inputs[term.input];
    const bool down = term.coefficient < 0;
    if (!accumulate(range.low, term.coefficient, down ? in.high : in.low) ||
        !accumulate(range.high, term.coefficient, down ? in.low : in.high))
      return Error{ErrorCode::Overflow, fmt::format("{}*x{} leaves 64 bits", term.coefficient, term.input)};
  }
  return range;
}

Result<std::vector<Range>> ranges_after(const Affine& affine, const std::vector<Range>& in) {
  std::vector<Range> out;
  constexpr Index kLeast = std::numeric_limits<Index>::min();
  for (const Row& row : affine.rows) {
    bool negatable = row.constant != kLeast;
    for (const Term& term : row.terms) negatable = negatable && term.coefficient != kLeast;
    if (!negatable) return Error{ErrorCode::Overflow, "-2^63 has no positive twin in 64 bits"};
    for (std::size_t i = 0; i < row.terms.size(); ++i) {
      if (row.terms[i].input >= in.size())
        return Error{ErrorCode::Shape,
                     fmt::format("input x{} does not exist: there are {}", row.terms[i].input, in.size())};
      if (row.terms[i].coefficient == 0 || (i > 0 && row.terms[i - 1].input >= row.terms[i].input))
        return Error{ErrorCode::Value, "an affine row must have ascending inputs and no zero coefficient"};
    }
    auto range = range_of(row, in);
    if (!range) return range.error();
    out.push_back(*range);
  }
  return out;
}

Result<std::vector<Range>> ranges_after(const Split& split, const std::vector<Range>& in) {
  if (split.input >= in.size())
    return Error{ErrorCode::Shape, fmt::format("input x{} does not exist: there are {}", split.input, in.size())};
  if (split.weights.size() > kMostWeights)
    return Error{ErrorCode::Value, fmt::format("a split with more than {} weights", kMostWeights)};
  if (split.weights.empty() || split.weights.back() != 1 || !std::ranges::is_sorted(split.weights, std::greater<>{}))
    return Error{ErrorCode::Value, fmt::format("the weights of a split must not ascend and must end in 1, not ({})",
                                               fmt::join(split.weights, ", "))};
  std::vector<Range> out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(split.input));
  Range rest = in[split.input];
  for (const Index weight : split.weights) {
    const Range digit{floor_div(rest.low, weight), floor_div(rest.high, weight)};
    out.push_back(digit);
    rest = digit.low == digit.high ? Range{floor_mod(rest.low, weight), floor_mod(rest.high, weight)}
                                   : Range{0, weight - 1};
  }
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, in.end());
  return out;
}

Result<std::vector<Range>> ranges_after(const Swizzle& swizzle, const std::vector<Range>& in) {
  if (swizzle.input >= in.size())
    return Error{ErrorCode::Shape, fmt::format("input x{} does not exist: there are {}", swizzle.input, in.size())};
  const auto within = [](int value, int low) { return value >= low && value <= kSwizzleBits; };
  if (!within(swizzle.base, 0) || !within(swizzle.bits, 0) || !within(swizzle.shift, 1) ||
      swizzle.base + swizzle.bits + swizzle.shift > kSwizzleBits)
    return Error{ErrorCode::Value, fmt::format("a swizzle needs base >= 0, bits >= 0, shift >= 1 and a sum of at most "
                                               "{}; got base {}, bits {}, shift {}",
                                               kSwizzleBits, swizzle.base, swizzle.bits, swizzle.shift)};
  std::vector<Range> out = in;
  Range& range = out[swizzle.input];
  if (range.low < 0) return Error{ErrorCode::Value, "a swizzle over a value that may be negative"};
  const bool down = swizzle.direction == Swizzle::Direction::Down;
  const int source = down ? swizzle.base + swizzle.shift : swizzle.base;
  if ((range.high >> source) == 0 || swizzle.bits == 0) return out;  // the source field is always 0: no change
  // All values have the same bits from `free` on. Where none of the others is in a field, the swizzle adds one
  // constant.
  const int free = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range.low ^ range.high)));
  if (free <= swizzle.base) {
    range = Range{apply(swizzle, range.low), apply(swizzle, range.high)};
    return out;
  }
  // Down moves bits of the values to lower places, Up sets any of its field.
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range.high)));
  const int touched =
      down ? std::min(swizzle.base + swizzle.bits, width - swizzle.shift) : swizzle.base + swizzle.bits + swizzle.shift;
  const int open = std::max(free, touched);
  const auto block = static_cast<Index>((std::uint64_t{1} << open) - 1);
  range = Range{range.low & ~block, range.high | block};
  return out;
}

// One stage from `in` to `out`, which has room for its outputs. The range check of Map::create covers every operation.
void step(const Affine& affine, std::span<const Index> in, Index* out) {
  for (const Row& row : affine.rows) {
    Index sum = row.constant;
    for (const Term& term : row.terms)
      VL_CHECK(accumulate(sum, term.coefficient, in[term.input]), "an affine row left 64 bits");
    *out++ = sum;
  }
}

void step(const Split& split, std::span<const Index> in, Index* out) {
  out = std::copy_n(in.begin(), split.input, out);
  Index rest = in[split.input];
  for (std::size_t k = 0; k + 1 < split.weights.size(); ++k) {
    const Index weight = split.weights[k];
    const Index digit = rest / weight;
    rest %= weight;
    const bool below = rest < 0;  // both were rounded towards 0
    *out++ = digit - (below ? 1 : 0);
    rest += below ? weight : 0;
  }
  *out++ = rest;  // the last weight is 1
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, in.end(), out);
}

void step(const Swizzle& swizzle, std::span<const Index> in, Index* out) {
  std::copy(in.begin(), in.end(), out);
  out[swizzle.input] = apply(swizzle, in[swizzle.input]);
}

Result<std::vector<Point>> run(const Map& map, std::span<const Index> point) {
  if (point.size() != map.domain().rank())
    return Error{ErrorCode::Shape,
                 fmt::format("a point of rank {} for a map over rank {}", point.size(), map.domain().rank())};
  if (!map.domain().contains(point))
    return Error{ErrorCode::Value, fmt::format("[{}] is outside the map's domain", fmt::join(point, ", "))};
  std::vector<Point> values{Point(point.begin(), point.end())};
  for (std::size_t s = 0; s < map.stages().size(); ++s) {
    Point next(map.ranges(s + 1).size());
    std::visit([&](const auto& stage) { step(stage, values.back(), next.data()); }, map.stages()[s]);
    values.push_back(std::move(next));
  }
  return values;
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
    auto next = std::visit([&](const auto& stage) { return ranges_after(stage, map.ranges_.back()); }, stages[i]);
    if (!next) return Error{next.error().code, fmt::format("stage {}: {}", i + 1, next.error().message)};
    map.ranges_.push_back(std::move(*next));
  }
  map.domain_ = std::move(domain);
  map.stages_ = std::move(stages);
  return map;
}

Result<Point> evaluate(const Map& map, std::span<const Index> point) {
  auto values = run(map, point);
  if (!values) return values.error();
  return std::move(values->back());
}

Result<std::vector<Point>> trace(const Map& map, std::span<const Index> point) { return run(map, point); }

std::vector<Range> bounds(const Map& map, std::vector<Range> part) {
  for (const Stage& stage : map.stages()) {
    auto next = std::visit([&](const auto& s) { return ranges_after(s, part); }, stage);
    VL_CHECK(next.has_value(), "a part of the domain leaves 64 bits");
    part = std::move(*next);
  }
  return part;
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
  for (std::size_t s = 0; s < map_->stages().size(); ++s) {
    const std::span<const Index> in(values_.data(), count);
    std::visit([&](const auto& stage) { step(stage, in, next_.data()); }, map_->stages()[s]);
    values_.swap(next_);
    count = map_->ranges(s + 1).size();
  }
  return {values_.data(), count};
}

}  // namespace vl::map
