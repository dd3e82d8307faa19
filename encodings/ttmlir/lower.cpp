// A placement as a map of three stages: the physical point; its digits (core, tile, face, element) by one split a
// dimension; and the sum of the digits on each axis. The way back undoes them one by one.
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

// One digit of a physical dimension.
struct Cut {
  enum class To { Core, Beyond, Tile, Face, Inside };
  Index weight = 1;
  To to = To::Inside;
};

// Nothing if they leave 64 bits.
std::optional<Steps> steps_of(const Ruled& ruled) {
  const auto area = checked_mul(ruled.tile.height, ruled.tile.width);
  if (!area) return std::nullopt;
  const Index height = face_of(ruled.tile.height);
  const Index width = face_of(ruled.tile.width);
  Steps steps{std::vector<Index>(ruled.cells.size(), 0), height * ruled.tile.width, height * width, width, *area};
  for (std::size_t i = ruled.cells.size(); i-- > 0;) {
    steps.tile[i] = steps.volume;
    const auto next = checked_mul(steps.volume, ruled.cells[i]);
    if (!next) return std::nullopt;
    steps.volume = *next;
  }
  return steps;
}

// The digits of p_i. A digit that is always 0 is left out.
std::vector<Cut> cuts_of(const Ruled& ruled, std::size_t i, const map::Range& range, bool has_cells) {
  const std::size_t n = ruled.cells.size();
  const Index tile = tile_size(ruled.tile, i, n);
  const Index face = face_of(tile);
  const Index divisor = ruled.placement->divisor[i];
  std::vector<Cut> cuts;
  // Below it the rest lies; a negative coordinate has any rest.
  Index left = range.low < 0 || range.high == INT64_MAX ? INT64_MAX : range.high + 1;
  const auto cut = [&](Index weight, Cut::To to) {
    cuts.push_back({weight, to});
    left = std::min(left, weight);
  };
  if (left > divisor) cut(divisor, Cut::To::Core);
  // Too far out in the first dimension is behind the shard's end. In another dimension it would be another place in the
  // shard, so what lies beyond adds the size of the shard.
  const auto declared = checked_mul(ruled.cells[i], tile);
  if (i > 0 && has_cells && declared && left > *declared) cut(*declared, Cut::To::Beyond);
  if (left > tile) cut(tile, Cut::To::Tile);
  if (left > face) cut(face, Cut::To::Face);
  if (left > 1 && (cuts.empty() || cuts.back().weight != 1)) cuts.push_back({1, Cut::To::Inside});
  return cuts;
}

// The sums of the digits.
struct Sums {
  std::vector<Row> cores;
  Row memory;
};

void add_cuts(Sums& sums, const Ruled& ruled, const Steps& steps, std::size_t i, std::span<const Cut> cuts,
              std::size_t first) {
  const std::size_t n = ruled.cells.size();
  const bool last = i + 1 == n;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const Term term{first + k, 1};
    const auto in_memory = [&](Index step) {
      if (step != 0) sums.memory.terms.push_back({first + k, step});
    };
    switch (cuts[k].to) {
      case Cut::To::Core: sums.cores[i].terms.push_back(term); break;
      case Cut::To::Beyond: in_memory(steps.volume); break;
      case Cut::To::Tile: in_memory(steps.tile[i]); break;
      case Cut::To::Face: in_memory(last ? steps.face_column : steps.face_row); break;
      case Cut::To::Inside:
        if (i + 2 < n || (ruled.tile == Tile{})) in_memory(steps.tile[i]);
        else in_memory(last ? 1 : steps.row);
        break;
    }
  }
}

Result<std::vector<Stage>> stages_of(const Ruled& ruled, const Steps& steps, std::span<const Index> size) {
  const std::size_t n = ruled.cells.size();
  Sums sums{std::vector<Row>(n, Row{}), {}};
  std::vector<Stage> splits;  // from the last dimension to the first, so that those to the left stay where they are
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto range = range_of(ruled.placement->physical[i], size);
    if (!range) return Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
    const std::vector<Cut> cuts = cuts_of(ruled, i, *range, steps.volume > 0);
    add_cuts(sums, ruled, steps, i, cuts, first);
    if (cuts.size() > 1) {
      Split split{i, {}};
      for (const Cut& cut : cuts) split.weights.push_back(cut.weight);
      splits.insert(splits.begin(), std::move(split));
    } else if (cuts.size() == 1 && cuts.front().weight != 1) {
      splits.insert(splits.begin(), Split{i, {cuts.front().weight, 1}});
      ++first;  // the rest, which is always 0
    }
    first += std::max<std::size_t>(cuts.size(), 1);
  }
  std::vector<Stage> out{Affine{rows_that_move(ruled.placement->physical, size)}};
  std::ranges::move(splits, std::back_inserter(out));
  Affine gather{std::move(sums.cores)};
  std::ranges::sort(sums.memory.terms, {}, &Term::input);
  gather.rows.push_back(std::move(sums.memory));
  out.emplace_back(std::move(gather));
  return out;
}

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
  const auto steps = steps_of(ruled);
  if (!steps) return Error{ErrorCode::Overflow, "the elements of a shard do not fit in 64 bits"};
  auto box = box_of(ruled, steps->volume);
  if (!box) return box.error();
  auto stages = ruled.dealt.empty() ? stages_of(ruled, *steps, tensor.size) : deal_tiles(ruled, *steps, tensor.size);
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
