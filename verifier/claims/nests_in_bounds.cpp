// in-bounds of nests: every move reads inside S and writes inside D. A device's memory is the physical box; a host's is
// the view, from its lowest to its highest element.
//
// Vacuous if the nests move nothing.
#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

Verdict nests_in_bounds(const Transferred& about, Inquiry& inquiry) {
  const auto ends = ends_of(about);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  if (moves_nothing(about.transfer)) return inquiry.vacuous("the nests move nothing");
  const engines::Answer answer = inquiry.ask({Kind::Escapes, &about.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  return inquiry.refuted(leaving(about, *ends, found->witness.p));
}

}  // namespace

extern const Claim kNestsInBounds = {.name = "in-bounds",
                                     .statement = "of nests: every move reads and writes inside the two memories",
                                     .witness = "nest, iteration, host, device",
                                     .keys = {"nests with direction"},
                                     .decide = nests_in_bounds,
                                     .proof = {Part::MovesInside}};

}  // namespace vl::claims
