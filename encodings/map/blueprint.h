// Blueprint: what a layout with strides says, before it is a map; over numbers, or over expressions in names (rule.h).
// A family makes it once for both.
//
//   flat         start + Σ strides_i·x_i, the number that is split; a view starts behind element 0 of an allocation
//   levels       the greedy split of `flat`: those with an extent above 1 and a weight above 0, by descending weight,
//                of equal weights the first one first. A level that is left out has digit 0. A rest that the last
//                weight leaves is a guard: an element with a rest has no slot.
//   places       one row a physical dimension, over the levels' digits and then the replicas
//
// A blueprint may join the dimensions to several `numbers` instead, each with levels of its own: those divide their
// number one after the other in their order; a level whose weight is not below that of the one before has digit 0. What
// the last one leaves is a guard. The last number may join digits of those before it, and no dimension. Slots that hold
// no element are padding.
//
// Example: S[(8,2):(2,1)] of f16[8,2] has strides (2, 1), the levels (weight 2, extent 8) and (weight 1, extent 2), and
// one place m = 2·digit0 + digit1 in a box of extent 16.
#pragma once

#include "encodings/map/expression.h"
#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"

namespace vl::map {

template <class N>
struct BasicLevel {
  N weight;
  N extent;
};

template <class N>
struct BasicTerm {
  std::size_t input = 0;  // a level, or after the levels a replica
  N coefficient;
};

/// Σ strides_i·x_i over some dimensions, split by the next `levels` levels. `of` adds digits of levels before them:
/// number t = C·d0 + d1 of a tile in row d0 and column d1 of C, which is then dealt to cores.
template <class N>
struct BasicNumber {
  std::vector<std::size_t> dims;
  std::size_t levels = 0;
  std::vector<BasicTerm<N>> of = {};
};

template <class N>
struct BasicPlace {
  std::string name = {};
  Unit unit = Unit::Element;
  N extent = 0;
  N filled = 0;  // the extent of the slots that are to be filled (Layout::filled); see fills_axes()
  N constant = 0;
  std::vector<BasicTerm<N>> terms = {};
};

template <class N>
struct Blueprint {
  std::vector<N> logical;
  std::vector<N> strides;
  N start = 0;   // of those that decode, >= 0
  N offset = 0;  // of the host: element 0 lies there in its storage; nests say so, and no place depends on it
  std::vector<N> replicas;
  std::vector<BasicLevel<N>> levels;
  std::vector<BasicPlace<N>> places;
  std::optional<Swizzle> swizzle;  // of the place number `input`
  bool named_axes = false;
  /// The first level is not reduced, and has a digit also where its extent is 1: numbers after the last one go on
  /// there.
  bool goes_on = false;
  /// The way back: slot -> Σ max(weight, 0)·coordinate -> greedy digits by the strides -> element, and its replica.
  /// Only where places are the digits themselves, or replicas, whose level then has the weight 0. Of several numbers,
  /// which are then the dimensions in their order: slot -> each dimension as the sum of its digits times their weights.
  bool decodes = false;
  std::vector<N> fits = {};  // further numbers that have to fit in 64 bits
  std::vector<BasicNumber<N>> numbers = {};

  /// Whether place j, of those that decode, is a replica: a device dimension that repeats elements.
  [[nodiscard]] bool repeats(std::size_t j) const {
    return !places[j].terms.empty() && places[j].terms[0].input >= levels.size();
  }
  /// Whether all slots of a part of the named axes are to be filled.
  [[nodiscard]] bool fills_axes() const { return named_axes && numbers.empty(); }
};

[[nodiscard]] inline Index least(Index a, Index b) { return a < b ? a : b; }
[[nodiscard]] inline Expression least(const Expression& a, const Expression& b) {
  return Expression::of(Expression::Kind::Min, a, b);
}

/// The coordinates that a place may have: those of constant + Σ stride·digit, each digit from 0 to its extent - 1.
template <class N>
class Reach;

template <>
class Reach<Index> {
 public:
  explicit Reach(Index constant) : range_{constant, constant} {}

  /// One more digit. False if a coordinate leaves 64 bits.
  [[nodiscard]] bool add(Index stride, Index extent) {
    return accumulate(stride < 0 ? range_.low : range_.high, stride, extent - 1);
  }
  /// One more than the greatest coordinate, at least 1: all may be negative, and are then out of bounds.
  [[nodiscard]] std::optional<Index> span() const;
  /// The least coordinate, if it is known to be negative.
  [[nodiscard]] std::optional<Index> below_0() const {
    return range_.low < 0 ? std::optional(range_.low) : std::nullopt;
  }
  /// Adds what has to fit in 64 bits beside the span.
  void add_fits(std::vector<Index>&) const {}  // add() has seen to it

 private:
  Range range_;
};

template <>
class Reach<Expression> {
 public:
  explicit Reach(const Expression& constant);

  [[nodiscard]] bool add(const Expression& stride, const Expression& extent);
  [[nodiscard]] std::optional<Expression> span() const { return at_least(end_, 1); }
  [[nodiscard]] std::optional<Index> below_0() const { return std::nullopt; }
  void add_fits(std::vector<Expression>& fits) const;  // minus the least coordinate, where that may be negative

 private:
  Expression end_;
  Expression below_;
  bool negative_;
};

/// The host's side of a layout: the tensor's space, its strides, and the place of an element in the host's memory.
struct Host {
  Space logical;
  std::vector<Index> strides;
  Row offset;
};
/// Errors: those of host_strides and of Space::create.
[[nodiscard]] Result<Host> host_of(const Tensor& tensor);

/// The layout. A split of one digit that is the number itself is left out, as is a guard of a number that is 0, but
/// where the layout decodes. Of several numbers, digits that are always 0 are left out. Requires: the host's sizes are
/// `logical`. Errors: those of Space::create and Layout::create, Value for a weight below 1 of a number.
[[nodiscard]] Result<Layout> layout_of(const Blueprint<Index>& blueprint, Space logical, Row host_offset);

/// The stages to the places of a blueprint with several numbers. `numbers`: those that join no digits, as rows over the
/// elements. Errors: Overflow; Value for a weight below 1. Requires: the last weight of each number is 1.
/// Example: tiles of 32x32 of a number 0 <= x0 < 80 have the weights (32, 1), and of x0 < 32 the weight 1 alone.
[[nodiscard]] Result<std::vector<Stage>> stages_of(const Blueprint<Index>& blueprint, std::vector<Row> numbers);

}  // namespace vl::map
