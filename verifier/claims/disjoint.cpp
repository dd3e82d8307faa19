// disjoint: the images of two layouts in one buffer have no place in common:
//   ∀ p ∈ D_A, q ∈ D_B that have slots: place_A(p) ≠ place_B(q).
//
// For layouts over named axes a place is a coordinate on each axis, 0 on an axis that a layout lacks; for others it is
// the slot's row-major number. `at` is the beginning of the second layout's memory in the first one's (axis m, if axes
// have names). Both are brought to one space, the part of the buffer that both boxes cover: no places outside of it can
// meet. An element without a slot in its own layout's box has no place. Unsupported for one layout with named axes and
// one without, where the cores of one layout's grid have no known place on the chips, and where memory has more than
// the slots (aligned pages, sticks that are not whole) or pages go round banks that the text does not count.
//
// Layouts in different memories, as l1 and dram, have no place in common, since a place has a memory, too (equal.cpp);
// a note says so. One whose memory is not known is taken to lie in the other's; system and mmio, which may be one
// memory or two, are unsupported.
//
// Vacuous if one of the two has no element, or none with a slot.
//
// Example: S[(8,4):(8,1)] and S[(8,4):(8,1)] + 4: the two halves of 8 rows of 8. With + 3 element [0, 3] of the first
// and element [0, 0] of the second are both at 3.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/memory_space.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

// The parts that both boxes cover; nothing if a number leaves 64 bits.
std::optional<std::vector<Stretch>> shared_parts(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  std::vector<Stretch> out;
  for (const Stretch& part : a) {
    const auto& other = *std::ranges::find(b, part.axis, &Stretch::axis);
    const auto end = checked_add(part.low, part.extent);
    const auto other_end = checked_add(other.low, other.extent);
    if (!end || !other_end) return std::nullopt;
    const Index low = std::max(part.low, other.low);
    const Index first_end = std::min(*end, *other_end);
    out.push_back({part.axis, low, first_end <= low ? 0 : first_end - low});
  }
  return out;
}

struct Common {
  map::Layout a;
  map::Layout b;
};

Result<Common> common(const map::Layout& a, const map::Layout& b, Index at) {
  const std::vector<std::string> axes = axes_of({&a, &b}, at != 0);
  const auto placed = [&](const map::Layout& layout, Index from) {
    return layout.named_axes() ? on_axes(layout, axes, from) : in_memory(layout, from);
  };
  const OnAxes on_a = placed(a, 0), on_b = placed(b, at);
  const auto parts = shared_parts(on_a.parts, on_b.parts);
  if (!parts) return Error{ErrorCode::Overflow, "the buffer leaves 64 bits"};
  auto first = within(a, on_a, *parts);
  auto second = within(b, on_b, *parts);
  for (const auto* made : {&first, &second})
    if (!*made) return made->error();
  return Common{std::move(*first), std::move(*second)};
}

// The number of the place on the axis of `at`, or of the slot.
Index memory(const map::Layout& layout, const Point& slot) {
  if (!layout.named_axes()) return layout.physical().linear(slot);
  const auto axis = map::memory_axis(layout);
  return axis ? slot[*axis] : 0;
}

Counterexample meeting(const SharedBuffer& about, const Witness& witness) {
  const Spot a = spot_of(about.layout, witness.p);
  const Spot b = spot_of(about.other, witness.q);
  VL_CHECK(about.layout.is_slot(a.outputs) && about.other.is_slot(b.outputs), "a place in common that is no slot");
  const Index m = memory(about.layout, a.slot);
  VL_CHECK(m == memory(about.other, b.slot) + about.at, "a place in common that is none");
  return {{{"a", a.element}, {"b", b.element}, {"physical", a.slot}, {"other", b.slot}},
          fmt::format("element {} of the first layout and element {} of the second are both at place {} of the buffer",
                      show(a.element), show(b.element), m)};
}

Verdict disjoint(const SharedBuffer& about, Inquiry& inquiry) {
  const map::Layout& a = about.layout;
  const map::Layout& b = about.other;
  if (a.domain().volume() == 0) return inquiry.vacuous("the first layout has no element");
  if (b.domain().volume() == 0) return inquiry.vacuous("the second layout has no element");
  if (a.named_axes() != b.named_axes())
    return unsupported("one layout names its axes, the other counts places in memory");
  if (a.physical().volume() == 0 || b.physical().volume() == 0)
    return inquiry.vacuous("no element of one layout has a slot");
  const auto both = common(a, b, about.at);
  if (!both) return inquiry.out_of_reach(both.error().message);
  const auto meet = [&](const Witness& w) { return meeting(about, w); };
  if (auto no = inquiry.refute({Kind::Collides, &both->a, &both->b}, meet)) return std::move(*no);
  for (const map::Layout* layout : {&a, &b})
    if (auto empty = inquiry.unless_lands(*layout, "no element of one layout has a slot")) return std::move(*empty);
  return inquiry.conclude();
}

}  // namespace

std::optional<SharedBuffer> SharedBuffer::bind(Offer& offer) {
  map::Tensor tensor = offer.tensor;
  if (const auto* text = offer.argument("with_tensor")) {
    auto own = map::parse_tensor(*text);
    if (own)
      if (const auto strides = map::host_strides(*own); !strides) own = strides.error();
    if (!own) return offer.wrong("with_tensor", own.error());
    own->box = std::move(tensor.box);
    tensor = std::move(*own);
  }
  const use::Reading* second = offer.second(tensor);
  const map::Layout* layout = offer.first();
  if (second == nullptr || layout == nullptr) return std::nullopt;
  // Of different memories neither the size of an element nor that of a page counts.
  const bool named = layout->named_axes() && second->layout()->named_axes();
  const auto memories = use::compare_memories(offer.reading.space, second->space);
  const bool apart = named && memories == use::Memories::Different;
  const auto is_name = [](const std::string& space) { return !space.empty() && space.front() != '#'; };
  if (named && memories == use::Memories::Unknown && is_name(offer.reading.space) && is_name(second->space) &&
      !in_their_memories(offer, *layout, *second, *second->layout()))
    return std::nullopt;
  if (!apart && offer.reading.device_bits == 0)
    return offer.wrong("with", {ErrorCode::Value, "places are counted in elements, and their size is not known"});
  if (!apart && offer.reading.device_bits != second->device_bits)
    return offer.wrong("with", {ErrorCode::Value,
                                fmt::format("places are counted in elements; expected elements of {} bits, not of {}",
                                            offer.reading.device_bits, second->device_bits)});
  for (const auto& why : {offer.reading.unsized, second->unsized, offer.reading.spread, second->spread})
    if (!apart && !offer.places_alone && !offer.undecidable && !why.empty()) offer.undecidable = use::Undecidable{why};
  std::optional<Index> at = 0;
  if (offer.argument("at") != nullptr) at = offer.integer("at", "where the second layout's memory begins, in elements");
  if (!at || offer.undecidable) return std::nullopt;
  if (apart) {
    const auto both = in_their_memories(offer, *layout, *second, *second->layout());
    return both ? std::optional(SharedBuffer{both->first, both->second, *at}) : std::nullopt;
  }
  const auto both = offer.compared(*second);
  return both ? std::optional(SharedBuffer{both->first, both->second, *at}) : std::nullopt;
}

extern const Claim kDisjoint = {
    .name = "disjoint",
    .statement = "no place holds an element of the layout and one of a second layout in the same buffer",
    .witness = "a, b, physical, other",
    .keys = {"with with_tensor at", "LAYOUT", true},
    .decide = disjoint,
    .proof = {Part::BothLand, Part::NeverMeet}};

}  // namespace vl::claims
