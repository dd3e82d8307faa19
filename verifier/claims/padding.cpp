// padding: |physical box| - |{map(p) : p ∈ logical × replicas, map(p) a slot}|, the number of slots that are not valid.
//
// The box is that of the cores that the text names (Reading::counted): 4 cores of a row that begins at (1, 1) are 4,
// whatever else lies between them and core (0, 0).
//
// The claim measures a number, so it is `proved` for any number. Never vacuous: without elements every slot is padding.
#include <fmt/format.h>

#include "encodings/base/words.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict padding(const OneLayout& about, Inquiry& inquiry) {
  const engines::Answer answer = inquiry.ask({Kind::Count, &about.layout, nullptr});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved(about.layout.physical().volume() - std::get<engines::Counted>(answer).count);
}

}  // namespace

std::string padding_note(const use::Reading& reading, bool closer) {
  const map::Layout& layout = *reading.counted();
  const std::string note = fmt::format("of {} are padding", plural(layout.physical().volume(), "slot"));
  const std::string aliases = closer ? show_aliases(layout) : std::string{};
  return aliases.empty() ? note : fmt::format("{}; {}", note, aliases);
}

extern const Claim kPadding = {.name = "padding",
                               .statement = "the number of slots that hold no element",
                               .witness = "",
                               .measures = true,
                               .decide = padding,
                               .proof = {Part::Counted},
                               .note = padding_note,
                               .lifted = Lifted::Padding,
                               .of_slots = true};

}  // namespace vl::claims
