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

constexpr std::string_view kRowMemory = "m";  // the named axis that counts memory

// The elements with a next one in their row, replicas included.
Result<map::Space> rows_without_ends(const map::Layout& layout) {
  std::vector<map::Dim> dims = layout.domain().dims();
  --dims[layout.logical().rank() - 1].extent;
  return map::Space::create(std::move(dims));
}

// After a map into named axes: adds `more` on the axis m, which is added if it is missing.
void count_on_axis(map::Affine& last, std::vector<map::Dim>& dims, Index more) {
  for (std::size_t j = 0; j < dims.size(); ++j) last.rows.push_back(map::pick(j));
  const auto axis = std::ranges::find(dims, kRowMemory, &map::Dim::name);
  if (axis != dims.end()) {
    last.rows[static_cast<std::size_t>(axis - dims.begin())].constant = more;
  } else {
    dims.push_back({std::string(kRowMemory), 1, map::Unit::Element});
    last.rows.push_back({more, {}});
  }
}

// After a map into a box: the slot's number plus `more`, on a line. Coordinates that can leave their extent E are first
// split by (E, 1); the first digit, which is 0 for a slot, is a guard.
void count_on_line(const map::Layout& layout, map::LayoutParts& parts, Index more) {
  map::Affine last{{map::Row{more, {}}}};
  const auto& ends = layout.map().ranges(layout.map().stages().size());
  const std::vector<Index> weights = map::row_major_weights(layout.physical());
  std::size_t output = 0;
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const Index extent = layout.physical().extent(j);
    if (ends[j].low < 0 || ends[j].high >= extent) {
      parts.map.emplace_back(map::Split{output, {extent, 1}});
      last.rows.push_back(map::pick(output++));
      ++parts.guards;
    }
    last.rows.front().terms.push_back({output++, weights[j]});
  }
  for (std::size_t g = 0; g < layout.guards(); ++g) last.rows.push_back(map::pick(output++));
  parts.map.emplace_back(std::move(last));
}

// The places of the elements `step` further in their row, `more` added.
Result<map::Layout> stepped(const map::Layout& layout, Index step, Index more) {
  auto rows = rows_without_ends(layout);
  if (!rows) return rows.error();
  std::vector<map::Dim> dims{{std::string(kRowMemory), layout.physical().volume(), map::Unit::Element}};
  map::LayoutParts parts = map::parts_in(layout, layout.physical());
  map::Affine enter;
  for (std::size_t i = 0; i < layout.domain().rank(); ++i) enter.rows.push_back(map::pick(i));
  enter.rows[layout.logical().rank() - 1].constant = step;
  parts.map.insert(parts.map.begin(), std::move(enter));
  if (layout.named_axes()) {
    map::Affine last;
    dims = layout.physical().dims();
    count_on_axis(last, dims, more);
    parts.map.emplace_back(std::move(last));
  } else {
    if (!accumulate(dims.front().extent, 1, 1)) return Error{ErrorCode::Overflow, "a place beyond 64 bits"};
    count_on_line(layout, parts, more);
  }
  auto physical = map::Space::create(std::move(dims));
  if (!physical) return physical.error();
  parts.physical = std::move(*physical);
  parts.logical = std::move(*rows);
  parts.replicas = {};
  parts.host_offset = {};
  return map::Layout::create(std::move(parts));
}

Counterexample apart(const map::Layout& layout, const Point& p) {
  const std::size_t rank = layout.logical().rank();
  Point q = p;
  ++q[rank - 1];
  const auto outputs = [&](const Point& at) {
    auto out = map::evaluate(layout.map(), at);
    VL_CHECK(out.has_value(), "a point outside the domain");
    return std::move(*out);
  };
  const Point here = outputs(p), there = outputs(q);
  const auto place = [&](const Point& out) {
    return Point(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
  };
  const auto words = [&](const Point& out) {
    if (layout.named_axes()) return fmt::format("at {}", show(place(out)));
    if (!layout.is_slot(out)) return fmt::format("nowhere: {}", why_no_slot(layout, out));
    return fmt::format("at place {}", layout.physical().linear(place(out)));
  };
  return {
      {{"a", element_of(layout, p)}, {"b", element_of(layout, q)}, {"physical", place(here)}, {"other", place(there)}},
      fmt::format("element {} lies {}, and the next one in its row, {}, {}", show(element_of(layout, p)), words(here),
                  show(element_of(layout, q)), words(there))};
}

Verdict row_contiguous(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  const std::size_t rank = layout.logical().rank();
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (rank == 0 || layout.logical().extent(rank - 1) < 2) return inquiry.vacuous("no row has two elements");
  auto next = stepped(layout, 1, 0);
  auto after = stepped(layout, 0, 1);
  if (layout.named_axes() && next && after) {
    auto framed = frame(*next, *after);
    next = framed ? Result<map::Layout>(std::move(framed->a)) : Result<map::Layout>(framed.error());
    after = framed ? Result<map::Layout>(std::move(framed->b)) : after;
  }
  for (const auto* made : {&next, &after})
    if (!*made) return inquiry.unknown({Reason::OutOfReach, made->error().message});
  const engines::Answer answer = inquiry.ask(Kind::Differs, *next, *after);
  if (const auto* found = std::get_if<engines::Found>(&answer)) return inquiry.refuted(apart(layout, found->witness.p));
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  const engines::Answer landing = inquiry.some_slot(*next);
  if (std::holds_alternative<engines::None>(landing)) return inquiry.vacuous("no element with a next one has a slot");
  if (const auto* abstained = std::get_if<engines::Abstained>(&landing)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kRowContiguous = {
    .name = "row-contiguous",
    .statement = "the elements of a row, along the last dimension, follow one another in memory",
    .witness = "a, b, physical, other",
    .decide = row_contiguous};

}  // namespace vl::claims
