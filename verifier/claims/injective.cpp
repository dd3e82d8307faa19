// injective: ∀ p ≠ q ∈ logical × replicas that have slots: map(p) ≠ map(q).
//
// in-bounds asks about elements without a slot. Vacuous if no element has a slot.
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict injective(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const engines::Answer landing = inquiry.some_slot(layout);
  if (std::holds_alternative<engines::None>(landing)) return inquiry.vacuous("no element has a slot");
  const engines::Answer answer = inquiry.ask(Kind::Collides, layout);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(colliding(layout, found->witness.p, found->witness.q));
  // If no element has a slot, "no two share one" is vacuous, so both answers are needed.
  for (const engines::Answer& part : {answer, landing})
    if (const auto* abstained = std::get_if<engines::Abstained>(&part)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kInjective = {.name = "injective",
                                 .statement = "no two elements (or replicas of them) share a slot",
                                 .witness = "a, b, physical",
                                 .decide = injective,
                                 .proof = {Part::Landing, Part::Apart}};

}  // namespace vl::claims
