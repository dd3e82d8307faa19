// in-bounds of nests: every move reads inside S and writes inside D. D and S, when a device, are the physical box; when a
// host, the view: from its lowest to its highest element.
//
// Vacuous when the nests move nothing.
#include <fmt/format.h>

#include "verifier/claims/transfers.h"

namespace vl::claims {

Verdict nests_in_bounds(const Subject& subject, Inquiry& inquiry) {
  const auto ends = ends_of(subject);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  if (moves_nothing(*subject.transfer)) return inquiry.vacuous("the nests move nothing");
  const engines::Answer answer = inquiry.ask({TransferKind::Leaves, subject.transfer, &ends->source, &ends->destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  Counterexample out = moved(*subject.transfer, found->witness.p);
  for (std::size_t field = 2; field < 4; ++field) {
    const map::Memory& memory = field == 2 ? ends->source : ends->destination;
    const Index offset = std::get<Index>(out.fields[field].second);
    const Index size = memory.layout.physical().volume();
    if (offset >= memory.base && offset - memory.base < size) continue;
    out.explanation += fmt::format("{}{} {} offset {}, and {}", out.explanation.empty() ? show_move(found->witness.p) + " " : "; it ",
                                   field == 2 ? "reads" : "writes", out.fields[field].first, offset,
                                   size == 0 ? "there is nothing" : fmt::format("there is [{}, {}]", memory.base, memory.base + size - 1));
  }
  return inquiry.refuted(std::move(out));
}

}  // namespace vl::claims
