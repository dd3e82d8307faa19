#include "encodings/map/bounds.h"

#include <fmt/format.h>

#include <bit>

#include "encodings/map/run.h"

namespace vl::map {

// Every partial sum is checked, in the order in which evaluate() adds them.
bool Intervals::row(const Row& row, std::span<const Range> in, Range& out) {
  out = {row.constant, row.constant};
  for (const Term& term : row.terms) {
    const Range& x = in[term.input];
    const bool down = term.coefficient < 0;
    if (accumulate(out.low, term.coefficient, down ? x.high : x.low) &&
        accumulate(out.high, term.coefficient, down ? x.low : x.high))
      continue;
    refused = Error{ErrorCode::Overflow, fmt::format("{}*x{} leaves 64 bits", term.coefficient, term.input)};
    return false;
  }
  return true;
}

bool Intervals::split(const Split& split, Range x, std::span<Range> digits) {
  digit_ranges(x, split.weights, digits);
  return true;
}

bool Intervals::swizzle(const Swizzle& swizzle, Range x, Range& out) {
  if (x.low < 0) {
    refused = Error{ErrorCode::Value, "a swizzle over a value that may be negative"};
    return false;
  }
  out = x;
  const bool down = swizzle.direction == Swizzle::Direction::Down;
  const int source = down ? swizzle.base + swizzle.shift : swizzle.base;
  if ((x.high >> source) == 0 || swizzle.bits == 0) return true;  // the source field is always 0: no change
  // All values have the same bits from `free` on. If no lower bit is in a field, the swizzle adds one constant.
  const int free = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x.low ^ x.high)));
  if (free <= swizzle.base) {
    out = {apply(swizzle, x.low), apply(swizzle, x.high)};
    return true;
  }
  // Down moves bits of the values to lower places; Up may set any bit of its field.
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x.high)));
  const int touched =
      down ? std::min(swizzle.base + swizzle.bits, width - swizzle.shift) : swizzle.base + swizzle.bits + swizzle.shift;
  const auto block = static_cast<Index>((std::uint64_t{1} << std::max(free, touched)) - 1);
  out = {x.low & ~block, x.high | block};
  return true;
}

std::optional<Range> range_of(const Row& row, std::span<const Range> box) {
  Intervals intervals;
  Range out;
  return intervals.row(row, box, out) ? std::optional(out) : std::nullopt;
}

void digit_ranges(Range x, std::span<const Index> weights, std::span<Range> digits) {
  for (std::size_t k = 0; k < weights.size(); ++k) {
    digits[k] = {floor_div(x.low, weights[k]), floor_div(x.high, weights[k])};
    x = digits[k].low == digits[k].high ? Range{floor_mod(x.low, weights[k]), floor_mod(x.high, weights[k])}
                                        : Range{0, weights[k] - 1};
  }
}

std::vector<Range> bounds(const Map& map, std::vector<Range> part) {
  Intervals intervals;
  VL_CHECK(run(intervals, map.stages(), part), "a part of the domain leaves 64 bits");
  return part;
}

}  // namespace vl::map
