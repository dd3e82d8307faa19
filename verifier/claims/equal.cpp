// equal: layouts A and B of the same logical tensor put every element in the same place in memory:
//   (1) ∀ x: {n_A(A(x, r)) : r, a slot} = {n_B(B(x, r)) : r, a slot},   (2) |physical box of A| = |physical box of B|,
// where n is the row-major number of a slot. It compares memory and not coordinates, so [8,3,1,64] and [8,3,64] can be
// equal.
//
// Named axes have no common memory (a lane is not an address), so for them the claim is
//   ∀ x: {A(x, r) : r} = {B(x, r) : r} as sets of coordinates; an axis that a layout lacks is 0 (frame.h).
// Unsupported for one layout with named axes and one without. Cores of a layout's own grid are compared by where they
// are on the chips (encodings/use/cores.h); unsupported where that is not known of one.
//
// A memory is a part of a place: where the texts name different ones, as l1 and dram, each layout has one more axis,
// `memory` (encodings/use/memory_space.h), and no element has the same place. Unsupported where one of the memories is
// an alias that its text does not define. A notation without memories is compared by its axes alone.
//
// An element without a slot in both is equal; with a slot in only one it differs. Vacuous if there is no element.
#include <fmt/format.h>

#include "encodings/use/memory_space.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

Point first_slot(const map::Layout& layout, const Point& x) {
  const auto memory = question::memory_of(layout, x);
  return memory.empty() ? Point{} : layout.physical().point(memory.front());
}

std::string place(const map::Layout& layout, const Point& x) {
  const auto memory = question::memory_of(layout, x);
  if (memory.empty()) return "nowhere";
  const std::string first = fmt::format("at {} (device element {})", show(first_slot(layout, x)), memory.front());
  return memory.size() == 1 ? first : fmt::format("{} and {} more", first, memory.size() - 1);
}

Verdict equal(const Pair& about, Inquiry& inquiry) {
  const map::Layout& a = about.layout;
  const map::Layout& b = about.other;
  VL_CHECK(a.logical() == b.logical(), "equal() of layouts of different tensors");
  if (a.logical().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (a.named_axes() && b.named_axes())
    return same_over_axes(a, b, "element {} lies at {} in the first layout and at {} in the second", inquiry);
  if (a.named_axes() != b.named_axes())
    return unsupported("one layout names its axes, the other counts places in memory");
  const auto moved = [&](const Witness& w) {
    return Counterexample{{{"a", w.p}, {"physical", first_slot(a, w.p)}, {"other", first_slot(b, w.p)}},
                          fmt::format("element {} lies {} in the first layout and {} in the second", show(w.p),
                                      place(a, w.p), place(b, w.p))};
  };
  if (auto no = inquiry.refute({Kind::Differs, &a, &b}, moved)) return std::move(*no);
  const Index size = a.physical().volume();
  const Index other_size = b.physical().volume();
  if (size != other_size)
    return inquiry.refuted({{{"size", size}, {"other_size", other_size}},
                            fmt::format("the first layout takes {} device elements, the second {}{}", size, other_size,
                                        inquiry.is_open() ? "; whether an element moves is not known" : ""),
                            !inquiry.is_open()});
  return inquiry.conclude();
}

}  // namespace

std::optional<std::pair<const map::Layout&, const map::Layout&>> in_their_memories(Offer& offer, const map::Layout& a,
                                                                                   const use::Reading& second,
                                                                                   const map::Layout& b) {
  const std::string &memory = offer.reading.space, &other = second.space;
  if (!a.named_axes() || !b.named_axes() || memory.empty() || other.empty())
    return std::pair<const map::Layout&, const map::Layout&>(a, b);
  if (use::compare_memories(memory, other) == use::Memories::Unknown) {
    offer.undecidable = use::Undecidable{
        fmt::format("the first layout lies in {} and the second in {}, and whether that is one memory is "
                    "not known",
                    memory, other)};
    return std::nullopt;
  }
  auto made = use::in_memories(a, memory, b, other);
  if (!made) return offer.wrong({}, made.error());
  if (!*made) return std::pair<const map::Layout&, const map::Layout&>(a, b);
  const auto* kept = offer.keep(std::move(**made));
  offer.notes.push_back(
      fmt::format("the first layout lies in {}, the second in {}: different memories", memory, other));
  return std::pair<const map::Layout&, const map::Layout&>(kept->first, kept->second);
}

std::optional<Pair> Pair::bind(Offer& offer) {
  const use::Reading* second = offer.second(offer.tensor);
  const map::Layout* layout = offer.first();
  if (second == nullptr || layout == nullptr) return std::nullopt;
  if (use::compare_memories(offer.reading.space, second->space) == use::Memories::Different) {
    // No place of one is a place of the other; they are told by the cores of the chip where both have them.
    auto both = use::in_common(offer.reading, *second);
    const map::Layout& a = both && both->a ? *offer.keep(std::move(*both->a)) : *layout;
    const map::Layout& b = both && both->b ? *offer.keep(std::move(*both->b)) : *second->layout();
    const auto apart = in_their_memories(offer, a, *second, b);
    return apart ? std::optional(Pair{apart->first, apart->second}) : std::nullopt;
  }
  if (!in_their_memories(offer, *layout, *second, *second->layout())) return std::nullopt;
  const auto both = offer.compared(*second);
  return both ? std::optional(Pair{both->first, both->second}) : std::nullopt;
}

extern const Claim kEqual = {
    .name = "equal",
    .statement = "each element has the same places in both layouts, in memory order or on named axes",
    .witness = "a, physical, other; or size, other_size",
    .keys = {"with", "LAYOUT", true},
    .decide = equal,
    .proof = {Part::SamePlaces},
    .lifted = Lifted::Equal};

}  // namespace vl::claims
