#include "encodings/maps/maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/text.h"

namespace vl::maps {
namespace {

using map::Affine;
using map::Space;
using map::Stage;

bool is_numbered(std::string_view name, char letter, std::size_t number) {
  return name == fmt::format("{}{}", letter, number);
}

// The number of the domain's first dimensions that are no replicas.
std::size_t logical_of(const Space& domain) {
  for (std::size_t first = 0; first < domain.rank(); ++first) {
    std::size_t k = first;
    while (k < domain.rank() && is_numbered(domain.dims()[k].name, 'r', k - first)) ++k;
    if (k == domain.rank()) return first;
  }
  return domain.rank();
}

// Where the last arrow stands, if a space follows it; npos where none does.
std::size_t last_arrow(std::string_view text) {
  const std::size_t arrow = text.rfind("->");
  if (arrow == std::string_view::npos) return arrow;
  const std::size_t next = text.find_first_not_of(" \t\r\n", arrow + 2);
  return next != std::string_view::npos && text[next] == '(' ? arrow : std::string_view::npos;
}

Result<Space> reach_of(const map::Map& map) {
  if (map.outputs() != 1)
    return Error{ErrorCode::Value,
                 fmt::format("{} outputs need a box behind them, as in -> (d0:4, d1:64)", map.outputs()), 0};
  const auto swizzles = [](const Stage& stage) { return std::holds_alternative<map::Swizzle>(stage); };
  if (std::ranges::any_of(map.stages(), swizzles))
    return Error{ErrorCode::Value, "a swizzle needs a box behind it, as in -> (m:64)", 0};
  const auto end = checked_add(map.ranges(map.stages().size())[0].high, 1);
  if (!end) return Error{ErrorCode::Overflow, "places do not fit in 64 bits", 0};
  return Space::create({{std::string(map::kMemoryAxis), std::max<Index>(*end, 1), map::Unit::Element}});
}

Space part_of(const Space& space, std::size_t first, std::size_t count) {
  const auto begin = space.dims().begin() + static_cast<std::ptrdiff_t>(first);
  return Space::create({begin, begin + static_cast<std::ptrdiff_t>(count)}).value();
}

bool counts_memory(const Space& box) {
  for (std::size_t k = 0; k < box.rank(); ++k)
    if (!is_numbered(box.dims()[k].name, 'd', k)) return false;
  return true;
}

// The tensor's element as the domain's, and the replicas.
std::vector<Stage> enter(const Layout& layout, const Space& tensor) {
  const Space logical = part_of(layout.map.domain(), 0, layout.logical);
  if (map::extents_of(logical) == map::extents_of(tensor)) return {};
  const std::size_t copies = layout.map.domain().rank() - layout.logical;
  Affine count{{map::row_major_number(tensor)}};
  for (std::size_t r = 0; r < copies; ++r) count.rows.push_back(map::pick(tensor.rank() + r));
  std::vector<Stage> out{std::move(count)};
  // A split by the weights of a domain without dimensions has no digit; its only element has number 0.
  std::vector<Index> weights = map::row_major_weights(logical);
  if (weights.empty()) {
    Affine without;
    for (std::size_t r = 0; r < copies; ++r) without.rows.push_back(map::pick(1 + r));
    out.emplace_back(std::move(without));
  } else if (weights.size() > 1) {
    out.emplace_back(map::Split{0, std::move(weights)});
  }
  return out;
}

}  // namespace

Index Layout::elements() const { return part_of(map.domain(), 0, logical).volume(); }

Result<Layout> parse(std::string_view text) {
  const std::size_t arrow = last_arrow(text);
  auto read = map::parse(text.substr(0, arrow));
  if (!read) return read.error();
  const std::size_t logical = logical_of(read->domain());
  if (arrow == std::string_view::npos) {
    auto box = reach_of(*read);
    if (!box) return box.error();
    return Layout{std::move(*read), logical, std::move(*box), false};
  }
  auto box = map::parse(text.substr(arrow + 2));  // a map without stages
  if (!box) return Error{box.error().code, box.error().message, box.error().offset + arrow + 2};
  if (box->domain().rank() > read->outputs())
    return Error{ErrorCode::Shape,
                 fmt::format("the box has {} dimensions, the map {} outputs", box->domain().rank(), read->outputs()),
                 arrow};
  if (box->domain().rank() < read->outputs() && !counts_memory(box->domain()))
    return Error{ErrorCode::Shape,
                 fmt::format("the map has {} outputs for {} axes; guards need a memory, d0, d1, …", read->outputs(),
                             box->domain().rank()),
                 arrow};
  return Layout{std::move(*read), logical, box->domain()};
}

std::string print(const Layout& layout) { return map::print(layout.map) + " -> " + map::print(layout.box); }

Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor) {
  auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0) return Error{ErrorCode::Value, "a map has no view offset; expected it in a stage", 0};
  if (!tensor.box.empty())
    return Error{ErrorCode::Box, "a map's box stands behind it, as in -> (m:64); expected no other", 0};
  auto logical = Space::create(Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  if (logical->volume() != layout.elements())
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {} elements, the map's domain {}", logical->volume(), layout.elements()),
                 0};
  const std::size_t copies = layout.map.domain().rank() - layout.logical;
  map::LayoutParts parts;
  parts.map = enter(layout, *logical);
  parts.map.insert(parts.map.end(), layout.map.stages().begin(), layout.map.stages().end());
  parts.logical = std::move(*logical);
  parts.replicas = part_of(layout.map.domain(), layout.logical, copies);
  parts.physical = layout.box;
  parts.guards = layout.map.outputs() - layout.box.rank();
  parts.host_offset = map::dot(*strides, tensor.offset);
  parts.named_axes = !counts_memory(layout.box);
  return map::Layout::create(std::move(parts));
}

}  // namespace vl::maps
