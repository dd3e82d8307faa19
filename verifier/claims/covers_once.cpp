// covers-once: ∀ x, d ∈ D(x): exactly one move writes d. Then every element has a slot in D. The data may be wrong
// (see implements), and padding may also be written, even twice (see no-overlap).
//
// Vacuous if the tensor has no element.
#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

Verdict covers_once(const Transferred& about, Inquiry& inquiry) {
  if (about.layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto ends = ends_of(about);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  const engines::Answer answer = inquiry.ask({Kind::Misses, &about.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(misserved(about, *ends, found->witness.q));
  return inquiry.proved();
}

}  // namespace

extern const Claim kCoversOnce = {.name = "covers-once",
                                  .statement = "the nests write each element's places exactly once",
                                  .witness = "a, device (or host), times",
                                  .keys = {"nests with direction"},
                                  .decide = covers_once,
                                  .proof = {Part::ServedOnce}};

}  // namespace vl::claims
