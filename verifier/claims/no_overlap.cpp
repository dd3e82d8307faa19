// no-overlap: ∀ moves m ≠ m': they write different offsets, padding and everything outside included.
//
// Vacuous when the nests move nothing.
#include <fmt/format.h>

#include "verifier/claims/transfers.h"

namespace vl::claims {

Verdict no_overlap(const Subject& subject, Inquiry& inquiry) {
  const auto ends = ends_of(subject);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  if (moves_nothing(*subject.transfer)) return inquiry.vacuous("the nests move nothing");
  const engines::Answer answer = inquiry.ask({Kind::Collides, subject.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  const auto& [p, q, slot] = found->witness;
  Counterexample out = moved(*subject.transfer, p);
  out.fields.emplace_back("other_nest", q[0]);
  out.fields.emplace_back("other_iteration", Point(q.begin() + 1, q.end()));
  out.explanation = fmt::format("{} and {} both write {} offset {}", show_move(p), show_move(q), out.fields[3].first,
                                std::get<Index>(out.fields[3].second));
  return inquiry.refuted(std::move(out));
}

}  // namespace vl::claims
