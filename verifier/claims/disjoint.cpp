// disjoint: the images of two layouts in one buffer have no place in common:
//   ∀ p ∈ D_A, q ∈ D_B that have slots: place_A(p) ≠ place_B(q).
//
// For layouts over named axes a place is a coordinate on each axis, 0 on an axis that a layout lacks; for others it is
// the slot's row-major number. `at` is the beginning of the second layout's memory in the first one's (axis m, if axes
// have names). Both are brought to one space, the part of the buffer that both boxes cover: no places outside of it can
// meet. An element without a slot in its own layout's box has no place. Unsupported for one layout with named axes and
// one without.
//
// Vacuous if one of the two has no element, or none with a slot.
//
// Example: S[(8,4):(8,1)] and S[(8,4):(8,1)] + 4: the two halves of 8 rows of 8. With + 3 element [0, 3] of the first
// and element [0, 0] of the second are both at 3.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

using map::kMemoryAxis;  // the axis of `at`

// [low, low + extent): the part of one axis that a layout's box covers, in the first layout's coordinates.
struct Stretch {
  std::string axis;
  Index low = 0;
  Index extent = 1;
};

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

// A layout's outputs as one row per axis, after `stages`; then guards.
struct Placed {
  std::vector<Stretch> parts;
  std::vector<map::Stage> stages;
  std::vector<map::Row> rows;  // in the first layout's coordinates
  std::size_t guards = 0;
};

Placed on_axes(const map::Layout& layout, const std::vector<std::string>& axes, Index at) {
  Placed out{{}, layout.map().stages(), {}, layout.guards()};
  const auto& dims = layout.physical().dims();
  for (const std::string& axis : axes) {
    const Index shift = axis == kMemoryAxis ? at : 0;
    const auto found = std::ranges::find(dims, axis, &map::Dim::name);
    out.parts.push_back({axis, shift, found == dims.end() ? 1 : found->extent});
    out.rows.push_back(found == dims.end() ? map::Row{} : map::pick(static_cast<std::size_t>(found - dims.begin())));
    out.rows.back().constant = shift;
  }
  for (std::size_t g = 0; g < layout.guards(); ++g) out.rows.push_back(map::pick(dims.size() + g));
  return out;
}

// A coordinate that can leave its extent E is split by (E, 1): it is in the box iff the first digit, a guard, is 0.
Placed in_memory(const map::Layout& layout, Index at) {
  Placed out{
      {{std::string(kMemoryAxis), at, layout.physical().volume()}}, layout.map().stages(), {{}}, layout.guards()};
  const auto& ends = layout.map().ranges(layout.map().stages().size());
  const std::vector<Index> weights = map::row_major_weights(layout.physical());
  std::size_t output = 0;
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const Index extent = layout.physical().extent(j);
    if (ends[j].low < 0 || ends[j].high >= extent) {
      out.stages.emplace_back(map::Split{output, {extent, 1}});
      out.rows.push_back(map::pick(output++));
      ++out.guards;
    }
    out.rows.front().terms.push_back({output++, weights[j]});
  }
  for (std::size_t g = 0; g < layout.guards(); ++g) out.rows.push_back(map::pick(output++));
  out.rows.front().constant = at;
  return out;
}

Result<map::Layout> within(const map::Layout& layout, Placed placed, const std::vector<Stretch>& parts) {
  std::vector<map::Dim> dims;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    dims.push_back({parts[k].axis, parts[k].extent, map::Unit::Element});
    if (!accumulate(placed.rows[k].constant, parts[k].low, -1))
      return Error{ErrorCode::Overflow, "a place beyond 64 bits"};
  }
  auto space = map::Space::create(std::move(dims));
  if (!space) return space.error();
  map::LayoutParts out = map::parts_in(layout, std::move(*space));
  out.map = std::move(placed.stages);
  out.map.emplace_back(map::Affine{std::move(placed.rows)});
  out.guards = placed.guards;
  out.host_offset = {};
  return map::Layout::create(std::move(out));
}

struct Common {
  map::Layout a;
  map::Layout b;
};

Result<Common> common(const map::Layout& a, const map::Layout& b, Index at) {
  std::vector<std::string> axes;
  for (const map::Layout* layout : {&a, &b})
    for (const map::Dim& dim : layout->physical().dims())
      if (std::ranges::find(axes, dim.name) == axes.end()) axes.push_back(dim.name);
  if (at != 0 && std::ranges::find(axes, kMemoryAxis) == axes.end()) axes.emplace_back(kMemoryAxis);
  Placed placed_a = a.named_axes() ? on_axes(a, axes, 0) : in_memory(a, 0);
  Placed placed_b = a.named_axes() ? on_axes(b, axes, at) : in_memory(b, at);
  const auto parts = shared_parts(placed_a.parts, placed_b.parts);
  if (!parts) return Error{ErrorCode::Overflow, "the buffer leaves 64 bits"};
  auto first = within(a, std::move(placed_a), *parts);
  if (!first) return first.error();
  auto second = within(b, std::move(placed_b), *parts);
  if (!second) return second.error();
  return Common{std::move(*first), std::move(*second)};
}

struct Place {
  Point element;
  Point slot;
};

Place place_of(const map::Layout& layout, const Point& p) {
  const auto logical = p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank());
  const Point outputs = map::outputs_at(layout, Point(p.begin(), logical), Point(logical, p.end()));
  VL_CHECK(layout.is_slot(outputs), "a place in common that is no slot");
  const auto physical = outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank());
  return {Point(p.begin(), logical), Point(outputs.begin(), physical)};
}

// The number of the place on the axis of `at`, or of the slot.
Index memory(const map::Layout& layout, const Point& slot) {
  if (!layout.named_axes()) return layout.physical().linear(slot);
  const auto axis = map::memory_axis(layout);
  return axis ? slot[*axis] : 0;
}

Counterexample meeting(const SharedBuffer& about, const engines::Witness& witness) {
  const Place a = place_of(about.layout, witness.p);
  const Place b = place_of(about.other, witness.q);
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
    return Unknown{Reason::Unsupported, "one layout names its axes, the other counts places in memory", {}};
  if (a.physical().volume() == 0 || b.physical().volume() == 0)
    return inquiry.vacuous("no element of one layout has a slot");
  const auto both = common(a, b, about.at);
  if (!both) return inquiry.unknown({Reason::OutOfReach, both.error().message});
  const engines::Answer answer = inquiry.ask({Kind::Collides, &both->a, &both->b});
  if (const auto* found = std::get_if<engines::Found>(&answer)) return inquiry.refuted(meeting(about, found->witness));
  for (const map::Layout* layout : {&a, &b}) {
    const engines::Answer landing = inquiry.some_slot(*layout);
    if (std::holds_alternative<engines::None>(landing)) return inquiry.vacuous("no element of one layout has a slot");
    if (const auto* abstained = std::get_if<engines::Abstained>(&landing)) return inquiry.unknown(*abstained);
  }
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kDisjoint = {
    .name = "disjoint",
    .statement = "no place holds an element of the layout and one of a second layout in the same buffer",
    .witness = "a, b, physical, other",
    .keys = {"with with_tensor at", "LAYOUT", true},
    .decide = disjoint,
    .proof = {Part::BothLand, Part::NeverMeet}};

}  // namespace vl::claims
