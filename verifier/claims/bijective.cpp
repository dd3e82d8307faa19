// bijective: the map is a bijection between logical × replicas and the valid slots:
//   (1) ∀ p: map(p) is a slot,   (2) ∀ p ≠ q: map(p) ≠ map(q),   (3) ∀ p: map(p) is valid.
//
// valid(s) means that decode(s) lies in the domain with guards 0 and map(decode(s)) = s, so every valid slot is hit by
// definition; (3) is the other half, and together with (1) and (2) the image is exactly the valid slots. If a family
// has no decode map but states the valid slots as a box (`filled`), (3) is: every place lies in that box, and every
// slot of the box is hit. After (1), (2) and the first half, counting decides the second: |logical × replicas| =
// |filled|. If it has neither, the valid slots are the image, and (1) and (2) are the claim. Vacuous if there is no
// element.
#include <fmt/format.h>

#include "encodings/base/words.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Counterexample misdecoded(const map::Layout& layout, const Point& p) {
  Counterexample out = placed(layout, p);
  out.explanation = fmt::format("element {} lives in a slot that the decode rule gives to another element or to none",
                                show(std::get<Point>(out.fields[0].second)));
  return out;
}

Counterexample outside(const map::Layout& filled, const Point& p) {
  Counterexample out = placed(filled, p);
  out.explanation = fmt::format("element {} lies outside the slots that are to be filled: {}",
                                show(std::get<Point>(out.fields[0].second)),
                                why_no_slot(filled, std::get<Point>(out.fields[1].second)));
  return out;
}

// Whether an injective layout inside the box `filled` fills it.
Verdict fills(const map::Layout& filled, Inquiry& inquiry) {
  const Index slots = filled.physical().volume();
  const Index points = filled.domain().volume();
  VL_CHECK(points <= slots, "an injective layout with more places than slots");
  if (points == slots) return inquiry.proved();
  // Fewer points than slots: some slot is empty, and an engine may find it.
  const engines::Answer answer = inquiry.ask(Kind::Misses, filled);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(
        {{{"physical", found->witness.slot}},
         fmt::format("slot {} holds no element: {} places for {} slots", show(found->witness.slot), points, slots)});
  return inquiry.refuted(
      {{{"places", points}, {"slots", slots}}, fmt::format("{} places cannot fill {} slots", points, slots)});
}

Verdict bijective(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const engines::Answer escape = inquiry.ask(Kind::Escapes, layout);
  if (const auto* found = std::get_if<engines::Found>(&escape))
    return inquiry.refuted(missing(layout, found->witness.p));
  const engines::Answer collision = inquiry.ask(Kind::Collides, layout);
  if (const auto* found = std::get_if<engines::Found>(&collision))
    return inquiry.refuted(colliding(layout, found->witness.p, found->witness.q));
  engines::Answer stray = engines::None{};
  if (layout.decode()) stray = inquiry.ask(Kind::Misdecodes, layout);
  if (const auto* found = std::get_if<engines::Found>(&stray))
    return inquiry.refuted(misdecoded(layout, found->witness.p));
  for (const engines::Answer& part : {escape, collision, stray})
    if (const auto* abstained = std::get_if<engines::Abstained>(&part)) return inquiry.unknown(*abstained);
  if (!layout.filled()) return inquiry.proved();
  const auto filled = map::Layout::create(map::parts_in(layout, *layout.filled()));
  if (!filled) return inquiry.unknown({Reason::OutOfReach, filled.error().message});
  const engines::Answer beyond = inquiry.ask(Kind::Escapes, *filled);
  if (const auto* found = std::get_if<engines::Found>(&beyond))
    return inquiry.refuted(outside(*filled, found->witness.p));
  if (const auto* abstained = std::get_if<engines::Abstained>(&beyond)) return inquiry.unknown(*abstained);
  return fills(*filled, inquiry);
}

}  // namespace

std::string bijective_note(const map::Layout& layout, bool) {
  return fmt::format("{} in one-to-one correspondence with the valid slots{}, of {}",
                     plural(layout.logical().volume(), "element"),
                     layout.replicas().rank() > 0 ? fmt::format(" ({} each)", layout.replicas().volume()) : "",
                     plural(layout.physical().volume(), "slot"));
}

extern const Claim kBijective = {.name = "bijective",
                                 .statement = "elements correspond one to one to the valid slots",
                                 .witness = "a, physical; or a, b, physical",
                                 .decide = bijective,
                                 .proof = {Part::InBox, Part::Decoded, Part::InFilled},
                                 .note = bijective_note};

}  // namespace vl::claims
