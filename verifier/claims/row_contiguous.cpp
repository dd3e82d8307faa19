// row-contiguous: the elements of a row follow one another in memory. With e a step of one in the last logical
// dimension,
//   ∀ (x, r) with x and x + e in the tensor: place(x + e, r) = place(x, r) + 1.
//
// A place is a slot's row-major number. An element without a slot has no place; if neither x nor x + e has one, the
// claim says nothing about them (in-bounds does). For layouts over named axes a place is a coordinate on each axis,
// inside the box or not; the next place is one more on the axis m, and the same on the others.
//
// Both sides are layouts made from the layout's own map, over the elements with a next one, replicas included: `next`
// steps before the map, `after` adds one behind it. The claim is that they do not differ. Vacuous if no row has two
// elements, or no element with a next one has a place.
//
// Example: [64] on one stick is 0, 1, 2, …; [128] on [2, 3, 64] with 3 rows between the sticks is refuted at element
// [63], place 63: element [64] is at 192.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

// The places of the elements `step` further in their row, `more` added.
Result<map::Layout> stepped(const map::Layout& layout, Index step, Index more) {
  std::vector<map::Dim> dims = layout.domain().dims();
  --dims[layout.logical().rank() - 1].extent;  // those with a next one, replicas counted among them
  auto rows = map::Space::create(std::move(dims));
  if (!rows) return rows.error();
  OnAxes on = layout.named_axes() ? on_axes(layout, axes_of({&layout}, true), more) : in_memory(layout, more);
  for (Stretch& part : on.parts) part.low = 0;  // one more is a place like any other
  if (!layout.named_axes() && !accumulate(on.parts.front().extent, 1, 1))
    return Error{ErrorCode::Overflow, "a place beyond 64 bits"};
  map::Affine enter;
  for (std::size_t i = 0; i < layout.domain().rank(); ++i) enter.rows.push_back(map::pick(i));
  enter.rows[layout.logical().rank() - 1].constant = step;
  on.stages.insert(on.stages.begin(), std::move(enter));
  return within(layout, on, on.parts, std::move(*rows));
}

Counterexample apart(const map::Layout& layout, const Point& p) {
  Point q = p;
  ++q[layout.logical().rank() - 1];
  const Spot here = spot_of(layout, p), there = spot_of(layout, q);
  const auto words = [&](const Spot& at) {
    if (layout.named_axes()) return fmt::format("at {}", show(at.slot));
    if (!layout.is_slot(at.outputs)) return fmt::format("nowhere: {}", why_no_slot(layout, at.outputs));
    return fmt::format("at place {}", layout.physical().linear(at.slot));
  };
  return {{{"a", here.element}, {"b", there.element}, {"physical", here.slot}, {"other", there.slot}},
          fmt::format("element {} lies {}, and the next one in its row, {}, {}", show(here.element), words(here),
                      show(there.element), words(there))};
}

Verdict row_contiguous(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  const std::size_t rank = layout.logical().rank();
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (layout.physical().volume() == 0) return inquiry.vacuous("no element has a slot");
  if (rank == 0 || layout.logical().extent(rank - 1) < 2) return inquiry.vacuous("no row has two elements");
  auto next = stepped(layout, 1, 0);
  auto after = stepped(layout, 0, 1);
  if (layout.named_axes() && next && after) {
    auto framed = frame(*next, *after);
    next = framed ? Result<map::Layout>(std::move(framed->a)) : Result<map::Layout>(framed.error());
    after = framed ? Result<map::Layout>(std::move(framed->b)) : after;
  }
  for (const auto* made : {&next, &after})
    if (!*made) return inquiry.out_of_reach(made->error().message);
  const auto torn = [&](const Witness& w) { return apart(layout, w.p); };
  if (auto no = inquiry.unless_none({Kind::Differs, &*next, &*after}, torn)) return std::move(*no);
  if (auto empty = inquiry.unless_lands(*next, "no element with a next one has a slot")) return std::move(*empty);
  return inquiry.conclude();
}

}  // namespace

extern const Claim kRowContiguous = {
    .name = "row-contiguous",
    .statement = "the elements of a row, along the last dimension, follow one another in memory",
    .witness = "a, b, physical, other",
    .decide = row_contiguous,
    .needs_tensor = true};

}  // namespace vl::claims
