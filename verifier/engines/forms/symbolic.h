// Symbolic: linear forms (encodings/map/forms.h) whose first atoms are a map's inputs; a split that cannot be
// simplified adds its digits as further atoms, joined by a Node that remembers what they are digits of.
//
// Rewriting keeps the radix structure in sight instead of leaving it to a solver. With L = w·Q + R and 0 <= R < w over
// the box, L div w is Q and L mod w is R (range-aware division). With all coefficients of L divisible by g, a split by
// multiples of g is a split of L/g. Digits that are added up with their weights again are what was split.
//
// Example: 256·x0 + x1 with x1 < 200, split by (256, 64, 1): the first digit is x0 itself, and x1 is a node split by
// (64, 1). Host rows and sticks are then two independent blocks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "encodings/map/forms.h"

namespace vl::engines {

using map::Range;
using map::Row;

/// digits[k] are the atoms of the greedy digits of `source` by weights[k].
struct Node {
  Row source;  // over atoms that are older than the digits
  std::vector<Index> weights;
  std::vector<std::size_t> digits;
};

class Symbolic {
 public:
  /// One input atom a dimension. A dimension of extent 1 is the constant 0.
  explicit Symbolic(const map::Space& domain);
  /// One input atom an interval; one that is a single value is that constant.
  explicit Symbolic(std::vector<Range> inputs);

  /// Rows of the inputs, in order.
  [[nodiscard]] std::vector<Row> inputs() const;
  /// The rows after these stages. False when a stage is outside the fragment (swizzles) or a coefficient leaves 64
  /// bits; `values` is unspecified then.
  [[nodiscard]] bool run(std::span<const map::Stage> stages, std::vector<Row>& values);
  /// Assume low <= row <= high: narrows each atom by what the others leave. The caller vouches for it. Nothing is
  /// assumed of an atom that would have no value left.
  void assume(const Row& row, Range range);
  /// The same row with atoms that have one value replaced by it, and added-up digits by what they are digits of.
  /// Nothing on overflow.
  [[nodiscard]] std::optional<Row> simplify(Row row) const;
  /// Σ coefficients·rows + constant, simplified.
  [[nodiscard]] std::optional<Row> combine(const Row& row, std::span<const Row> values) const;

  [[nodiscard]] const std::vector<Range>& atoms() const { return atoms_; }
  [[nodiscard]] std::size_t input_count() const { return input_count_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::optional<Range> range(const Row& row) const;

  // As a value domain (encodings/map/run.h), and what split_form() asks.
  using Value = Row;
  [[nodiscard]] bool row(const Row& row, std::span<const Row> in, Row& out) const;
  [[nodiscard]] bool split(const map::Split& split, const Row& x, std::span<Row> digits);
  [[nodiscard]] static bool swizzle(const map::Swizzle&, const Row&, Row&) { return false; }
  [[nodiscard]] static bool ready(const Row&) { return true; }
  [[nodiscard]] std::optional<map::Division> divide(const Row& row, Index weight) const;
  [[nodiscard]] bool otherwise(const Row& row, std::span<const Index> weights, std::span<Row> digits);

 private:
  [[nodiscard]] bool opaque(const Row& row, std::span<const Index> weights, std::span<Row> digits);

  std::size_t input_count_;
  std::vector<Range> atoms_;
  std::vector<Node> nodes_;
};

}  // namespace vl::engines
