// onto: ∀ s ∈ physical box: ∃ (x, r): map(x, r) = s.
//
// False for every layout with padding, so it is never asked by default. Vacuous if the box has no slot. The box is that
// of the cores that the text names (Reading::counted).
//
// Where no engine finds an empty slot, or shows that there is none, the number of slots that hold an element decides:
// onto is refuted wherever `padding` is proved to be more than 0. The slot is then looked for by counts of parts of the
// box; without one, the two numbers are the counterexample.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Counterexample empty_slot(const OneLayout& about, const Point& slot, bool minimal) {
  const Point named = as_named(about.cores, about.layout.physical(), slot);
  return {{{"physical", named}}, fmt::format("slot {} holds no element", show(named)), minimal};
}

Verdict onto(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  const Index slots = layout.physical().volume();
  if (slots == 0) return inquiry.vacuous("the physical space has no slot");
  const engines::Answer answer = inquiry.ask({Kind::Misses, &layout, nullptr});
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(empty_slot(about, found->witness.slot, found->minimal));
  if (std::holds_alternative<engines::None>(answer)) return inquiry.proved();
  const auto* abstained = std::get_if<engines::Abstained>(&answer);
  VL_CHECK(abstained != nullptr, "an answer to another question");
  const engines::Answer count = inquiry.ask({Kind::Count, &layout, nullptr});
  const auto* counted = std::get_if<engines::Counted>(&count);
  if (counted == nullptr) return inquiry.unknown(*abstained);
  if (counted->count == slots) return inquiry.proved();
  if (const auto slot = inquiry.first_empty(layout)) return inquiry.refuted(empty_slot(about, *slot, true));
  return inquiry.refuted({{{"places", counted->count}, {"slots", slots}},
                          fmt::format("{} of {} slots hold an element", counted->count, slots),
                          false});
}

}  // namespace

extern const Claim kOnto = {.name = "onto",
                            .statement = "every slot of the physical box holds an element",
                            .witness = "physical",
                            .decide = onto,
                            .proof = {Part::Counted},
                            .lifted = Lifted::Onto,
                            .of_slots = true};

}  // namespace vl::claims
