#include "verifier/checker/stages.h"

#include <algorithm>

#include "verifier/checker/kernel.h"

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

bool varies(const Interval& range) { return range.low != range.high; }

// One more of the row's inputs that is known since the row is; false where there is none.
bool tell_one(const Row& row, const std::vector<Interval>& inputs, std::vector<bool>& known) {
  charge(2 * row.terms.size() + 1);
  Wide reach = 0;
  for (const auto& [input, c] : row.terms)
    if (!known[input]) reach += c.abs() * (inputs[input].high - inputs[input].low);
  for (const auto& [input, c] : row.terms) {
    const Wide own = c.abs() * (inputs[input].high - inputs[input].low);
    if (known[input] || c.abs() <= reach - own) continue;
    known[input] = true;
    return true;
  }
  return false;
}

// Which of the stage's inputs are known once those values are that it gives.
std::vector<bool> known_before(const Stage& stage, const std::vector<Interval>& inputs, const std::vector<bool>& after,
                               const std::vector<Interval>& given) {
  if (stage.kind == Stage::Kind::Swizzle) return after;
  std::vector<bool> known;
  if (stage.kind == Stage::Kind::Split) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t first = i <= stage.input ? i : i + stage.weights.size() - 1;
      bool told = true;
      for (std::size_t k = 0; k < (i == stage.input ? stage.weights.size() : 1); ++k)
        told = told && (after[first + k] || !varies(given[first + k]));
      known.push_back(told);
    }
    return known;
  }
  for (const Interval& input : inputs) known.push_back(!varies(input));
  for (bool more = true; more;) {
    more = false;
    charge(stage.rows.size() + 1);
    for (std::size_t j = 0; j < stage.rows.size(); ++j)
      while (after[j] && tell_one(stage.rows[j], inputs, known)) more = true;
  }
  return known;
}

}  // namespace

std::vector<Interval> ranges_of(const Map& map) {
  Ranges ranges;
  return run(map.stages, ranges_of_domain(map), ranges);
}

void check_told_by_stages(const Map& map) {
  require(map.domain.volume() > 0, "a domain without points");
  Ranges ranges;
  std::vector<std::vector<Interval>> values{ranges_of_domain(map)};
  Held held;
  for (const Stage& stage : map.stages) {
    values.push_back(run({stage}, values.back(), ranges));
    charge(values.back().size()), held.take(values.back().size() * sizeof(Interval));
  }
  std::vector<bool> known(values.back().size(), true);
  for (std::size_t s = map.stages.size(); s-- > 0;)
    known = known_before(map.stages[s], values[s], known, values[s + 1]);
  for (std::size_t i = 0; i < known.size(); ++i)
    require(known[i] || !varies(values[0][i]), "an input that the places do not tell");
}

}  // namespace vl::checker
