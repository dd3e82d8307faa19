// onto: ∀ s ∈ physical box: ∃ (x, r): map(x, r) = s.
//
// False for every layout with padding, so never asked by default. Vacuous when the box has no slot.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {

Verdict onto(const Subject& subject, Inquiry& inquiry) {
  if (subject.layout->physical().volume() == 0) return inquiry.vacuous("the physical space has no slot");
  const engines::Answer answer = inquiry.ask(Kind::Misses, subject);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(
        {{{"physical", found->witness.slot}}, fmt::format("slot {} holds no element", show(found->witness.slot))});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace vl::claims
