// bijective: the map is a bijection between logical × replicas and the valid slots:
//   (1) ∀ p: map(p) is a slot,   (2) ∀ p ≠ q: map(p) ≠ map(q),   (3) ∀ p: map(p) is valid.
//
// valid(s) means that decode(s) lies in the domain with guards 0 and map(decode(s)) = s, so every valid slot is hit by
// definition; (3) is the other half, and together with (1) and (2) the image is exactly the valid slots. Where a family
// has no decode map, its valid slots are the image, and (1) and (2) are the claim. Vacuous when there is no element.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Counterexample misdecoded(const map::Layout& layout, const Point& p) {
  Counterexample out = placed(layout, p);
  out.explanation = fmt::format("element {} lives in a slot that the decode rule gives to another element or to none",
                                show(std::get<Point>(out.fields[0].second)));
  return out;
}

}  // namespace

Verdict bijective(const Subject& subject, Inquiry& inquiry) {
  const map::Layout& layout = *subject.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const engines::Answer escape = inquiry.ask(Kind::Escapes, subject);
  if (const auto* found = std::get_if<engines::Found>(&escape))
    return inquiry.refuted(missing(layout, found->witness.p));
  const engines::Answer collision = inquiry.ask(Kind::Collides, subject);
  if (const auto* found = std::get_if<engines::Found>(&collision))
    return inquiry.refuted(colliding(layout, found->witness.p, found->witness.q));
  engines::Answer stray = engines::None{};
  if (layout.decode()) stray = inquiry.ask(Kind::Misdecodes, subject);
  if (const auto* found = std::get_if<engines::Found>(&stray))
    return inquiry.refuted(misdecoded(layout, found->witness.p));
  for (const engines::Answer& part : {escape, collision, stray})
    if (const auto* abstained = std::get_if<engines::Abstained>(&part)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace vl::claims
