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
  const engines::Answer answer = inquiry.ask(Kind::Escapes, layout);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(missing(layout, found->witness.p));
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kInBounds = {.name = "in-bounds",
                                .statement = "every element has a slot in the physical box",
                                .witness = "a, physical",
                                .decide = in_bounds,
                                .proof = {Part::InBox}};

}  // namespace vl::claims
