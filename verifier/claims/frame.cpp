#include "verifier/claims/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vl::claims {
namespace {

struct Axis {
  std::string name;
  map::Range range;
};

const std::vector<map::Range>& ends_of(const map::Layout& layout) {
  return layout.map().ranges(layout.map().stages().size());
}

// The layout in the common space: its outputs shifted, missing ones constant.
Result<map::Layout> placed_in(const map::Layout& layout, const map::Space& space, const Point& low,
                              const std::vector<std::size_t>& axes) {
  map::LayoutParts parts = map::parts_in(layout, space);
  map::Affine last;
  for (std::size_t k = 0; k < low.size(); ++k) last.rows.push_back({-low[k], {}});
  for (std::size_t j = 0; j < axes.size(); ++j) last.rows[axes[j]].terms = map::pick(j).terms;
  parts.map.push_back(std::move(last));
  return map::Layout::create(std::move(parts));
}

std::string show_place(const Frame& frame, const Point& place) {
  std::string out;
  for (std::size_t k = 0; k < place.size(); ++k)
    out += fmt::format("{}{} {}", k == 0 ? "" : ", ", frame.a.physical().dims()[k].name, place[k]);
  return out.empty() ? "the one place" : out;
}

std::string show_places(const Frame& frame, const Point& first, std::size_t count) {
  return count == 1 ? show_place(frame, first) : fmt::format("{} and {} more", show_place(frame, first), count - 1);
}

}  // namespace

Point Frame::place(Index number) const {
  Point out = a.physical().point(number);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += low[k];
  return out;
}

Result<Frame> frame(const map::Layout& a, const map::Layout& b) {
  if (a.guards() > 0 || b.guards() > 0)
    return Error{ErrorCode::Shape, "an axis with guards has no coordinates to compare"};
  if (map::extents_of(a.logical()) != map::extents_of(b.logical()))
    return Error{ErrorCode::Shape, "the two layouts are of different tensors"};
  std::vector<Axis> axes;
  std::array<std::vector<std::size_t>, 2> where;
  for (std::size_t side = 0; side < 2; ++side) {
    const map::Layout& layout = side == 0 ? a : b;
    for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
      const std::string& name = layout.physical().dims()[j].name;
      auto axis = std::ranges::find(axes, name, &Axis::name);
      if (axis == axes.end()) axis = axes.insert(axis, {name, {0, 0}});
      where[side].push_back(static_cast<std::size_t>(axis - axes.begin()));
      axis->range.low = std::min(axis->range.low, ends_of(layout)[j].low);
      axis->range.high = std::max(axis->range.high, ends_of(layout)[j].high);
    }
  }
  std::vector<map::Dim> dims;
  Point low;
  for (const Axis& axis : axes) {
    const auto last = checked_mul(axis.range.low, -1);
    const auto most = last ? checked_add(axis.range.high, *last) : std::nullopt;
    const auto extent = most ? checked_add(*most, 1) : std::nullopt;
    if (!extent) return Error{ErrorCode::Overflow, fmt::format("the coordinates of {} leave 64 bits", axis.name)};
    dims.push_back({axis.name, *extent, map::Unit::Element});
    low.push_back(axis.range.low);
  }
  auto space = map::Space::create(std::move(dims));
  if (!space) return space.error();
  auto framed_a = placed_in(a, *space, low, where[0]);
  if (!framed_a) return framed_a.error();
  auto framed_b = placed_in(b, *space, low, where[1]);
  if (!framed_b) return framed_b.error();
  return Frame{std::move(*framed_a), std::move(*framed_b), std::move(low), std::move(where[1])};
}

Difference difference_at(const Frame& frame, const map::Layout& a, const map::Layout& b, const Point& x) {
  const std::vector<Index> in_a = question::memory_of(frame.a, x);
  const std::vector<Index> in_b = question::memory_of(frame.b, x);
  VL_CHECK(!in_a.empty() && !in_b.empty(), "an element without a place in the common space");
  const auto lone = [&](const std::vector<Index>& here, const std::vector<Index>& there) {
    const auto found = std::ranges::find_if(here, [&](Index n) { return !std::ranges::binary_search(there, n); });
    return frame.place(found == here.end() ? here.front() : *found);
  };
  const Point first = lone(in_a, in_b);
  const Point second = lone(in_b, in_a);
  Point other;
  for (std::size_t j = 0; j < b.physical().rank(); ++j) other.push_back(second[frame.axes_of_b[j]]);
  const Point physical(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(a.physical().rank()));
  return {{{{"a", x}, {"physical", physical}, {"other", other}}, {}},
          show_places(frame, first, in_a.size()),
          show_places(frame, second, in_b.size())};
}

Verdict same_over_axes(const map::Layout& a, const map::Layout& b, std::string_view words, Inquiry& inquiry) {
  const auto framed = frame(a, b);
  if (!framed) return inquiry.unknown({Reason::OutOfReach, framed.error().message});
  const engines::Answer answer = inquiry.ask(Kind::Differs, framed->a, framed->b);
  if (const auto* found = std::get_if<engines::Found>(&answer)) {
    Difference difference = difference_at(*framed, a, b, found->witness.p);
    difference.fields.explanation =
        fmt::format(fmt::runtime(words), show(found->witness.p), difference.first, difference.second);
    return inquiry.refuted(std::move(difference.fields));
  }
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace vl::claims
