// in-bounds: ∀ (x, r) ∈ logical × replicas: map(x, r) is a slot: 0 <= map(x, r)_j < extent_j for every physical
// dimension j, and every guard is 0.
//
// Vacuous if there is no element. The box of a layout over named axes may be its own span, where no extent is declared:
// then in-bounds says no more than that no coordinate is negative, and the answer says so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict in_bounds(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  return inquiry.settle({Kind::Escapes, &layout, nullptr}, [&](const Witness& w) { return missing(layout, w.p); });
}

}  // namespace

std::string own_span_note(const use::Reading& reading, bool) {
  if (reading.own_span.empty()) return {};
  const map::Layout* layout = reading.layout();
  const map::Rule* rule = reading.rule_for_all_sizes();
  const std::size_t axes = layout != nullptr ? layout->physical().rank() : rule != nullptr ? rule->places.size() : 0;
  if (reading.own_span.size() == axes) return "of its own span";
  return fmt::format("of its own span on {}", fmt::join(reading.own_span, ", "));
}

extern const Claim kInBounds = {.name = "in-bounds",
                                .statement = "every element has a slot in the physical box",
                                .witness = "a, physical",
                                .decide = in_bounds,
                                .proof = {Part::InBox},
                                .note = own_span_note,
                                .lifted = Lifted::InBox};

}  // namespace vl::claims
