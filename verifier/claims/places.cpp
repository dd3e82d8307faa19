#include "verifier/claims/places.h"

#include <algorithm>

namespace vl::claims {

namespace {

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
  if (!layout.named_axes()) return in_memory(layout, at);
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

}  // namespace vl::claims
