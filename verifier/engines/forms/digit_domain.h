// Digit domain: a layout over the digits of its elements' numbers. The row-major number x of an element is a bijection
// of the logical box onto [0, N); where every split of the map takes it apart at boundaries that divide one another,
// 1 = b_0 | b_1 | … | b_m = N, the digits floor(x / b_k) mod (b_{k+1} / b_k) fill their box exactly. They are
// independent inputs then, every output is a linear row over them and the replicas, and no carry is left to reason
// about.
//
// An *atom* (a, b) stands for floor(x / a) mod (b / a): the dimension of weight w and extent n is (w, w·n). Atoms with
// c·(a, b) + c·(b/a)·(b, d) = c·(a, d) merge, so a row-major flattening is the atom (1, N) whatever the dimensions; a
// split cuts atoms: c·(a, b) divided by w = c·t has quotient (a·t, b) and rest c·(a, a·t), if t divides b / a. Digits
// are ordered outermost first, so points in digits and points of the tensor have the same lexicographic order, and the
// smallest of a set stays the smallest.
//
// Example: S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] over a tensor of 8 by 16: boundaries 1, 2, 8, 16, 128, digits
// of extents 8, 2, 4, 2, and laneid = 4·c0 + c2 over them. Over 16 by 8 as well.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/layout.h"
#include "verifier/engines/forms/rows.h"

namespace vl::engines {

class DigitDomain {
 public:
  /// Nothing where a split does not cut at boundaries that divide one another, where anything but a sum follows a
  /// swizzle, or where there is no element. A swizzle that moves none of its addresses is left out, or kept for
  /// comparisons with one that does.
  static std::optional<DigitDomain> of(const map::Layout& layout, bool keep_idle_swizzle = false);

  /// The extents of the digits, outermost first, each at least 2; their product is the number of elements.
  [[nodiscard]] const std::vector<Index>& digits() const { return digits_; }
  [[nodiscard]] const std::vector<Index>& replicas() const { return replicas_; }
  /// All inputs: digits, then replicas.
  [[nodiscard]] const Box& box() const { return box_; }
  /// One an output (physical, then guards), over the inputs. Each stays within 64 bits over the box.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The swizzle that the output numbered `input` passes at last, if any.
  [[nodiscard]] const std::optional<map::Swizzle>& swizzle() const { return swizzle_; }
  /// What is added to the swizzled output behind the swizzle.
  [[nodiscard]] const Row& after() const { return after_; }

  /// The point of the layout's domain whose digits and replicas these are. Increasing in the lexicographic orders.
  [[nodiscard]] Point point(const Point& inputs) const;

 private:
  map::Space logical_;
  std::vector<Index> digits_;
  std::vector<Index> replicas_;
  Box box_;
  std::vector<Row> rows_;
  std::optional<map::Swizzle> swizzle_;
  Row after_;
};

}  // namespace vl::engines
