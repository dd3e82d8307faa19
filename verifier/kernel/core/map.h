// Maps of statements. A map takes the points of a box through stages:
//   affine   y_j = c_j + Σ a_ji·x_i          split   x -> greedy digits floor(rest / w_k), the last weight 1
//   swizzle  XORs bits [base+shift, base+shift+bits) into [base, base+bits) (down), or the other way round (up)
// run() applies them in any domain of values that can add, divide by constants and swizzle: numbers (Concrete), lines
// over the atoms of a cell (stages.h), or whatever else a caller has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verifier/kernel/core/entered.h"
#include "verifier/kernel/core/polynomial.h"
#include "verifier/kernel/core/work.h"

namespace vl::kernel {

using Point = std::vector<Wide>;

// S: the scalar, Wide, or Polynomial in the sizes of a layout for all of them.
template <class S>
struct BasicRow {
  S constant;
  std::vector<std::pair<std::size_t, S>> terms;  // input, coefficient
};

template <class S>
struct BasicStage {
  enum class Kind { Affine, Split, Swizzle };
  Kind kind = Kind::Affine;
  std::vector<BasicRow<S>> rows;      // of Affine
  std::size_t input = 0;              // of Split and Swizzle
  std::vector<S> weights;             // of Split: positive, not ascending, the last 1
  int base = 0, bits = 0, shift = 1;  // of Swizzle: not negative, base + bits + shift <= 62, shift >= 1
  bool up = false;

  [[nodiscard]] Wide swizzled(Wide x) const;  // rejects x < 0
  [[nodiscard]] bool same_swizzle(const BasicStage& other) const;
};

template <class S>
struct BasicSpace {
  std::vector<std::string> names;
  std::vector<S> extents;  // not negative

  [[nodiscard]] std::size_t rank() const { return extents.size(); }
  [[nodiscard]] S volume() const;
  [[nodiscard]] bool contains(const Point& point) const requires std::same_as<S, Wide>;
  /// The row-major number of a point.
  [[nodiscard]] BasicRow<S> number() const;
};

template <class S>
struct BasicMap {
  BasicSpace<S> domain;
  std::vector<BasicStage<S>> stages;
  std::size_t outputs = 0;
  long long size = 0;  // of its text: what one evaluation costs
};

using Row = BasicRow<Wide>;
using Stage = BasicStage<Wide>;
using Space = BasicSpace<Wide>;
using Map = BasicMap<Wide>;

/// Makes the values those after all stages; `spare` is memory. Domain: Value sum(Row, values), pair{quotient, rest}
/// divide(Value, Wide), Value swizzle(Value, Stage).
template <class Domain>
void run(const std::vector<Stage>& stages, std::vector<typename Domain::Value>& values,
         std::vector<typename Domain::Value>& spare, Domain& domain) {
  for (const Stage& stage : stages) {
    if (stage.kind == Stage::Kind::Swizzle) {
      charge(2LL);
      values[stage.input] = domain.swizzle(values[stage.input], stage);
      continue;
    }
    spare.clear();
    if (stage.kind == Stage::Kind::Affine) {
      for (const Row& row : stage.rows) {
        charge(row.terms.size() + 1);
        spare.push_back(domain.sum(row, values));
      }
    } else {
      charge(values.size() + 4 * stage.weights.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != stage.input) spare.push_back(std::move(values[i]));  // a copy would cost what is not charged
        for (std::size_t k = 0; i == stage.input && k < stage.weights.size(); ++k) {
          auto [quotient, rest] = domain.divide(values[i], stage.weights[k]);
          spare.push_back(std::move(quotient));
          values[i] = std::move(rest);
        }
      }
    }
    values.swap(spare);
  }
}
template <class Domain>
std::vector<typename Domain::Value> run(const std::vector<Stage>& stages, std::vector<typename Domain::Value> values,
                                        Domain& domain) {
  std::vector<typename Domain::Value> spare;
  run(stages, values, spare, domain);
  return values;
}

/// Numbers.
struct Concrete {
  using Value = Wide;
  [[nodiscard]] static Wide sum(const Row& row, const Point& values) {
    Wide total = row.constant;
    for (const auto& [input, coefficient] : row.terms) total += coefficient * values[input];
    return total;
  }
  [[nodiscard]] static std::pair<Wide, Wide> divide(Wide x, Wide weight) {
    const Wide quotient = x / weight;
    return {quotient, x - quotient * weight};
  }
  [[nodiscard]] static Wide swizzle(Wide x, const Stage& stage) { return stage.swizzled(x); }
};

[[nodiscard]] Point evaluate(const Map& map, Point point);

/// A map at many points, in memory of its own.
class Evaluator {
 public:
  explicit Evaluator(const Map& map) : map_(map) {}
  /// The values at a point, until the next call.
  const Point& operator()(const Point& point) {
    values_ = point;
    Concrete numbers;
    run(map_.stages, values_, spare_, numbers);
    return values_;
  }

 private:
  const Map& map_;
  Point values_, spare_;
};

/// Calls visit for each point of the box, in row-major order, and charges for the points. Requires: 0 < volume.
template <class Visit>
void for_each(const Space& box, Visit visit) {
  Point point(box.rank(), 0);
  for (bool more = true; more;) {
    charge(box.rank() + 1);
    visit(point);
    more = false;
    for (std::size_t i = box.rank(); i-- > 0 && !more; point[i] = more ? point[i] : 0)
      more = (point[i] += 1) < box.extents[i];
  }
}

}  // namespace vl::kernel
