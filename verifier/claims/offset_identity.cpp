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

Verdict offset_identity(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (!layout.identity()) return Unknown{Reason::Unsupported, "the family states no such identity", {}};
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const engines::Answer landing = inquiry.some_slot(layout);
  if (std::holds_alternative<engines::None>(landing)) return inquiry.vacuous("no element has a slot");
  const engines::Answer answer = inquiry.ask(Kind::Breaks, layout);
  if (const auto* found = std::get_if<engines::Found>(&answer)) {
    Counterexample out = placed(layout, found->witness.p);
    const auto& a = std::get<Point>(out.fields[0].second);
    const auto& physical = std::get<Point>(out.fields[1].second);
    const auto dot = map::value(layout.identity()->slot, physical);
    const auto offset = map::value(layout.identity()->element, a);
    out.explanation =
        fmt::format("the dot product of slot {} and the host offset of element {} differ", show(physical), show(a));
    if (dot) out.fields.emplace_back("dot", *dot);
    if (offset) out.fields.emplace_back("host_offset", *offset);
    return inquiry.refuted(std::move(out));
  }
  for (const engines::Answer& part : {answer, landing})
    if (const auto* abstained = std::get_if<engines::Abstained>(&part)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kOffsetIdentity = {
    .name = "offset-identity",
    .statement = "the slot's dot product with the stride map is the element's host offset",
    .witness = "a, physical, dot, host_offset",
    .decide = offset_identity,
    .proof = {Part::Landing, Part::Identity}};

}  // namespace vl::claims
