// What claims about rules and nests ask of sizes: digits of the greedy split, and which digits places tell.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {

using Polynomials = std::vector<Polynomial>;

[[nodiscard]] Polynomial product(const Polynomials& factors);

/// Whether two polynomials are shown to be one number at all sizes of the set.
[[nodiscard]] bool are_equal(const Polynomial& a, const Polynomial& b, const SizeSet& sizes);

/// Whether a condition holds for all sizes of the set, or for none; else Undecided.
[[nodiscard]] bool holds(const RuleText::Condition& condition, const SizeSet& sizes);

/// Digits of such extents are known where the rows Σ size·digit are: one after the other, as its size exceeds what
/// those that are not known reach together. Sizes may have any sign. Rejected, or Undecided, if not.
void peel(const SizeSet& sizes, std::vector<Polynomials> rows, const Polynomials& extents);

struct RuleExtents {
  Polynomials logical, replicas;
  bool any = true;  // whether there is an element
};
/// Nothing where no size satisfies the conditions.
[[nodiscard]] std::optional<RuleExtents> extents_of(const RuleText& rule, const SizeSet& sizes);
/// Π extents of the places.
[[nodiscard]] Polynomial slots_of(const RuleText& rule, const SizeSet& sizes);

/// The extents of the digits that a rule's levels are: a mixed radix of the number of a dense host, row-major or
/// the first dimension fastest. Rejected if they are none.
[[nodiscard]] Polynomials radix_of(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);
/// The swizzle of a place; nothing where it moves nothing.
[[nodiscard]] std::optional<Stage> swizzle_of(const RuleText& rule);

/// The digits of a rule's numbers. Each number is at least 0 and below weight·extent of its first level, each weight is
/// at most weight·extent of the next level, and the last weight is 1: so every digit is below its extent, and the
/// digits of one element tell its numbers. They are fewer than all digits of such extents. A digit that a number joins
/// is told by that number, and no place may read it; here its extent is 1. Rejected where it is not so.
/// `of_slots`: only of elements that have a slot. Where a place is the first digit alone, in the level's extent, the
/// number may be beyond weight·extent: an element with such a number has no slot.
struct NumberDigits {
  Polynomials extents;
  std::vector<char> joined;  // of each digit: whether a number joins it
  /// Of each number whose strides do not nest: these, and the extents of its dimensions. Else each stride is at least
  /// stride·extent of the next one.
  std::vector<std::pair<Polynomials, Polynomials>> not_nested;
};
[[nodiscard]] NumberDigits digits_of_numbers(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical,
                                             bool of_slots);

/// Places as forms of independent digits: of such levels, then of the replicas.
class RadixForms {
 public:
  struct Place {
    Polynomial constant, extent, filled;
    Polynomials sizes;  // one a digit
  };
  /// `of_slots`: as of digits_of_numbers; then only none_collide is asked.
  RadixForms(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical, const Polynomials& replicas,
             bool of_slots);

  /// Every place is inside its extent, or inside what is to be filled.
  void all_land(bool filled) const;
  /// A swizzle is one to one, so places are compared before it.
  void none_collide() const;
  [[nodiscard]] Polynomial filled_slots() const;
  [[nodiscard]] const Polynomials& digits() const { return digits_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] bool swizzles() const { return swizzle_.has_value(); }

 private:
  void swizzle_keeps(const Polynomial& extent) const;

  const SizeSet& sizes_;
  NumberDigits numbers_;  // where there are any
  Polynomials digits_;    // their extents; each choice of values is a point, of numbers not all are
  std::optional<Stage> swizzle_;
  std::vector<Place> places_;
};

/// The dimensions of extent above 1, with their strides in the number, each at least 1.
struct TensorDims {
  Polynomials strides, extents;
};
[[nodiscard]] TensorDims dims_of(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);

/// What a sum consists of, one value a summand: K·P and 64 of K·P + 64. Nothing of what is absent. Rejected if one may
/// be below 0.
[[nodiscard]] Polynomials summands_of(const std::optional<ExpressionText>& sum, const SizeSet& sizes);
/// floor(sum / weight), and leaves the summands of the remainder. Requires: weight >= 1, and each summand >= 0.
[[nodiscard]] Polynomial take_digit(Polynomials& summands, const Polynomial& weight, const SizeSet& sizes);

/// A part of the number that is split: size·x, 0 <= x < extent, each x by itself.
struct SplitPart {
  Polynomial size, extent;
};

/// The levels of a rule whose places are the digits, or replicas, whose level has the weight 0. Rejected if it is none.
/// A stride below 0 counts from the end of its dimension, with what is thereby added to the start. Requires: every
/// extent of the tensor is at least 1.
class GreedySplit {
 public:
  struct Level {
    Polynomial weight, extent;
    std::size_t place = 0;
  };
  GreedySplit(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);

  void all_land() const;
  void none_collide() const;

  /// What the number begins with.
  [[nodiscard]] Polynomials start() const;
  /// By descending weight; each weight is at least 1, each extent at least 2.
  [[nodiscard]] const std::vector<Level>& levels() const { return kept_; }
  /// Places that no level fills have 0 in them.
  void places_are_not_empty() const;

 private:
  void insert(Level level);
  [[nodiscard]] std::vector<SplitPart> parts() const;
  void divide(const Level& level, std::vector<SplitPart>& rest, Polynomials& start) const;

  const SizeSet& sizes_;
  TensorDims dims_;
  Polynomials repeated_;                             // extents of dimensions of stride 0
  Polynomial least_ = 0;                             // Σ stride·(extent - 1) of strides below 0
  const std::optional<ExpressionText>& said_start_;  // of the rule
  Polynomials left_out_;
  std::vector<Level> kept_;
};

}  // namespace vl::checker
