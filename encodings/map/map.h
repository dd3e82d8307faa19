// Map: a function from the points of a space to integer tuples, as a list of stages of three kinds. The kinds are
// closed (std::variant); together they express every known layout.
//
//   Affine   y_j = c_j + Σ a_ji·x_i              strides, offsets, permutes, row-major linearisation
//   Split    x → digits by weights               tiles, sticks, grids, flatten/unflatten
//   Swizzle  XOR of one bit field into another   shared-memory swizzles
//
// Worked example, f16[5,100,150] on sticks of 64, device_size [100,3,5,64], stride_map [150,64,15000,1]:
//   (x0:5, x1:100, x2:150)  -> affine(15000*x0 + 150*x1 + x2)        [2,7,40] -> [31090]
//                           -> split(0; 15000, 150, 64, 1)          [31090]  -> [2,7,0,40]
//                           -> affine(x1, x2, x0, x3)               [2,7,0,40] -> [7,0,2,40]
//
// Map::create checks a map: ranks fit, and interval arithmetic over the domain shows that no intermediate result leaves
// 64 bits at any point. So evaluate() fails only for a point outside the domain.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"
#include "encodings/map/space.h"

namespace vl::map {

/// coefficient · (input number `input`), inputs counted from 0.
struct Term {
  std::size_t input = 0;
  Index coefficient = 0;

  bool operator==(const Term&) const = default;
};

/// constant + Σ terms. Canonical: inputs ascend, no coefficient is 0 (see canonical()).
struct Row {
  Index constant = 0;
  std::vector<Term> terms;

  bool operator==(const Row&) const = default;
};

/// The row that is just input number `input`.
[[nodiscard]] Row pick(std::size_t input);
/// Σ coefficients[i] · x_i + constant, zero coefficients left out.
[[nodiscard]] Row dot(std::span<const Index> coefficients, Index constant = 0);

/// One row per output.
struct Affine {
  std::vector<Row> rows;

  bool operator==(const Affine&) const = default;
};

/// Replaces input `input` by one digit per weight, greedily: rem_0 = x, d_k = floor(rem_{k-1} / w_k), rem_k = rem_{k-1}
/// mod w_k. Weights do not ascend and the last one is 1, so Σ d_k·w_k = x: a split loses nothing. Of two equal weights
/// the later digit is 0. The first digit is unbounded on both sides; the k-th lies in [0, ceil(w_{k-1}/w_k)).
/// Example: 1330 split by (720, 600, 1) has the digits 1, 1, 10.
struct Split {
  std::size_t input = 0;
  std::vector<Index> weights;

  bool operator==(const Split&) const = default;
};

/// XORs the `bits` bits of input `input` that start at bit base+shift into those that start at bit base (Down), or
/// the other way round (Up). A bijection on the non-negative integers; an involution iff shift >= bits.
/// Requires: shift >= 1, bits >= 0, base >= 0, base + bits + shift <= 62. Down, base 3, bits 3, shift 3: 64 -> 72.
struct Swizzle {
  enum class Direction { Down, Up };
  std::size_t input = 0;
  int base = 0;
  int bits = 0;
  int shift = 1;
  Direction direction = Direction::Down;

  bool operator==(const Swizzle&) const = default;
};

using Stage = std::variant<Affine, Split, Swizzle>;

/// The swizzle's value at `x`. Requires: x >= 0.
[[nodiscard]] Index apply(const Swizzle& swizzle, Index x);

/// An interval [low, high] that contains a value for every point of a domain.
struct Range {
  Index low = 0;
  Index high = 0;

  bool operator==(const Range&) const = default;
};

class Map {
 public:
  /// Errors: Shape if a stage names an input that does not exist; Value for weights that ascend or do not end in 1, and
  /// for a swizzle outside its bounds or of a value that may be negative; Overflow if an intermediate result could
  /// leave 64 bits somewhere in the domain.
  static Result<Map> create(Space domain, std::vector<Stage> stages);

  [[nodiscard]] const Space& domain() const { return domain_; }
  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }
  /// The number of outputs.
  [[nodiscard]] std::size_t outputs() const { return ranges_.back().size(); }
  /// The ranges of the values after `stage` stages, by interval arithmetic: they contain the values and maybe more.
  /// ranges(0) is the domain's box. An empty dimension counts as one of extent 1.
  [[nodiscard]] const std::vector<Range>& ranges(std::size_t stage) const { return ranges_[stage]; }

  bool operator==(const Map& other) const { return domain_ == other.domain_ && stages_ == other.stages_; }

 private:
  Map() = default;

  Space domain_;
  std::vector<Stage> stages_;
  std::vector<std::vector<Range>> ranges_;  // one more than stages
};

/// map(point). Errors: Shape for another rank than the domain's, Value for a point outside the domain.
[[nodiscard]] Result<Point> evaluate(const Map& map, std::span<const Index> point);

/// The values after 0, 1, … all stages, to show where an element goes wrong. Errors: those of evaluate.
[[nodiscard]] Result<std::vector<Point>> trace(const Map& map, std::span<const Index> point);

/// evaluate() for inner loops: keeps its buffers and allocates nothing per point. The result is valid until the next
/// call. Requires: the point lies in the map's domain, which is not checked; the map outlives the evaluator.
class Evaluator {
 public:
  explicit Evaluator(const Map& map);
  [[nodiscard]] std::span<const Index> operator()(std::span<const Index> point);

 private:
  const Map* map_;
  Point values_;
  Point next_;
};

/// Orders the terms of a row, adds those of one input and drops zeros. Error: Overflow.
[[nodiscard]] Result<Row> canonical(Row row);

}  // namespace vl::map
