// A placement as a map: the physical point, and the stages of its blueprint. The way back undoes them one by one.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;
using map::Term;

// (c…, m) -> p: the digits of m, put together again.
std::vector<Stage> physical_of_slot(const Ruled& ruled, const Steps& steps) {
  const std::size_t n = ruled.cells.size();
  const bool tiled = ruled.tile != Tile{};
  Split split{n, steps.tile};
  if (tiled) split.weights.insert(split.weights.end(), {steps.face_row, steps.face_column, steps.row, 1});
  Affine join;
  for (std::size_t i = 0; i < n; ++i) {
    Row row{0, {{i, ruled.placement->divisor[i]}, {n + i, tile_size(ruled.tile, i, n)}}};
    const std::size_t inside = 2 * n;  // face row, face column, row, column
    if (tiled && i + 2 == n) row.terms.insert(row.terms.end(), {{inside, face_of(ruled.tile.height)}, {inside + 2, 1}});
    if (tiled && i + 1 == n)
      row.terms.insert(row.terms.end(), {{inside + 1, face_of(ruled.tile.width)}, {inside + 3, 1}});
    join.rows.push_back(std::move(row));
  }
  return {std::move(split), std::move(join)};
}

// (core, core, m) -> p of tiles that are dealt.
std::vector<Stage> physical_of_dealt(const Ruled& ruled, const Steps& steps) {
  const Index area = ruled.tile.height * ruled.tile.width;  // steps_of and lower have checked the products
  return {Split{2, {area, steps.face_row, steps.face_column, steps.row, 1}},
          // core row, core column, number, face row, face column, row, column
          Affine{{Row{0, {{0, ruled.grid[1]}, {1, 1}, {2, ruled.grid[0] * ruled.grid[1]}}},
                  Row{0, {{3, face_of(ruled.tile.height)}, {5, 1}}}, Row{0, {{4, face_of(ruled.tile.width)}, {6, 1}}}}},
          Split{0, {std::max<Index>(ruled.dealt[1], 1), 1}},
          // tile row, tile column, row, column
          Affine{{Row{0, {{0, ruled.tile.height}, {2, 1}}}, Row{0, {{1, ruled.tile.width}, {3, 1}}}}}};
}

std::optional<std::vector<Stage>> decode_of(const Ruled& ruled, const Steps& steps, std::span<const Index> size) {
  if (steps.volume == 0) return std::nullopt;
  auto back = element_of_physical(*ruled.placement, size);
  if (!back) return std::nullopt;
  std::vector<Stage> stages = ruled.dealt.empty() ? physical_of_slot(ruled, steps) : physical_of_dealt(ruled, steps);
  std::ranges::move(*back, std::back_inserter(stages));
  return stages;
}

Result<map::Space> box_of(const Ruled& ruled, Index volume) {
  std::vector<map::Dim> dims = map::Space::dims("c", ruled.grid, map::Unit::Core);
  dims.push_back({std::string(map::kMemoryAxis), volume, map::Unit::Element});
  return map::Space::create(std::move(dims));
}

}  // namespace

std::optional<std::vector<Term>> nested(const Row& row, std::span<const Index> size) {
  std::vector<Term> terms;
  for (const Term& term : row.terms)
    if (size[term.input] > 1) terms.push_back(term);
  std::ranges::sort(terms, std::ranges::greater{}, &Term::coefficient);
  Index reach = 0;
  for (std::size_t k = terms.size(); k-- > 0;)
    if (terms[k].coefficient <= reach || !accumulate(reach, terms[k].coefficient, size[terms[k].input] - 1))
      return std::nullopt;
  return terms;
}

std::optional<std::vector<Stage>> element_of_physical(const Placement& placement, std::span<const Index> size) {
  std::vector<std::optional<Row>> elements(size.size());
  for (std::size_t d = 0; d < size.size(); ++d)
    if (size[d] <= 1) elements[d] = Row{};
  Affine shift;
  std::vector<Stage> splits;
  std::size_t position = 0;
  for (std::size_t i = 0; i < placement.physical.size(); ++i) {
    const Row& row = placement.physical[i];
    const auto minus = checked_mul(row.constant, -1);
    if (!minus) return std::nullopt;
    shift.rows.push_back(Row{*minus, {{i, 1}}});
    const auto terms = nested(row, size);
    if (!terms || terms->empty()) {
      ++position;
      continue;
    }
    Split split{i, {}};
    for (const Term& term : *terms) {
      if (!elements[term.input]) elements[term.input] = map::pick(position + split.weights.size());
      split.weights.push_back(term.coefficient);
    }
    if (split.weights.back() != 1) split.weights.push_back(1);
    position += split.weights.size();
    splits.insert(splits.begin(), std::move(split));
  }
  Affine gather;
  for (std::optional<Row>& row : elements) {
    if (!row) return std::nullopt;
    gather.rows.push_back(std::move(*row));
  }
  std::vector<Stage> stages{std::move(shift)};
  std::ranges::move(splits, std::back_inserter(stages));
  stages.emplace_back(std::move(gather));
  return stages;
}

std::vector<map::Row> rows_that_move(std::vector<map::Row> rows, std::span<const Index> size) {
  for (map::Row& row : rows) std::erase_if(row.terms, [&](const Term& term) { return size[term.input] == 1; });
  return rows;
}

namespace {
std::span<const use::Rule>::iterator broken_of(std::span<const use::Rule> rules) {
  return std::ranges::find_if(rules, [](const use::Rule& rule) { return rule.have != rule.want; });
}
}  // namespace

bool is_broken(std::span<const use::Rule> rules) { return broken_of(rules) != rules.end(); }

std::string why_nowhere(std::span<const use::Rule> rules) {
  const auto broken = broken_of(rules);
  VL_CHECK(broken != rules.end(), "elements without places under rules that hold");
  return "the elements have no places, because this does not hold: " + broken->statement;
}

bool never_falls(const AffineMap& map) {
  return std::ranges::all_of(map.results, [](const Row& row) {
    return std::ranges::all_of(row.terms, [](const Term& term) { return term.coefficient > 0; });
  });
}

std::optional<map::Range> range_of(const map::Row& row, std::span<const Index> size) {
  map::Range range{row.constant, row.constant};
  for (const Term& term : row.terms)
    if (!accumulate(term.coefficient < 0 ? range.low : range.high, term.coefficient,
                    std::max<Index>(size[term.input], 1) - 1))
      return std::nullopt;
  return range;
}

Result<map::Layout> lower(const Ruled& ruled, const map::Tensor& tensor) {
  auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value, "a layout of tt-mlir holds a whole tensor; it has no view offset"};
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  if (ruled.overflows) return Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
  const Division<Index> division{ruled.grid, ruled.cells, ruled.placement->divisor, ruled.tile, ruled.dealt};
  const auto steps = steps_of(division);
  if (!steps) return Error{ErrorCode::Overflow, "the elements of a shard do not fit in 64 bits"};
  if (!ruled.dealt.empty() && !checked_mul(ruled.grid[0], ruled.grid[1]))
    return Error{ErrorCode::Overflow, "the number of cores is too large"};
  auto box = box_of(ruled, steps->volume);
  if (!box) return box.error();
  map::Blueprint<Index> blueprint = blueprint_of(division, *steps);
  blueprint.logical = tensor.size;
  auto stages = map::stages_of(blueprint, rows_that_move(ruled.placement->physical, tensor.size));
  if (!stages) return stages.error();
  map::LayoutParts parts{std::move(*logical),
                         map::Space{},
                         std::move(*box),
                         std::move(*stages),
                         0,
                         decode_of(ruled, *steps, tensor.size),
                         0,
                         std::nullopt,
                         map::dot(*strides, tensor.offset)};
  parts.named_axes = true;
  return map::Layout::create(std::move(parts));
}

}  // namespace vl::ttmlir
