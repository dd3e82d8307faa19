// in-bounds of nests: every move reads inside S and writes inside D. D and S, when a device, are the physical box; when
// a host, the view: from its lowest to its highest element.
//
// Vacuous when the nests move nothing.
#include "verifier/claims/transfers.h"

namespace vl::claims {

Verdict nests_in_bounds(const Subject& subject, Inquiry& inquiry) {
  const auto ends = ends_of(subject);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  if (moves_nothing(*subject.transfer)) return inquiry.vacuous("the nests move nothing");
  const engines::Answer answer = inquiry.ask({Kind::Escapes, subject.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  return inquiry.refuted(leaving(subject, *ends, found->witness.p));
}

}  // namespace vl::claims
