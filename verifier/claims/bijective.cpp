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
  const Spot at = spot_of(layout, p);
  return {{{"a", at.element}, {"physical", at.slot}},
          fmt::format("element {} lives in a slot that the decode rule gives to another element or to none",
                      show(at.element))};
}

// Whether an injective layout inside the box `filled` fills it.
Verdict fills(const map::Layout& filled, Inquiry& inquiry) {
  const Index slots = filled.physical().volume();
  const Index points = filled.domain().volume();
  VL_CHECK(points <= slots, "an injective layout with more places than slots");
  if (points == slots) return inquiry.proved();
  // Fewer points than slots: some slot is empty, and an engine may find it.
  const engines::Answer answer = inquiry.ask({Kind::Misses, &filled, nullptr});
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(
        {{{"physical", found->witness.slot}},
         fmt::format("slot {} holds no element: {} places for {} slots", show(found->witness.slot), points, slots),
         found->minimal});
  return inquiry.refuted(
      {{{"places", points}, {"slots", slots}}, fmt::format("{} places cannot fill {} slots", points, slots), false});
}

Verdict bijective(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto lost = [&](const Witness& w) { return missing(layout, w.p); };
  if (auto no = inquiry.refute({Kind::Escapes, &layout, nullptr}, lost)) return std::move(*no);
  const auto shared = [&](const Witness& w) { return colliding(layout, w.p, w.q); };
  if (auto no = inquiry.refute({Kind::Collides, &layout, nullptr}, shared)) return std::move(*no);
  const auto stray = [&](const Witness& w) { return misdecoded(layout, w.p); };
  if (layout.decode())
    if (auto no = inquiry.refute({Kind::Misdecodes, &layout, nullptr}, stray)) return std::move(*no);
  if (!layout.filled() || inquiry.is_open()) return inquiry.conclude();
  const auto filled = map::Layout::create(map::parts_in(layout, *layout.filled()));
  if (!filled) return inquiry.out_of_reach(filled.error().message);
  const auto beyond = [&](const Witness& w) {
    return missing(*filled, w.p, "element {} lies outside the slots that are to be filled: {}");
  };
  if (auto no = inquiry.unless_none({Kind::Escapes, &*filled, nullptr}, beyond)) return std::move(*no);
  return fills(*filled, inquiry);
}

}  // namespace

std::string bijective_note(const use::Reading& reading, bool) {
  const map::Layout& layout = *reading.counted();
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
                                 .note = bijective_note,
                                 .lifted = Lifted::Bijective};

}  // namespace vl::claims
