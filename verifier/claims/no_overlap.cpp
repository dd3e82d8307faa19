// no-overlap: ∀ moves m ≠ m': they write different offsets, padding and everything outside included.
//
// Vacuous if the nests move nothing.
#include <fmt/format.h>

#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

Verdict no_overlap(const Transferred& about, Inquiry& inquiry) {
  const auto ends = ends_of(about);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  if (moves_nothing(about.transfer)) return inquiry.vacuous("the nests move nothing");
  const engines::Answer answer = inquiry.ask({Kind::Collides, &about.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  const auto& [p, q, slot] = found->witness;
  Counterexample out = moved(about.transfer, p);
  out.fields.emplace_back("other_nest", q[0]);
  out.fields.emplace_back("other_iteration", Point(q.begin() + 1, q.end()));
  out.explanation = fmt::format("{} and {} both write {} offset {}", show_move(p), show_move(q), out.fields[3].first,
                                std::get<Index>(out.fields[3].second));
  return inquiry.refuted(std::move(out));
}

}  // namespace

extern const Claim kNoOverlap = {.name = "no-overlap",
                                 .statement = "no two moves of the nests write one place, padding included",
                                 .witness = "nest, iteration, host, device, other_nest, other_iteration",
                                 .keys = {"nests with direction"},
                                 .decide = no_overlap,
                                 .proof = {Part::MovesApart}};

}  // namespace vl::claims
