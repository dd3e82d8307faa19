#include "encodings/tirx/laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/law_formula.h"

namespace vl::tirx {
namespace {

// The row-major number of an element whose dimension d is in column first + d·step.
Result<map::Row> number_of(std::span<const Index> shape, std::size_t first = 0, std::size_t step = 1) {
  const auto weights = map::dense_strides(shape);
  if (!weights) return weights.error();
  map::Row row;
  for (std::size_t d = 0; d < shape.size(); ++d) row.terms.push_back({first + d * step, (*weights)[d]});
  return row;
}

// 1 + the largest less the smallest value of D + R on an axis.
Result<Index> width(const TileLayout& tile, Axis axis) {
  TileLayout bare = tile;
  bare.offset.clear();
  const auto range = range_of(bare, axis);
  if (!range) return range.error();
  const auto low = checked_mul(range->low, -1);
  const auto reach = low ? checked_add(range->high, *low) : std::nullopt;
  const auto out = reach ? checked_add(*reach, 1) : std::nullopt;
  if (!out) return Error{ErrorCode::Overflow, fmt::format("the span on {} leaves 64 bits", info(axis).name)};
  return *out;
}

// x_d = o_d·inner_d + i_d, the layout at i and `outer` at o.
Result<use::Law> side_by_side(const Layout& layout, const map::Tensor& tensor, const TileLayout& outer,
                              std::span<const Index> outer_shape, bool scales) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  const std::vector<Index>& inner_shape = tensor.size;
  if (outer_shape.size() != inner_shape.size())
    return Error{ErrorCode::Shape, fmt::format("the shapes [{}] and [{}] have different ranks",
                                               fmt::join(outer_shape, ", "), fmt::join(inner_shape, ", "))};
  map::Tensor around = tensor;
  around.size.assign(outer_shape.begin(), outer_shape.end());
  const auto checked = formula_of(Layout{std::nullopt, outer}, around);
  if (!checked) return Error{checked.error().code, "outer: " + checked.error().message};
  Operand above = checked->operands.front();
  for (std::size_t d = inner_shape.size(); d-- > 0;) {
    const auto extent = checked_mul(outer_shape[d], inner_shape[d]);
    if (!extent) return Error{ErrorCode::Overflow, fmt::format("the extent of dimension {} leaves 64 bits", d)};
    formula->size[d] = *extent;
    formula->before.emplace_back(map::Split{d, {inner_shape[d], 1}});
  }
  formula->columns *= 2;
  const auto above_number = number_of(outer_shape, 0, 2);
  const auto below_number = number_of(inner_shape, 1, 2);
  if (!above_number) return above_number.error();
  if (!below_number) return below_number.error();
  above.flat = *above_number;
  formula->operands.front().flat = *below_number;
  for (const Axis axis : axes_of(outer)) {
    const auto factor = scales ? width(formula->operands.front().tile, axis) : Result<Index>(1);
    if (!factor) return factor.error();
    above.scale[axis] = *factor;
  }
  formula->operands.push_back(std::move(above));
  formula->axes = axes_of(formula->operands, layout.swizzle.has_value());
  formula->result = formula->axes;
  return plain(std::move(*formula));
}

}  // namespace

Result<Formula> formula_of(const Layout& layout, const map::Tensor& tensor) {
  for (std::size_t d = 0; d < tensor.size.size(); ++d)
    if (tensor.size[d] < 1)
      return Error{ErrorCode::Shape, fmt::format("dimension {} of the tensor has no elements", d)};
  const auto elements = checked_product(tensor.size);
  if (!elements) return Error{ErrorCode::Overflow, "the number of elements of the tensor leaves 64 bits"};
  TileLayout tile{{{*elements, 1, Axis::M}}, {}, {}};
  if (layout.tile) tile = *layout.tile;
  const auto size = size_of(tile);
  if (!size) return size.error();
  if (*size != *elements)
    return Error{ErrorCode::Shape, fmt::format("the layout has {} elements, the tensor [{}] has {}", *size,
                                               fmt::join(tensor.size, ", "), *elements)};
  auto flat = number_of(tensor.size);
  if (!flat) return flat.error();
  Formula out;
  out.type = tensor.type;
  out.size = tensor.size;
  out.columns = tensor.size.size();
  out.operands.push_back(Operand{std::move(tile), std::move(*flat), {}});
  if (layout.swizzle) out.swizzles.push_back(*layout.swizzle);
  out.axes = axes_of(out.operands, layout.swizzle.has_value());
  out.result = out.axes;
  return out;
}

Result<use::Law> plain(Formula formula) {
  formula.after.insert(formula.after.begin(), keep(formula.axes.size()));
  return law_of(formula);
}

Result<use::Law> same_law(const Layout& layout, const map::Tensor& tensor) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  return plain(std::move(*formula));
}

Result<use::Law> slice_law(const Layout& layout, const map::Tensor& tensor, std::span<const use::Interval> region) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  if (region.size() != tensor.size.size())
    return Error{ErrorCode::Shape,
                 fmt::format("a region of {} dimensions in a tensor of {}", region.size(), tensor.size.size())};
  map::Row& flat = formula->operands.front().flat;
  for (std::size_t d = 0; d < region.size(); ++d) {
    const auto& [begin, end] = region[d];
    if (begin < 0 || end > tensor.size[d] || begin >= end)
      return refusal(fmt::format("dimension {}: {}:{} is not a part of the extent {}", d, begin, end, tensor.size[d]));
    formula->size[d] = end - begin;
    const bool fits = accumulate(flat.constant, begin, flat.terms[d].coefficient);
    VL_CHECK(fits, "the number of an element fits where that of the last one does");
  }
  return plain(std::move(*formula));
}

Result<use::Law> tile_law(const Layout& layout, const map::Tensor& tensor, const TileLayout& outer,
                          std::span<const Index> outer_shape) {
  return side_by_side(layout, tensor, outer, outer_shape, true);
}

Result<use::Law> direct_sum_law(const Layout& layout, const map::Tensor& tensor, const TileLayout& left,
                                std::span<const Index> left_shape) {
  return side_by_side(layout, tensor, left, left_shape, false);
}

Result<use::Law> permute_law(const Layout& layout, const map::Tensor& tensor, std::span<const Index> order) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  const auto rank = static_cast<Index>(tensor.size.size());
  const std::set<Index> distinct(order.begin(), order.end());
  if (order.size() != tensor.size.size() || distinct.size() != order.size() ||
      (rank > 0 && (*distinct.begin() < 0 || *distinct.rbegin() >= rank)))
    return Error{ErrorCode::Shape, fmt::format("[{}] is not an order of {} dimensions", fmt::join(order, ", "), rank)};
  map::Row flat;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto d = static_cast<std::size_t>(order[k]);
    formula->size[k] = tensor.size[d];
    flat.terms.push_back({k, formula->operands.front().flat.terms[d].coefficient});
  }
  formula->operands.front().flat = std::move(flat);
  return plain(std::move(*formula));
}

Result<use::Law> broadcast_law(const Layout& layout, const map::Tensor& tensor, Index extent, Index at) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  const auto rank = static_cast<Index>(tensor.size.size());
  const Index place = at < 0 ? at + rank + 1 : at;
  if (place < 0 || place > rank)
    return Error{ErrorCode::Shape, fmt::format("there is no place {} among {} dimensions", at, rank)};
  if (extent < 1) return refusal(fmt::format("a dimension of extent {}; expected 1 or more", extent));
  formula->size.insert(formula->size.begin() + static_cast<std::ptrdiff_t>(place), extent);
  formula->columns += 1;
  for (map::Term& term : formula->operands.front().flat.terms)
    if (term.input >= static_cast<std::size_t>(place)) ++term.input;
  return plain(std::move(*formula));
}

Result<use::Law> swizzle_law(const Layout& layout, const map::Tensor& tensor, const SwizzleLayout& by) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  formula->swizzles.push_back(by);
  formula->axes = axes_of(formula->operands, true);
  formula->result = formula->axes;
  return plain(std::move(*formula));
}

Result<use::Law> storage_law(const Layout& layout, map::ElementType type) {
  if (!layout.tile) return refusal("a swizzle alone has no number of elements");
  map::Tensor flat_tensor;
  flat_tensor.type = type;
  const auto elements = size_of(*layout.tile);
  if (!elements) return elements.error();
  flat_tensor.size = {*elements};
  auto formula = formula_of(layout, flat_tensor);
  if (!formula) return formula.error();
  map::Row flat;
  formula->size.clear();
  Index weight = *elements;
  for (const Iter& iter : layout.tile->shard) {
    weight /= iter.extent;
    if (is_thread(iter.axis)) continue;
    flat.terms.push_back({formula->size.size(), weight});
    formula->size.push_back(iter.extent);
  }
  formula->columns = formula->size.size();
  formula->operands.front().flat = std::move(flat);
  std::erase_if(formula->operands.front().tile.replica, [](const Iter& iter) { return is_thread(iter.axis); });
  map::Affine kept;
  formula->result.clear();
  for (std::size_t k = 0; k < formula->axes.size(); ++k) {
    if (is_thread(formula->axes[k])) continue;
    kept.rows.push_back(map::pick(k));
    formula->result.push_back(formula->axes[k]);
  }
  formula->after = {std::move(kept)};
  return law_of(*formula);
}

}  // namespace vl::tirx
