// What claims about rules ask of sizes: conditions, extents, and which digits levels are.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {

using Polynomials = std::vector<Polynomial>;

[[nodiscard]] Polynomial product(const Polynomials& factors);

/// Whether two polynomials are shown to be one number at all sizes of the set.
[[nodiscard]] bool are_equal(const Polynomial& a, const Polynomial& b, const SizeSet& sizes);

/// Whether a condition holds for all sizes of the set, or for none; else Rejected.
[[nodiscard]] bool holds(const RuleText::Condition& condition, const SizeSet& sizes);

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

/// Rejects a rule whose numbers go beyond their levels. Each number is at least 0 and below weight·extent of its first
/// level, each weight is at most weight·extent of the next level, and the last weight is 1: so every digit is below its
/// extent. A digit that a number joins is told by that number. Of elements that have a slot alone: where a place is the
/// first digit, in the level's extent, the number may be beyond weight·extent, and an element with such a number has no
/// slot.
void require_numbers(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);

/// The levels of a rule whose places are the digits, or replicas, whose level has the weight 0. Rejected if it is none.
class GreedySplit {
 public:
  struct Level {
    Polynomial weight, extent;
    std::size_t place = 0;
  };
  GreedySplit(const RuleText& rule, const SizeSet& sizes);

  /// By descending weight; each weight is at least 1, each extent at least 2.
  [[nodiscard]] const std::vector<Level>& levels() const { return kept_; }

 private:
  void insert(Level level);

  const SizeSet& sizes_;
  std::vector<Level> kept_;
};

}  // namespace vl::checker
