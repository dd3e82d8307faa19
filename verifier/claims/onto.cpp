// onto: ∀ s ∈ physical box: ∃ (x, r): map(x, r) = s.
//
// False for every layout with padding, so it is never asked by default. Vacuous if the box has no slot. The box is that
// of the cores that the text names (Reading::counted).
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict onto(const OneLayout& about, Inquiry& inquiry) {
  if (about.layout.physical().volume() == 0) return inquiry.vacuous("the physical space has no slot");
  return inquiry.settle({Kind::Misses, &about.layout, nullptr}, [&](const Witness& w) {
    const Point slot = as_named(about.cores, about.layout.physical(), w.slot);
    return Counterexample{{{"physical", slot}}, fmt::format("slot {} holds no element", show(slot))};
  });
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
