#include "encodings/map/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::map {
namespace {

bool fits(const Row& row, std::size_t rank) {
  return std::ranges::all_of(row.terms, [&](const Term& term) { return term.input < rank; });
}

}  // namespace

Result<Layout> Layout::create(LayoutParts parts) {
  auto domain = concatenate(parts.logical, parts.replicas);
  if (!domain) return domain.error();
  auto map = Map::create(std::move(*domain), std::move(parts.map));
  if (!map) return map.error();
  if (map->outputs() != parts.physical.rank() + parts.guards)
    return Error{ErrorCode::Shape, fmt::format("the map has {} outputs for {} physical dimensions and {} guards",
                                               map->outputs(), parts.physical.rank(), parts.guards)};
  Layout layout(std::move(*map));
  if (parts.decode) {
    auto decode = Map::create(parts.physical, std::move(*parts.decode));
    if (!decode) return decode.error();
    if (decode->outputs() != layout.domain().rank() + parts.decode_guards)
      return Error{ErrorCode::Shape, "the decode map's outputs are not the domain and its guards"};
    layout.decode_ = std::move(*decode);
  }
  if (!fits(parts.host_offset, parts.logical.rank()) ||
      (parts.identity &&
       (!fits(parts.identity->slot, parts.physical.rank()) || !fits(parts.identity->element, parts.logical.rank()))))
    return Error{ErrorCode::Shape, "an offset row names a dimension that does not exist"};
  // Offsets of all elements and slots fit in 64 bits, so value() of these rows never fails on a point.
  Affine element_rows{{parts.host_offset}};
  if (parts.identity) element_rows.rows.push_back(parts.identity->element);
  if (auto rows = Map::create(parts.logical, {std::move(element_rows)}); !rows) return rows.error();
  if (parts.identity)
    if (auto rows = Map::create(parts.physical, {Affine{{parts.identity->slot}}}); !rows) return rows.error();
  layout.logical_ = std::move(parts.logical);
  layout.replicas_ = std::move(parts.replicas);
  layout.physical_ = std::move(parts.physical);
  layout.identity_ = std::move(parts.identity);
  layout.host_offset_ = std::move(parts.host_offset);
  if (parts.filled && (parts.decode || parts.filled->rank() != layout.physical_.rank()))
    return Error{ErrorCode::Shape, "a box of valid slots needs the physical dimensions, and no decode map"};
  layout.filled_ = std::move(parts.filled);
  layout.named_axes_ = parts.named_axes;
  return layout;
}

std::optional<std::size_t> memory_axis(const Layout& layout) {
  const auto& dims = layout.physical().dims();
  const auto found = std::ranges::find(dims, kMemoryAxis, &Dim::name);
  if (!layout.named_axes() || found == dims.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims.begin());
}

LayoutParts parts_in(const Layout& layout, Space physical) {
  LayoutParts parts{layout.logical(),
                    layout.replicas(),
                    std::move(physical),
                    layout.map().stages(),
                    layout.guards(),
                    std::nullopt,
                    0,
                    std::nullopt,
                    layout.host_offset()};
  parts.named_axes = layout.named_axes();
  return parts;
}

bool Layout::is_slot(std::span<const Index> outputs) const {
  return physical_.contains(outputs.first(physical_.rank())) &&
         std::ranges::all_of(outputs.subspan(physical_.rank()), [](Index guard) { return guard == 0; });
}

std::optional<Index> Layout::slot_number(std::span<const Index> outputs) const {
  if (!is_slot(outputs)) return std::nullopt;
  return physical_.linear(outputs.first(physical_.rank()));
}

Row row_major_number(const Space& space) { return dot(row_major_weights(space)); }

std::optional<Index> value(const Row& row, std::span<const Index> point) {
  Index sum = row.constant;
  for (const Term& term : row.terms)
    if (!accumulate(sum, term.coefficient, point[term.input])) return std::nullopt;
  return sum;
}

SlotUse use_of(const Layout& layout, std::span<const Index> slot) {
  VL_CHECK(layout.decode().has_value(), "use_of() of a layout without a decode map");
  const auto decoded = evaluate(*layout.decode(), slot);
  VL_CHECK(decoded.has_value(), "use_of() of a slot outside the physical space");
  const std::span<const Index> outputs(*decoded);
  const std::span<const Index> point = outputs.first(layout.domain().rank());
  const std::span<const Index> guards = outputs.subspan(point.size());
  SlotUse use;
  if (!layout.domain().contains(point) || !std::ranges::all_of(guards, [](Index guard) { return guard == 0; }))
    return use;
  use.in_range = true;
  use.point.assign(point.begin(), point.end());
  use.lives_at = *evaluate(layout.map(), point);
  use.valid = layout.is_slot(use.lives_at) && std::equal(slot.begin(), slot.end(), use.lives_at.begin());
  return use;
}

Point outputs_at(const Layout& layout, std::span<const Index> element, std::span<const Index> replica) {
  Point point(element.begin(), element.end());
  point.insert(point.end(), replica.begin(), replica.end());
  auto outputs = evaluate(layout.map(), point);
  VL_CHECK(outputs.has_value(), "outputs_at() of a point outside the domain");
  return std::move(*outputs);
}

}  // namespace vl::map
