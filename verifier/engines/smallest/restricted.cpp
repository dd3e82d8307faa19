#include "verifier/engines/smallest/restricted.h"

#include "verifier/engines/forms/bisect.h"

namespace vl::engines {
namespace {

using map::Affine;
using map::Layout;
using map::LayoutParts;
using map::Space;

std::optional<Layout> made(LayoutParts parts) {
  auto layout = Layout::create(std::move(parts));
  return layout ? std::optional(std::move(*layout)) : std::nullopt;
}

// The dimensions from number `first` on, as long as the box says.
std::optional<Space> cut_to(const Space& space, const Box& box, std::size_t first) {
  std::vector<map::Dim> dims = space.dims();
  for (std::size_t i = 0; i < dims.size(); ++i) dims[i].extent = box[first + i].high - box[first + i].low + 1;
  auto cut = Space::create(std::move(dims));
  return cut ? std::optional(std::move(*cut)) : std::nullopt;
}

Affine shifted(std::size_t values, const Box& box, Index factor) {
  Affine affine;
  for (std::size_t i = 0; i < values; ++i) {
    affine.rows.push_back(map::pick(i));
    if (i < box.size()) affine.rows.back().constant = factor * box[i].low;
  }
  return affine;
}

// The layout whose elements are the digits' box, replicas among them.
std::optional<Layout> over(const Layout& layout, const DigitDomain& digits) {
  std::vector<Index> extents = digits.digits();
  extents.insert(extents.end(), digits.replicas().begin(), digits.replicas().end());
  auto space = Space::create(Space::dims("i", extents));
  if (!space) return std::nullopt;
  LayoutParts parts = map::parts_in(layout, layout.physical());
  parts.logical = std::move(*space);
  parts.replicas = {};
  parts.host_offset = {};
  Affine rows{digits.rows()};
  parts.map = {};
  if (!digits.swizzle()) {
    parts.map.emplace_back(std::move(rows));
    return made(std::move(parts));
  }
  Affine add = shifted(rows.rows.size(), {}, 0);
  if (digits.after() != map::Row{}) {
    add.rows[digits.swizzle()->input].terms.push_back({rows.rows.size(), 1});
    rows.rows.push_back(digits.after());
  }
  parts.map = {std::move(rows), *digits.swizzle(), std::move(add)};
  return made(std::move(parts));
}

}  // namespace

std::optional<Layout> restricted(const Layout& layout, const Box& box) {
  auto logical = cut_to(layout.logical(), box, 0);
  auto replicas = cut_to(layout.replicas(), box, layout.logical().rank());
  if (!logical || !replicas) return std::nullopt;
  LayoutParts parts = map::parts_in(layout, layout.physical());
  parts.logical = std::move(*logical);
  parts.replicas = std::move(*replicas);
  parts.host_offset = {};
  parts.map.insert(parts.map.begin(), shifted(layout.domain().rank(), box, 1));
  parts.identity = layout.identity();
  if (parts.identity)
    for (const map::Term& term : parts.identity->element.terms)
      if (!accumulate(parts.identity->element.constant, term.coefficient, box[term.input].low)) return std::nullopt;
  return made(std::move(parts));
}

std::optional<Layout> restricted_slots(const Layout& layout, const Box& slots) {
  auto physical = cut_to(layout.physical(), slots, 0);
  if (!physical) return std::nullopt;
  LayoutParts parts = map::parts_in(layout, std::move(*physical));
  parts.map.emplace_back(shifted(layout.map().outputs(), slots, -1));
  return made(std::move(parts));
}

Points Points::of(const Layout& layout) {
  auto digits = DigitDomain::of(layout);
  auto over_digits = digits ? over(layout, *digits) : std::nullopt;
  if (!over_digits) return {layout, layout.logical(), std::nullopt};
  return {std::move(*over_digits), layout.logical(), std::move(digits)};
}

Box Points::box() const { return whole(map::extents_of(layout_.domain())); }

Point Points::point(const Point& coordinates) const { return digits_ ? digits_->point(coordinates) : coordinates; }

Point Points::coordinates(const Point& point) const {
  if (!digits_) return point;
  const auto replicas = point.begin() + static_cast<std::ptrdiff_t>(elements_.rank());
  const auto numbers = Space::create(Space::dims("i", digits_->digits()));
  VL_CHECK(numbers.has_value(), "digits that are no space");
  Point out = numbers->point(elements_.linear(Point(point.begin(), replicas)));
  out.insert(out.end(), replicas, point.end());
  return out;
}

}  // namespace vl::engines
