#include "verifier/checker/ranges.h"

namespace vl::checker {
namespace {

// Intervals that contain every value.
struct Ranges {
  using Value = Interval;
  [[nodiscard]] static Interval sum(const Row& row, const std::vector<Interval>& values) {
    Interval out{row.constant, row.constant};
    for (const auto& [input, c] : row.terms) {
      out.low += c * (c < 0 ? values[input].high : values[input].low);
      out.high += c * (c < 0 ? values[input].low : values[input].high);
    }
    return out;
  }
  [[nodiscard]] static std::pair<Interval, Interval> divide(const Interval& x, Wide weight) {
    const Interval quotient{x.low / weight, x.high / weight};
    if (quotient.low != quotient.high) return {quotient, {0, weight - 1}};
    return {quotient, {x.low - quotient.low * weight, x.high - quotient.low * weight}};
  }
  // A swizzle keeps every block [j·2^t, (j+1)·2^t) in place, t the end of the field that it changes.
  [[nodiscard]] static Interval swizzle(const Interval& x, const Stage& stage) {
    require(x.low >= 0, "a swizzle of what may be negative");
    const Wide block = Wide(1LL << (stage.base + stage.bits + (stage.up ? stage.shift : 0)));
    return {x.low / block * block, x.high / block * block + (block - 1)};
  }
};

std::vector<Interval> ranges_of_domain(const Map& map) {
  std::vector<Interval> out;
  for (const Wide& extent : map.domain.extents) out.push_back({0, extent - 1});
  return out;
}

}  // namespace

std::vector<Interval> ranges_of(const Map& map) {
  enter(__FILE__);
  Ranges ranges;
  return run(map.stages, ranges_of_domain(map), ranges);
}

}  // namespace vl::checker
