// in-bounds: ∀ (x, r) ∈ logical × replicas: map(x, r) is a slot: 0 <= map(x, r)_j < extent_j for every physical
// dimension j, and every guard is 0.
//
// Vacuous if there is no element.
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict in_bounds(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  return inquiry.settle({Kind::Escapes, &layout, nullptr}, [&](const Witness& w) { return missing(layout, w.p); });
}

}  // namespace

extern const Claim kInBounds = {.name = "in-bounds",
                                .statement = "every element has a slot in the physical box",
                                .witness = "a, physical",
                                .decide = in_bounds,
                                .proof = {Part::InBox},
                                .lifted = Lifted::InBox};

}  // namespace vl::claims
