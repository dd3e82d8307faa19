// A placement of numbers as a map: the stages of its blueprint, and the core of each number. The way back undoes them
// one by one.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmetal/place.h"

namespace vl::ttmetal {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;
using map::Term;

// The step from one part to the next in each dimension, by rows.
std::optional<std::vector<Index>> part_steps(const Placement& placement) {
  std::vector<Index> out(placement.parts.size(), 1);
  for (std::size_t i = out.size(); i-- > 1;) {
    const auto step = checked_mul(out[i], placement.parts[i]);
    if (!step) return std::nullopt;
    out[i - 1] = *step;
  }
  return out;
}

// The rows of the physical array, without dimensions that never move.
std::vector<Row> rows_of(const Placement& placement, std::span<const Index> size) {
  std::vector<Row> out;
  for (const auto& terms : placement.physical) {
    Row& row = out.emplace_back();
    for (const auto& [dim, step] : terms)
      if (size[dim] != 1 && step != 0) row.terms.push_back({dim, step});
  }
  return out;
}

// (axes…, m) -> the physical coordinates.
std::vector<Stage> physical_of_slot(const Placement& placement, const Steps& steps, std::span<const Index> part_step) {
  const Takers& takers = placement.takers;
  const std::size_t n = placement.physical.size();
  const bool grid = takers.deal == Deal::Grid;
  std::vector<Stage> out;
  if (grid) {
    const bool flip = takers.by_column;
    const Row i{-(flip ? takers.x : takers.y), {{flip ? 1U : 0U, 1}}};
    const Row j{-(flip ? takers.y : takers.x), {{flip ? 0U : 1U, 1}}};
    out.emplace_back(Affine{{i, j, map::pick(2)}});
  } else {
    if (!takers.banks && !takers.numbered) out = use::from_cores(takers.cores);
    out.emplace_back(Split{1, {steps.volume, 1}});  // core, number, place
    const Row part = takers.deal == Deal::Contiguous ? Row{0, {{0, takers.parts_each}, {1, 1}}}
                                                     : Row{0, {{0, 1}, {1, takers.count}}};
    out.emplace_back(Affine{{part, map::pick(2)}});
  }
  const std::size_t numbers = grid ? 2 : n;  // of the part, behind its split
  Split place{grid ? 2U : 1U, steps.cell};
  struct Digit {
    Index weight, factor;
    std::size_t dim;
  };
  std::vector<Digit> digits;
  if (placement.tiled) {
    const Tile& tile = placement.tile;
    const Digit face_row{steps.face_row, tile.face_height, n - 2},
        face_column{steps.face_column, tile.face_width, n - 1};
    const Digit row{steps.row, 1, n - 2}, column{steps.column, 1, n - 1};
    digits = {tile.faces_by_column ? face_column : face_row, tile.faces_by_column ? face_row : face_column,
              tile.within_by_column ? column : row, tile.within_by_column ? row : column};
    for (const Digit& digit : digits) place.weights.push_back(digit.weight);
  }
  out.emplace_back(std::move(place));
  if (!grid) out.emplace_back(Split{0, {part_step.begin(), part_step.end()}});
  Affine join;
  for (std::size_t i = 0; i < n; ++i) {
    Row row{0, {{grid ? i + 2 - n : i, placement.divisor[i]}, {numbers + i, placement.tile_size(i)}}};
    for (std::size_t k = 0; k < digits.size(); ++k)
      if (digits[k].dim == i) row.terms.push_back({numbers + n + k, digits[k].factor});
    join.rows.push_back(std::move(row));
  }
  out.emplace_back(std::move(join));
  return out;
}

// Physical coordinates -> x: the terms of a row nest, as each step is at least the extent of what lies within.
std::vector<Stage> element_of_physical(const Placement& placement, std::span<const Index> size) {
  std::vector<Row> elements(size.size());
  std::vector<Stage> out;
  std::size_t position = 0;
  for (std::size_t i = 0; i < placement.physical.size(); ++i) {
    std::vector<Term> terms;
    for (const auto& [dim, step] : placement.physical[i])
      if (size[dim] > 1 && step != 0) terms.push_back({dim, step});
    std::ranges::stable_sort(terms, std::ranges::greater{}, &Term::coefficient);
    Split split{i, {}};
    for (const Term& term : terms) {
      elements[term.input] = map::pick(position + split.weights.size());
      split.weights.push_back(term.coefficient);
    }
    if (terms.empty() || split.weights.back() != 1) split.weights.push_back(1);
    position += split.weights.size();
    if (split.weights.size() > 1) out.insert(out.begin(), std::move(split));
  }
  out.emplace_back(Affine{std::move(elements)});
  return out;
}

Result<map::Space> box_of(const Placed& placed, const Steps& steps, const map::Tensor& tensor) {
  const Takers none;
  const Takers& takers = placed.placement ? placed.placement->takers : none;
  for (const map::Extent& extent : tensor.box)
    if (takers.banks ? extent.axis != "bank" : extent.axis != "y" && extent.axis != "x")
      return Error{ErrorCode::Box,
                   fmt::format("the box declares '{}'; only the number of banks of an interleaved tensor "
                               "is declared, as bank=12",
                               extent.axis)};
  const auto memory = checked_mul(steps.volume, takers.parts_each);
  if (!memory) return Error{ErrorCode::Overflow, "the elements of a memory do not fit in 64 bits"};
  std::vector<map::Dim> dims;
  if (takers.banks) dims.push_back({"bank", takers.count, map::Unit::Core});
  else if (takers.numbered) dims.push_back({"core", takers.count, map::Unit::Core});
  else dims = {{"y", takers.rows, map::Unit::Core}, {"x", takers.columns, map::Unit::Core}};
  dims.push_back({std::string(map::kMemoryAxis), *memory, map::Unit::Element});
  return map::Space::create(std::move(dims));
}

}  // namespace

Result<map::Layout> lower(const Placed& placed, const map::Tensor& tensor) {
  auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value, "a layout of tt-metal holds a whole tensor; it has no view offset"};
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  const Error overflow{ErrorCode::Overflow, "a physical coordinate or an extent does not fit in 64 bits"};
  if (placed.overflows) return overflow;
  map::LayoutParts parts{
      std::move(*logical), {}, {}, {}, 0, std::nullopt, 0, std::nullopt, map::dot(*strides, tensor.offset)};
  parts.named_axes = true;
  const auto steps = placed.placement ? steps_of(*placed.placement) : std::optional<Steps>(std::in_place);
  if (!steps) return overflow;
  auto box = box_of(placed, *steps, tensor);
  if (!box) return box.error();
  parts.physical = std::move(*box);
  if (!placed.placement) {  // all elements lie behind the end of an empty memory
    parts.map = {Affine{{Row{}, Row{}, Row{}}}};
    return map::Layout::create(std::move(parts));
  }
  const Placement& placement = *placed.placement;
  const auto part_step = part_steps(placement);
  if (!part_step) return overflow;
  auto stages = map::stages_of(blueprint_of(placement, *steps, tensor.size), rows_of(placement, tensor.size));
  if (!stages) return stages.error();
  const Takers& takers = placement.takers;
  if (takers.deal != Deal::Grid && !takers.banks && !takers.numbered)
    std::ranges::move(use::to_cores(takers.cores), std::back_inserter(*stages));
  parts.map = std::move(*stages);
  std::vector<Stage> back = physical_of_slot(placement, *steps, *part_step);
  std::ranges::move(element_of_physical(placement, tensor.size), std::back_inserter(back));
  parts.decode = std::move(back);
  return map::Layout::create(std::move(parts));
}

Result<std::optional<use::NamedCores>> lower_on_named_cores(const Placed& placed, const map::Tensor& tensor) {
  using Named = std::optional<use::NamedCores>;
  if (!placed.placement || placed.placement->takers.banks) return Named{};
  Placed own = placed;
  Takers& takers = own.placement->takers;
  std::vector<Core> order = takers.cores;
  std::ranges::sort(order);
  if (std::ranges::adjacent_find(order) != order.end()) return Named{};
  if (takers.count == takers.rows * takers.columns) return Named{};
  Core low{INT64_MAX, INT64_MAX};
  for (const Core& core : takers.cores) low = {std::min(low.y, core.y), std::min(low.x, core.x)};
  const Index rows = takers.rows - low.y, columns = takers.columns - low.x;
  if (takers.count == rows * columns) {
    for (Core& core : takers.cores) core = {core.y - low.y, core.x - low.x};
    takers.y -= low.y, takers.x -= low.x;
    takers.rows = rows, takers.columns = columns;
  } else {
    takers.numbered = true;
    order = takers.cores;
  }
  auto layout = lower(own, tensor);
  if (!layout) return layout.error();
  use::NamedCores out{std::move(*layout), {}};
  for (const Core& core : order) out.cores.push_back({core.y, core.x});
  return Named{std::move(out)};
}

}  // namespace vl::ttmetal
