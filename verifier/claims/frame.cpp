#include "verifier/claims/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/memory_space.h"

namespace vl::claims {
namespace {

const std::vector<map::Range>& ends_of(const map::Layout& layout) {
  return layout.map().ranges(layout.map().stages().size());
}

// "c0 0, c1 1, m 4"; "c0 0, c1 1, m 4 of l1" where the memories differ.
std::string show_place(const Frame& frame, const Point& place) {
  std::string out, memory;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const std::string& name = frame.a.physical().dims()[k].name;
    if (name == use::kMemorySpaceAxis) memory = use::kMemorySpaces.at(static_cast<std::size_t>(place[k]));
    else out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, place[k]);
  }
  return (out.empty() ? "the one place" : out) + (memory.empty() ? "" : " of " + memory);
}

std::string show_places(const Frame& frame, const Point& first, std::size_t count) {
  return count == 1 ? show_place(frame, first) : fmt::format("{} and {} more", show_place(frame, first), count - 1);
}

// Element x, whose places differ: fields a, physical (a place in the first layout that is none in the second, if there
// is one) and other (the reverse), each over its layout's own axes.
Counterexample difference_at(const Frame& frame, const map::Layout& a, const map::Layout& b, const Point& x,
                             std::string_view words) {
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
  for (const map::Dim& axis : b.physical().dims()) {
    const auto& dims = frame.a.physical().dims();
    other.push_back(
        second[static_cast<std::size_t>(std::ranges::find(dims, axis.name, &map::Dim::name) - dims.begin())]);
  }
  const Point physical(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(a.physical().rank()));
  return {{{"a", x}, {"physical", physical}, {"other", other}},
          fmt::format(fmt::runtime(words), show(x), show_places(frame, first, in_a.size()),
                      show_places(frame, second, in_b.size()))};
}

}  // namespace

std::vector<std::string> axes_of(std::initializer_list<const map::Layout*> layouts, bool memory) {
  std::vector<std::string> axes;
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(axes, name) == axes.end()) axes.emplace_back(name);
  };
  for (const map::Layout* layout : layouts)
    for (const map::Dim& dim : layout->physical().dims()) add(dim.name);
  if (memory) add(map::kMemoryAxis);
  return axes;
}

OnAxes on_axes(const map::Layout& layout, const std::vector<std::string>& axes, Index at) {
  OnAxes out{{}, layout.map().stages(), {}, layout.guards()};
  const auto& dims = layout.physical().dims();
  for (const std::string& axis : axes) {
    const Index shift = axis == map::kMemoryAxis ? at : 0;
    const auto found = std::ranges::find(dims, axis, &map::Dim::name);
    out.parts.push_back({axis, shift, found == dims.end() ? 1 : found->extent});
    out.rows.push_back(found == dims.end() ? map::Row{} : map::pick(static_cast<std::size_t>(found - dims.begin())));
    out.rows.back().constant = shift;
  }
  for (std::size_t g = 0; g < layout.guards(); ++g) out.rows.push_back(map::pick(dims.size() + g));
  return out;
}

Result<map::Layout> within(const map::Layout& layout, OnAxes on, const std::vector<Stretch>& parts,
                           std::optional<map::Space> points) {
  std::vector<map::Dim> dims;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    dims.push_back({parts[k].axis, parts[k].extent, map::Unit::Element});
    if (!accumulate(on.rows[k].constant, parts[k].low, -1)) return Error{ErrorCode::Overflow, "a place beyond 64 bits"};
  }
  auto space = map::Space::create(std::move(dims));
  if (!space) return space.error();
  map::LayoutParts out = map::parts_in(layout, std::move(*space));
  out.map = std::move(on.stages);
  out.map.emplace_back(map::Affine{std::move(on.rows)});
  out.guards = on.guards;
  out.host_offset = {};
  if (points) {
    out.logical = std::move(*points);
    out.replicas = {};
  }
  return map::Layout::create(std::move(out));
}

// A coordinate that can leave its extent E is split by (E, 1): its slot is one iff the first digit is 0, a guard.
OnAxes in_memory(const map::Layout& layout, Index at) {
  OnAxes out{
      {{std::string(map::kMemoryAxis), at, layout.physical().volume()}}, layout.map().stages(), {{}}, layout.guards()};
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

std::string not_in_one_memory(const map::Layout& layout) {
  if (layout.replicas().volume() != 1) return "the layout has several places for an element";
  for (std::size_t j = 0; j < layout.physical().rank(); ++j)
    if (layout.named_axes() && map::memory_axis(layout) != j && layout.physical().extent(j) != 1)
      return fmt::format("the layout has coordinates on {}; expected places in one shared memory",
                         layout.physical().dims()[j].name);
  return {};
}

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
  const std::vector<std::string> axes = axes_of({&a, &b}, false);
  std::vector<Stretch> box;
  Point low;
  for (const std::string& axis : axes) {
    map::Range range{0, 0};
    for (const map::Layout* layout : {&a, &b})
      for (std::size_t j = 0; j < layout->physical().rank(); ++j) {
        if (layout->physical().dims()[j].name != axis) continue;
        range.low = std::min(range.low, ends_of(*layout)[j].low);
        range.high = std::max(range.high, ends_of(*layout)[j].high);
      }
    const auto last = checked_mul(range.low, -1);
    const auto most = last ? checked_add(range.high, *last) : std::nullopt;
    const auto extent = most ? checked_add(*most, 1) : std::nullopt;
    if (!extent) return Error{ErrorCode::Overflow, fmt::format("the coordinates of {} leave 64 bits", axis)};
    box.push_back({axis, range.low, *extent});
    low.push_back(range.low);
  }
  auto framed_a = within(a, on_axes(a, axes, 0), box);
  auto framed_b = within(b, on_axes(b, axes, 0), box);
  for (const auto* made : {&framed_a, &framed_b})
    if (!*made) return made->error();
  return Frame{std::move(*framed_a), std::move(*framed_b), std::move(low)};
}

Verdict same_over_axes(const map::Layout& a, const map::Layout& b, std::string_view words, Inquiry& inquiry) {
  const auto framed = frame(a, b);
  if (!framed) return inquiry.out_of_reach(framed.error().message);
  return inquiry.settle({Kind::Differs, &framed->a, &framed->b},
                        [&](const Witness& w) { return difference_at(*framed, a, b, w.p, words); });
}

}  // namespace vl::claims
