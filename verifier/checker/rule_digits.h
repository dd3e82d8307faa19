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

}  // namespace vl::checker
