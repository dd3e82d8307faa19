// injective: ∀ p ≠ q ∈ logical × replicas that have slots: map(p) ≠ map(q).
//
// in-bounds asks about elements without a slot. Vacuous if no element has a slot.
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict injective(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  // If no element has a slot, "no two share one" is vacuous, so both answers are needed.
  if (auto empty = inquiry.unless_lands(layout, "no element has a slot")) return std::move(*empty);
  return inquiry.settle({Kind::Collides, &layout, nullptr},
                        [&](const Witness& w) { return colliding(layout, w.p, w.q); });
}

}  // namespace

extern const Claim kInjective = {.name = "injective",
                                 .statement = "no two elements (or replicas of them) share a slot",
                                 .witness = "a, b, physical",
                                 .decide = injective,
                                 .proof = {Part::Landing, Part::Apart},
                                 .lifted = Lifted::Apart};

}  // namespace vl::claims
