// onto: ∀ s ∈ physical box: ∃ (x, r): map(x, r) = s.
//
// False for every layout with padding, so it is never asked by default. Vacuous if the box has no slot.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict onto(const OneLayout& about, Inquiry& inquiry) {
  if (about.layout.physical().volume() == 0) return inquiry.vacuous("the physical space has no slot");
  const engines::Answer answer = inquiry.ask(Kind::Misses, about.layout);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(
        {{{"physical", found->witness.slot}}, fmt::format("slot {} holds no element", show(found->witness.slot))});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kOnto = {.name = "onto",
                            .statement = "every slot of the physical box holds an element",
                            .witness = "physical",
                            .decide = onto,
                            .proof = {Part::Counted}};

}  // namespace vl::claims
