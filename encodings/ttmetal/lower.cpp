// A placement as a map: the physical array; the digits of each of its dimensions (part, cell, face, element) by one
// split; the number of the part and the place in it as sums of digits; the part's core. The way back undoes them one by
// one.
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

// One digit of a physical dimension. Beyond: what lies behind a part in a dimension that is not divided.
struct Cut {
  enum class To { Part, Beyond, Cell, Face, Inside };
  Index weight = 1;
  To to = To::Inside;
};

Index face_size(const Placement& placement, std::size_t i) {
  const std::size_t n = placement.physical.size();
  return i + 1 == n ? placement.tile.face_width : i + 2 == n ? placement.tile.face_height : 1;
}

// The largest value of a row, whose terms are not negative; nothing if it leaves 64 bits.
std::optional<Index> largest(const Row& row, std::span<const Index> size) {
  Index out = row.constant;
  for (const Term& term : row.terms)
    if (!accumulate(out, term.coefficient, std::max<Index>(size[term.input], 1) - 1)) return std::nullopt;
  return out;
}

// The digits of p_i <= high. A digit that is always 0 is left out.
std::vector<Cut> cuts_of(const Placement& placement, std::size_t i, Index high) {
  std::vector<Cut> cuts;
  Index left = high == INT64_MAX ? high : high + 1;
  const auto cut = [&](Index weight, Cut::To to) {
    if (left <= weight) return;
    cuts.push_back({weight, to});
    left = weight;
  };
  const Index tile = placement.tile_size(i);
  if (placement.parts[i] > 1) cut(placement.divisor[i], Cut::To::Part);
  if (const auto part = checked_mul(placement.cells[i], tile)) cut(*part, Cut::To::Beyond);
  cut(tile, Cut::To::Cell);
  cut(face_size(placement, i), Cut::To::Face);
  if (left > 1) cuts.push_back({1, Cut::To::Inside});
  return cuts;
}

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

// The sums of the digits: the number of the part, or its two numbers in a grid, and the place in it.
struct Sums {
  std::vector<Row> part;
  Row place;
};

void add_cuts(Sums& sums, const Placement& placement, const Steps& steps, std::size_t i, std::span<const Cut> cuts,
              std::size_t first, std::span<const Index> part_step) {
  const std::size_t n = placement.physical.size();
  const bool grid = placement.takers.deal == Deal::Grid;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const auto add = [&](Row& row, Index step) { row.terms.push_back({first + k, step}); };
    switch (cuts[k].to) {
      case Cut::To::Part:
        if (grid) add(sums.part[i + 2 - n], 1);
        else add(sums.part[0], part_step[i]);
        break;
      case Cut::To::Beyond: add(sums.place, steps.volume); break;
      case Cut::To::Cell: add(sums.place, steps.cell[i]); break;
      case Cut::To::Face: add(sums.place, i + 1 == n ? steps.face_column : steps.face_row); break;
      case Cut::To::Inside:
        if (!placement.tiled || i + 2 < n) add(sums.place, steps.cell[i]);
        else add(sums.place, i + 1 == n ? steps.column : steps.row);
        break;
    }
  }
}

// x -> (part, place) or (part row, part column, place).
Result<std::vector<Stage>> to_parts(const Placement& placement, const Steps& steps, std::span<const Index> part_step,
                                    std::span<const Index> size) {
  const std::size_t n = placement.physical.size();
  Sums sums{std::vector<Row>(placement.takers.deal == Deal::Grid ? 2 : 1), {}};
  Affine physical{placement.physical};
  for (Row& row : physical.rows) std::erase_if(row.terms, [&](const Term& term) { return size[term.input] == 1; });
  std::vector<Stage> splits;  // from the last dimension to the first, so that those to the left stay where they are
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto high = largest(physical.rows[i], size);
    if (!high) return Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
    const std::vector<Cut> cuts = cuts_of(placement, i, *high);
    add_cuts(sums, placement, steps, i, cuts, first, part_step);
    Split split{i, {}};
    for (const Cut& cut : cuts) split.weights.push_back(cut.weight);
    if (!cuts.empty() && cuts.back().weight != 1) split.weights.push_back(1);
    first += std::max<std::size_t>(split.weights.size(), 1);
    if (split.weights.size() > 1) splits.insert(splits.begin(), std::move(split));
  }
  std::vector<Stage> out{std::move(physical)};
  std::ranges::move(splits, std::back_inserter(out));
  Affine gather{std::move(sums.part)};
  for (Row& row : gather.rows) std::ranges::sort(row.terms, {}, &Term::input);
  std::ranges::sort(sums.place.terms, {}, &Term::input);
  gather.rows.push_back(std::move(sums.place));
  out.emplace_back(std::move(gather));
  return out;
}

// The parts that one core holds, of Contiguous.
Index run_of(const Placement& placement, Index parts) {
  return std::max<Index>(ceil_div(parts, placement.takers.count), 1);
}

// (part, place) -> (number of the core, m): the numbers of the parts in a core are steps of a part's volume.
void deal(std::vector<Stage>& out, const Placement& placement, const Steps& steps, Index parts) {
  const Takers& takers = placement.takers;
  if (takers.deal == Deal::Grid) {
    const bool flip = takers.by_column;
    Row y{takers.first.y, {{flip ? 1U : 0U, 1}}}, x{takers.first.x, {{flip ? 0U : 1U, 1}}};
    out.emplace_back(Affine{{std::move(y), std::move(x), map::pick(2)}});
    return;
  }
  const bool runs = takers.deal == Deal::Contiguous;
  if (parts > takers.count || runs) {
    out.emplace_back(Split{0, {runs ? run_of(placement, parts) : takers.count, 1}});
    out.emplace_back(Affine{{map::pick(runs ? 0 : 1), Row{0, {{runs ? 1U : 0U, steps.volume}, {2, 1}}}}});
  }
  if (takers.banks || takers.numbered) return;
  std::ranges::move(use::to_cores(takers.cores), std::back_inserter(out));
}

// (axes…, m) -> the physical coordinates.
std::vector<Stage> physical_of_slot(const Placement& placement, const Steps& steps, std::span<const Index> part_step,
                                    Index parts) {
  const Takers& takers = placement.takers;
  const std::size_t n = placement.physical.size();
  const bool grid = takers.deal == Deal::Grid;
  std::vector<Stage> out;
  if (grid) {
    const bool flip = takers.by_column;
    const Row i{-(flip ? takers.first.x : takers.first.y), {{flip ? 1U : 0U, 1}}};
    const Row j{-(flip ? takers.first.y : takers.first.x), {{flip ? 0U : 1U, 1}}};
    out.emplace_back(Affine{{i, j, map::pick(2)}});
  } else {
    if (!takers.banks && !takers.numbered) out = use::from_cores(takers.cores);
    out.emplace_back(Split{1, {steps.volume, 1}});  // core, number, place
    const Row part = takers.deal == Deal::Contiguous ? Row{0, {{0, run_of(placement, parts)}, {1, 1}}}
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
    for (const Term& term : placement.physical[i].terms)
      if (size[term.input] > 1) terms.push_back(term);
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

std::optional<Steps> steps_of(const Placement& placement) {
  const Tile& tile = placement.tile;
  const auto area = checked_mul(tile.height, tile.width);
  if (!area) return std::nullopt;
  Steps out{std::vector<Index>(placement.cells.size(), 1),
            tile.face_height * tile.width,
            tile.face_height * tile.face_width,
            tile.face_width,
            1,
            *area};
  if (tile.faces_by_column)
    out.face_row = tile.face_height * tile.face_width, out.face_column = tile.height * tile.face_width;
  if (tile.within_by_column) out.row = 1, out.column = tile.face_height;
  for (std::size_t i = placement.cells.size(); i-- > 0;) {
    out.cell[i] = out.volume;
    const auto next = checked_mul(out.volume, placement.cells[i]);
    if (!next) return std::nullopt;
    out.volume = *next;
  }
  return out;
}

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
  const auto steps = placed.placement ? steps_of(*placed.placement) : Steps{};
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
  const auto count = checked_product(placement.parts);
  if (!part_step || !count) return overflow;
  auto stages = to_parts(placement, *steps, *part_step, tensor.size);
  if (!stages) return stages.error();
  deal(*stages, placement, *steps, *count);
  parts.map = std::move(*stages);
  std::vector<Stage> back = physical_of_slot(placement, *steps, *part_step, *count);
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
    takers.first = {takers.first.y - low.y, takers.first.x - low.x};
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
