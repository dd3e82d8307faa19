// What claims about rules and nests ask of sizes: digits of the greedy split, and which digits places tell.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {

using Polynomials = std::vector<Polynomial>;

[[nodiscard]] Polynomial product(const Polynomials& factors);

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

/// A part of the number that is split: size·x, 0 <= x < extent, each x by itself.
struct SplitPart {
  Polynomial size, extent;
};

/// The levels of a rule whose places are the digits. Rejected if it is none. Requires: every extent of the tensor is at
/// least 1.
class GreedySplit {
 public:
  struct Level {
    Polynomial weight, extent;
    std::size_t place = 0;
  };
  GreedySplit(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);

  void all_land() const;
  void none_collide() const { peel(sizes_, {strides_}, extents_); }

  /// By descending weight; each weight is at least 1, each extent at least 2.
  [[nodiscard]] const std::vector<Level>& levels() const { return kept_; }
  /// Strides and extents of the tensor's dimensions of extent above 1.
  [[nodiscard]] const Polynomials& strides() const { return strides_; }
  [[nodiscard]] const Polynomials& extents() const { return extents_; }
  /// Places that no level fills have 0 in them.
  void places_are_not_empty() const;

 private:
  void insert(Level level);
  void divide(const Level& level, std::vector<SplitPart>& rest) const;

  const SizeSet& sizes_;
  Polynomials strides_, extents_, left_out_;
  std::vector<Level> kept_;
};

}  // namespace vl::checker
