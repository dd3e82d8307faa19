#include "encodings/tirx/law_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "encodings/tirx/iters.h"

namespace vl::tirx {
namespace {

// Π of the extents behind each iter; a shard without iters counts as one of extent 1.
Result<std::vector<Index>> weights_of(const TileLayout& tile) {
  std::vector<Index> out(std::max<std::size_t>(tile.shard.size(), 1), 1);
  for (std::size_t k = tile.shard.size(); k-- > 1;) {
    const auto weight = checked_mul(out[k], tile.shard[k].extent);
    if (!weight) return too_large("the number of elements");
    out[k - 1] = *weight;
  }
  return out;
}

// Adds scale·stride·(column) to a row.
bool add_term(map::Row& row, std::size_t column, Index stride, Index scale) {
  const auto coefficient = checked_mul(stride, scale);
  if (coefficient && *coefficient != 0) row.terms.push_back({column, *coefficient});
  return coefficient.has_value();
}

// The columns of one operand at which its digits and its replicas start.
struct Places {
  std::size_t digits = 0;
  std::size_t replicas = 0;
};

// One row per axis: the operands' coordinates, scaled and added.
Result<map::Affine> coordinates(const Formula& formula, const std::vector<Places>& places) {
  map::Affine out;
  for (const Axis axis : formula.axes) {
    map::Row row;
    bool fits = true;
    for (std::size_t i = 0; i < formula.operands.size(); ++i) {
      const Operand& operand = formula.operands[i];
      const auto found = operand.scale.find(axis);
      const Index scale = found == operand.scale.end() ? 1 : found->second;
      const auto add = [&](const std::vector<Iter>& iters, std::size_t first) {
        for (std::size_t k = 0; k < iters.size(); ++k)
          if (iters[k].axis == axis) fits = fits && add_term(row, first + k, iters[k].stride, scale);
      };
      add(operand.tile.shard, places[i].digits);
      add(operand.tile.replica, places[i].replicas);
      for (const auto& [on, value] : operand.tile.offset)
        if (on == axis) fits = fits && accumulate(row.constant, value, scale);
    }
    if (!fits) return too_large(fmt::format("a coordinate on {}", info(axis).name));
    auto ordered = map::canonical(std::move(row));
    if (!ordered) return ordered.error();
    out.rows.push_back(std::move(*ordered));
  }
  return out;
}

// Every stage except `before`: flat numbers, digits, coordinates, swizzles, after.
Result<std::vector<map::Stage>> stages_of(const Formula& formula) {
  std::vector<map::Stage> out = formula.before;
  const std::size_t count = formula.operands.size();
  map::Affine flats;
  std::vector<std::vector<Index>> weights;
  std::size_t digits = 0;
  std::size_t replicas = 0;
  for (const Operand& operand : formula.operands) {
    auto of_operand = weights_of(operand.tile);
    if (!of_operand) return of_operand.error();
    digits += of_operand->size();
    weights.push_back(std::move(*of_operand));
    flats.rows.push_back(operand.flat);
    replicas += operand.tile.replica.size();
  }
  flats.rows.push_back(formula.digit);
  for (std::size_t t = 0; t < replicas; ++t) flats.rows.push_back(map::pick(formula.columns + t));
  out.emplace_back(std::move(flats));
  for (std::size_t i = count; i-- > 0;) out.emplace_back(map::Split{i, weights[i]});

  std::vector<Places> places(count);
  Places next{0, digits + 1};
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = next;
    next.digits += weights[i].size();
    next.replicas += formula.operands[i].tile.replica.size();
  }
  auto rows = coordinates(formula, places);
  if (!rows) return rows.error();
  rows->rows.push_back(map::pick(digits));
  out.emplace_back(std::move(*rows));
  for (const SwizzleLayout& swizzle : formula.swizzles) {
    if (swizzle.swizzle_len == 0) continue;
    auto stage = stage_of(swizzle, position(formula.axes, Axis::M));
    if (!stage) return stage.error();
    out.push_back(std::move(*stage));
  }
  out.insert(out.end(), formula.after.begin(), formula.after.end());
  return out;
}

// The smallest box at the origin that holds the outputs of the last stage.
Result<map::Space> hull(const map::Map& map, const std::vector<Axis>& axes) {
  std::vector<map::Dim> dims;
  const auto& ranges = map.ranges(map.stages().size());
  VL_CHECK(ranges.size() == axes.size(), "a formula gives one coordinate an axis of its result");
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto extent = checked_add(std::max<Index>(ranges[k].high, 0), 1);
    if (!extent) return too_large(fmt::format("the span on {}", info(axes[k]).name));
    const map::Unit unit = is_thread(axes[k]) ? map::Unit::Lane : map::Unit::Element;
    dims.push_back({std::string(info(axes[k]).name), *extent, unit});
  }
  return map::Space::create(std::move(dims));
}

}  // namespace

std::vector<Axis> axes_of(const std::vector<Operand>& operands, bool with_m) {
  std::set<Axis> out;
  if (with_m) out.insert(Axis::M);
  for (const Operand& operand : operands)
    for (const Axis axis : axes_of(operand.tile)) out.insert(axis);
  return {out.begin(), out.end()};
}

std::size_t position(const std::vector<Axis>& axes, Axis axis) {
  const auto found = std::ranges::find(axes, axis);
  VL_CHECK(found != axes.end(), "an axis that the formula has");
  return static_cast<std::size_t>(found - axes.begin());
}

map::Affine keep(std::size_t columns) {
  map::Affine out;
  for (std::size_t k = 0; k < columns; ++k) out.rows.push_back(map::pick(k));
  return out;
}

Result<map::Stage> stage_of(const SwizzleLayout& swizzle, std::size_t input) {
  constexpr int kMostBits = 62;
  const auto [m, b, s, inner] = swizzle;
  if (m < 0 || b < 0 || s < 1 || std::max({m, b, s}) > kMostBits || m + b + s > kMostBits)
    return Error{
        ErrorCode::Value,
        fmt::format("a swizzle ({}, {}, {}); expected M >= 0, B >= 0, S >= 1 and M + B + S <= {}", m, b, s, kMostBits)};
  const auto direction = inner ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up;
  return map::Stage(map::Swizzle{input, m, b, s, direction});
}

Result<use::Law> law_of(const Formula& formula) {
  auto logical = map::Space::create(map::Space::dims("x", formula.size));
  if (!logical) return logical.error();
  std::vector<Index> copies;
  for (const Operand& operand : formula.operands)
    for (const Iter& iter : operand.tile.replica) copies.push_back(iter.extent);
  auto replicas = map::Space::create(map::Space::dims("r", copies));
  if (!replicas) return replicas.error();
  auto stages = stages_of(formula);
  if (!stages) return stages.error();
  const auto domain = map::concatenate(*logical, *replicas);
  if (!domain) return domain.error();
  const auto whole = map::Map::create(*domain, *stages);
  if (!whole) return whole.error();
  auto physical = hull(*whole, formula.result);
  if (!physical) return physical.error();
  const auto dense = map::dense_strides(formula.size);
  if (!dense) return dense.error();

  map::LayoutParts parts;
  parts.logical = std::move(*logical);
  parts.replicas = std::move(*replicas);
  parts.physical = std::move(*physical);
  parts.map = std::move(*stages);
  parts.host_offset = map::dot(*dense);
  parts.named_axes = true;
  auto layout = map::Layout::create(std::move(parts));
  if (!layout) return layout.error();
  map::Tensor tensor;
  tensor.type = formula.type;
  tensor.size = formula.size;
  return use::Law{std::move(*layout), std::move(tensor)};
}

}  // namespace vl::tirx
