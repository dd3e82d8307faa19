// offset-identity: ∀ (x, r) with slot s: slot(s) = element(x), two rows that the family's document states as equal.
//
// Spyre: Σ s_j·stride_map_j = view_offset + Σ x_i·stride_i, without the host's storage offset. A stride_map entry of -1
// counts as 0. On data slots this changes nothing, because the coordinate of such a dimension is 0; on padding slots
// the document's identity fails in both directions, and the claim says nothing about them. Unsupported if a family
// states no identity; vacuous if no element has a slot.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Counterexample identity_broken(const map::Layout& layout, const Point& p) {
  const Spot at = spot_of(layout, p);
  Counterexample out{{{"a", at.element}, {"physical", at.slot}},
                     fmt::format("the dot product of slot {} and the host offset of element {} differ", show(at.slot),
                                 show(at.element))};
  if (const auto dot = map::value(layout.identity()->slot, at.slot)) out.fields.emplace_back("dot", *dot);
  if (const auto offset = map::value(layout.identity()->element, at.element))
    out.fields.emplace_back("host_offset", *offset);
  return out;
}

Verdict offset_identity(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (!layout.identity()) return unsupported("the family states no such identity");
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (auto empty = inquiry.unless_lands(layout, "no element has a slot")) return std::move(*empty);
  return inquiry.settle({Kind::Breaks, &layout, nullptr},
                        [&](const Witness& w) { return identity_broken(layout, w.p); });
}

}  // namespace

extern const Claim kOffsetIdentity = {
    .name = "offset-identity",
    .statement = "the slot's dot product with the stride map is the element's host offset",
    .witness = "a, physical, dot, host_offset",
    .decide = offset_identity,
    .proof = {Part::Landing, Part::Identity},
    .lifted = Lifted::Identity};

}  // namespace vl::claims
