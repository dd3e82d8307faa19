// Case tables: what the elements of one row, and the pads behind them, can hold together.
//
// A row of a tensor along a dimension is all slots that differ in that index alone; its other indices lie in one
// region. A table has a few cases, and each row of the run with padding is of one of them at least: all of its elements
// lie in the case's `elements`, all of its pads in `pads`, and one element in `some`. A state (states.h) is the table
// of one case, and so forgets which elements a pad is beside.
//
//   softmax, pads -inf     (NaN, NaN) or ([+0 .. 1], +0): a row with a NaN or +inf, or of -inf alone, is NaN throughout
//   rmsnorm, layernorm     their steps, for each class of the row's mean and scale
//   pointwise              each case with each; of an operand that is constant along the row one case for each class:
//                          NaN, -inf, +inf, zeros, all other numbers
//   x minus its maximum    at most 0; one element is a zero, or all are NaN
//   reductions, matmul     each case by itself; a matmul's row has one row of its left operand, which is finite, or
//                          else gives no finite result
//
// Where the classes are of a factor that the row itself decides (a norm's scale is NaN if an element is), each class
// restricts the elements. Cases beyond the eighth are joined; so are those of the same pads.
//
// Law (layernorm). In f32 and f64, where pads are zeros, Σx²/n - m² is not -eps for n of at most a few 10^5. Let eps be
// k·2^t with an odd k, and p the significand's bits. If the difference of q = Σx²/n and s = m² is -eps, then q < s, and
// q has a bit of at most 2^t, so q < 2^(t+p). But s - q is at most (3n + 6)·2^-p·q, whatever the order of the sums: so
// k·2^t < 1.05·(3n + 6)·2^t, which is false where 4·(n + 4) < k. In f32, k is 2748779.
// So the scale 1/√(q - s + eps) is NaN, or at most the root of twice the reciprocal of eps' last place; and where it is
// no NaN, s is finite, and m at most the root of the greatest number. In f32 pads (0 - m)·scale are at most 2^64·2^21.
//
// Example: f32, rmsnorm of finite elements, pads 0: (any but what is no number, ±0). Of any elements also (NaN, NaN).
#pragma once

#include <tuple>

#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

struct RowCase {
  CodeSet elements;
  CodeSet pads;  // empty: the dimension has none
  CodeSet some;
  bool operator==(const RowCase&) const = default;
};
using RowTable = std::vector<RowCase>;

constexpr std::size_t kMostCases = 8;

/// The region of slots that are beyond the size of one dimension alone.
[[nodiscard]] constexpr Region beyond(std::size_t dimension) { return Region{1} << dimension; }

/// Whether the elements of such a row are NaN, all of them.
[[nodiscard]] bool is_dead(const Format& format, const RowCase& row);
/// A table of the same rows of at most kMostCases, without a case that others hold.
[[nodiscard]] RowTable joined(const Format& format, RowTable table);
/// A set by class: NaN, -inf, +inf, zeros, other numbers; those that it has.
[[nodiscard]] std::vector<CodeSet> classes_of(const Format& format, const CodeSet& set);
/// Whether a reduction or row with a NaN among its elements is NaN, whatever else it reads.
[[nodiscard]] bool is_nan_of_nan(const Node& node);
/// Whether the law above says that the difference is not -eps. Requires: n >= 1.
[[nodiscard]] bool never_cancels(const Format& format, Code epsilon, Index n);

class RowTables {
 public:
  /// Requires: the states of a node are there when it, or a later node, is asked about.
  RowTables(const Program& program, const States& states, Images& images)
      : program_(program), states_(states), images_(images) {}

  /// The rows of a node along a dimension whose other indices lie in a region, with the masks for every reader.
  /// Requires: a region that exists and lacks the dimension.
  [[nodiscard]] const RowTable& of(std::size_t node, std::size_t dimension, Region others = 0);
  /// The same as one reader sees it.
  [[nodiscard]] RowTable read_by(std::size_t reader, std::size_t node, std::size_t dimension, Region others = 0);
  /// What the slots of a region hold: the states' set, or less.
  [[nodiscard]] const CodeSet& set(std::size_t node, Region region);
  [[nodiscard]] CodeSet set_read_by(std::size_t reader, std::size_t node, Region region);

 private:
  [[nodiscard]] RowTable computed(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable one_case(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable classes(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] bool is_constant(std::size_t node, std::size_t dimension, int depth = 0) const;
  [[nodiscard]] bool is_mixed(const Node& node, std::size_t dimension) const;
  [[nodiscard]] RowTable cases_of_operand(std::size_t at, std::size_t operand, std::size_t dimension, Region others);

  [[nodiscard]] RowTable of_function(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable of_distance(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] std::optional<CodeSet> bound_of(const Node& node, std::size_t dimension, Region others) const;
  [[nodiscard]] RowTable of_cast(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable of_moved(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable of_matmul(std::size_t at, std::size_t dimension, Region others);
  [[nodiscard]] RowTable of_row(std::size_t at, Region others);
  void add_softmax(const Node& node, const RowCase& row, RowTable& out) const;
  void add_norm(const Node& node, const RowCase& row, RowTable& out);

  [[nodiscard]] CodeSet set_by_cases(std::size_t at, Region region);
  [[nodiscard]] CodeSet of_reduction(std::size_t at, Region region);
  [[nodiscard]] CodeSet image(const Node& node, Function function, const std::vector<CodeSet>& operands);
  [[nodiscard]] RowCase converted_case(const Format& from, const Format& to, const RowCase& row) const;

  const Program& program_;
  const States& states_;
  Images& images_;
  std::map<std::tuple<std::size_t, std::size_t, Region>, RowTable> tables_;
  std::map<std::pair<std::size_t, Region>, CodeSet> sets_;
  int depth_ = 0;
};

}  // namespace vl::neutral::program
