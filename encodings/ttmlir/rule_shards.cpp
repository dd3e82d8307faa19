// The rules of tt-mlir's layouts for all sizes (rule_text.h): what rule_a.cpp, rule_b.cpp and rule_c.cpp compute with
// numbers, with expressions.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/rule_text.h"

namespace vl::ttmlir {
namespace {

using map::Expression;
using Relation = map::Condition::Relation;

std::vector<Expression> values_of(std::span<const NamedSize> sizes) {
  std::vector<Expression> out;
  for (const NamedSize& size : sizes) out.push_back(size.value);
  return out;
}

Expression rounded_up(const Expression& value, const Expression& step) {
  return step.number() == 1 ? value : Expression::of(Expression::Kind::Ceil, value, step) * step;
}
Expression at_least_one(const Expression& value) { return Expression::of(Expression::Kind::Max, value, 1); }

Index count(const auto& list) { return static_cast<Index>(list.size()); }

// A rule in the making: what it is of, or the reason why there is none.
class RuleShards {
 public:
  RuleShards(const map::RuleTensor& tensor, use::Reading& reading) : rules_(reading.rules), reading_(reading) {
    rule_.named_axes = true;
    rule_.logical = tensor.size;
    rule_.strides.resize(tensor.size.size(), 0);
  }

  void none(std::string why) {
    if (!none_) reading_.what = use::Undecidable{std::move(why)};
    none_ = true;
  }
  [[nodiscard]] bool is_none() const { return none_; }

  // A rule that depends on no size, without which the elements have no places.
  void needs(std::string statement, Index have, Index want, bool of_tensor = false) {
    rules_.push_back({std::move(statement), have, want, of_tensor});
    if (have != want) none(why_nowhere(rules_));
  }
  // A law; or where it is about numbers a rule.
  void asks(std::string statement, const Expression& have, Relation relation, const Expression& want) {
    const map::Condition law{have, relation, want, {}};
    if (have.number() && want.number()) {
      const auto held = map::holds(law, {});
      rules_.push_back({std::move(statement), held && *held ? 1 : 0, 1});
    } else if (relation != Relation::Equal || have != want) {
      rule_.laws.push_back(law);
    }
  }

  void has_to_fit(const Expression& number) { rule_.fits.push_back(number); }

  // The next physical dimension, without dimensions of the tensor yet.
  void add_dimension(Expression grid, Expression cells) {
    dims_.emplace_back();
    grid_.push_back(std::move(grid)), cells_.push_back(std::move(cells));
  }
  void join(std::size_t physical, std::size_t dim, const Expression& stride) {
    if (std::ranges::find(joined_, dim) != joined_.end())
      none("a dimension that comes twice is not encoded for all sizes");
    if (stride.size() > map::kMostParts) none("the physical shape has too many parts");
    joined_.push_back(dim);
    dims_[physical].push_back(dim);
    rule_.strides[dim] = stride;
  }

  // `divisors`: the sizes of a shard, in elements. `joined`, `exact`: as Ruled's (place.h).
  void finish(const Tile& tile, const std::vector<Expression>& divisors, std::vector<Expression> joined, bool exact) {
    if (none_) return;
    add_boxes(tile, std::move(joined), exact);
    if (const auto volume = lower({grid_, cells_, divisors, tile})) add_fits(tile, divisors, *volume);
    end();
  }

  // Tiles that go round the cores. `tiles`: how many there are in each of the two dimensions.
  void finish_dealt(const Tile& tile, const std::vector<Expression>& tiles) {
    if (none_) return;
    lower({grid_, cells_, {}, tile, tiles});
    rule_.fits.push_back(tiles[0] * tiles[1] * (tile.height * tile.width));
    end();
  }

  [[nodiscard]] const std::vector<std::vector<std::size_t>>& dims() const { return dims_; }
  [[nodiscard]] const std::vector<Expression>& grid() const { return grid_; }
  [[nodiscard]] const std::vector<Expression>& cells() const { return cells_; }
  [[nodiscard]] const Expression& stride(std::size_t dim) const { return rule_.strides[dim]; }
  [[nodiscard]] std::vector<use::Rule>& rules() { return rules_; }

 private:
  // As boxes_of (shards.cpp) with numbers.
  void add_boxes(const Tile& tile, std::vector<Expression> joined, bool exact) {
    use::RuleBoxes& boxes = reading_.boxes.emplace();
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const Index side = tile_size(tile, i, grid_.size());
      const bool alone = dims_[i].size() == 1 && rule_.strides[dims_[i][0]].number() == 1;
      Expression extent = alone ? joined[dims_[i][0]] : Expression(1);
      for (const std::size_t d : dims_[i])
        if (!alone) extent = extent + rule_.strides[d] * (joined[d] - 1);
      boxes.slots.push_back(grid_[i] * cells_[i] * side);
      boxes.shared.push_back(rounded_up(extent, exact ? Expression(side) : grid_[i]));
      boxes.array.push_back(std::move(extent));
    }
    boxes.joined = std::move(joined), boxes.exact = exact;
  }
  // The elements of a shard; nothing, and no rule, if those of a tile leave 64 bits.
  std::optional<Expression> lower(const Division<Expression>& division) {
    const auto steps = steps_of(division);
    if (!steps) return none("the elements of a tile do not fit in 64 bits"), std::nullopt;
    map::Blueprint<Expression> made = blueprint_of(division, *steps);
    for (std::size_t i = 0; i < dims_.size(); ++i) made.numbers[i].dims = dims_[i];
    rule_.numbers = std::move(made.numbers), rule_.levels = std::move(made.levels);
    rule_.places = std::move(made.places);
    return steps->volume;
  }
  // What lower.cpp computes of a shard that is not the declared one: beyond the declared size along a dimension but the
  // first one an element lies whole shards further, and the way back has a shard behind the last core.
  void add_fits(const Tile& tile, const std::vector<Expression>& divisors, const Expression& volume) {
    Expression beyond = 0;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const Index side = tile_size(tile, i, grid_.size());
      rule_.fits.push_back(grid_[i] * divisors[i]);
      rule_.fits.push_back((grid_[i] - 1) * divisors[i] + cells_[i] * side);
      if (i == 0) continue;
      const Expression shards =
          Expression::of(Expression::Kind::Quotient, divisors[i] - 1, at_least_one(cells_[i] * side));
      beyond = beyond + shards * volume;
    }
    const Expression rows = Expression::of(Expression::Kind::Ceil, divisors[0], tile_size(tile, 0, grid_.size()));
    const Expression behind = map::product_of(std::span(cells_).subspan(1)) * (tile.height * tile.width);
    rule_.fits.push_back(beyond + Expression::of(Expression::Kind::Max, volume, rows * behind));
  }
  void end() {
    if (none_) return;
    for (std::string& name : map::names_of(rule_)) rule_.symbols.push_back({std::move(name), 1});
    reading_.what = std::move(rule_);
  }

  map::Rule rule_;
  std::vector<std::vector<std::size_t>> dims_;  // of each number, in the order of the text
  std::vector<std::size_t> joined_;
  std::vector<Expression> grid_, cells_;
  std::vector<use::Rule>& rules_;
  use::Reading& reading_;
  bool none_ = false;
};

}  // namespace

void read_aligned_rule(const NamedSizes& sizes, const Parsed& parsed, const map::RuleTensor& tensor,
                       use::Reading& reading) {
  const std::vector<Expression> logical = values_of(sizes.logical), alignments = values_of(sizes.alignments),
                                device = values_of(sizes.tensor);
  const Tile tile = parsed.of->tile.value_or(Tile{});
  RuleShards out(tensor, reading);
  out.needs("the logical shape has as many dimensions as the tensor", count(logical), count(tensor.size), true);
  out.needs("there is one alignment for each logical dimension", count(alignments), count(logical));
  for (const Expression& alignment : alignments)
    if (const auto number = alignment.number())
      out.needs("each alignment is at least 1", std::min<Index>(*number, 1), 1);
  if (out.is_none()) return;
  const auto intervals = intervals_of(std::get<AlignedLayout>(parsed.layout), out.rules());
  if (!intervals) return out.none(why_nowhere(out.rules()));
  const std::size_t rows = 2 - std::min<std::size_t>(logical.size(), 2), n = rows + intervals->size();
  out.needs(fmt::format("the device shape has a grid and a shard of {} dimensions each", n), count(device),
            static_cast<Index>(2 * n));
  if (tile != Tile{}) out.needs("a device shape of tiles has two physical dimensions or more", n < 2 ? 1 : 2, 2);
  if (out.is_none()) return;
  std::vector<Expression> physical(rows, kRows), divisors;
  for (std::size_t i = 0; i < n; ++i) out.add_dimension(device[i], device[n + i]);
  for (const Interval& interval : *intervals) {
    Expression extent = 1;
    std::vector<Expression> strides;
    for (std::size_t d = interval.end; d-- > interval.begin;) {
      strides.insert(strides.begin(), extent);
      extent = rounded_up(logical[d] * extent, alignments[d]);
      if (extent.size() > map::kMostParts) return out.none("the physical shape has too many parts");
      out.has_to_fit(extent);
    }
    for (std::size_t d = interval.begin; d < interval.end; ++d)
      out.join(physical.size(), d, strides[d - interval.begin]);
    physical.push_back(std::move(extent));
  }
  for (std::size_t d = 0; d < logical.size(); ++d)
    out.asks(fmt::format("dimension {} of the logical shape is the tensor's", d), logical[d], Relation::Equal,
             tensor.size[d]);
  for (std::size_t i = 0; i < n; ++i) {
    const Index side = tile_size(tile, i, n);
    divisors.push_back(device[n + i] * side);
    out.asks("the grid has at least one core in each dimension", device[i], Relation::AtLeast, 1);
    if (side > 1)
      out.asks(fmt::format("physical dimension {} is a multiple of the tile's {}", i, side),
               Expression::of(Expression::Kind::Remainder, physical[i], side), Relation::Equal, 0);
    out.asks(fmt::format("grid times shard is physical dimension {}", i), device[i] * divisors[i], Relation::Equal,
             physical[i]);
  }
  out.finish(tile, divisors, tensor.size, true);
  if (auto* rule = std::get_if<map::Rule>(&reading.what))
    rule->way_back = std::ranges::all_of(reading.rules, [](const use::Rule& one) { return one.have == one.want; });
}

namespace {

// What rule C asks of memories and cores; the grid's sizes may be names.
void add_ttnn_laws(const TtnnLayout& layout, const std::vector<Expression>& grid, RuleShards& out) {
  const bool l1 = layout.space.starts_with("l1"), host = layout.space.starts_with("system");
  const bool sharded = is_sharded(layout);
  if (layout.core_ranges) return out.none("core ranges beside names are not encoded for all sizes");
  if (host)
    out.asks("a layout in system memory names no memory layout", layout.memory_layout.empty() ? 0 : 1, Relation::Equal,
             0);
  if (is_device_memory(layout.space))
    out.asks("a layout in L1 or DRAM names a memory layout", layout.memory_layout.empty() ? 0 : 1, Relation::Equal, 1);
  if (host || (!l1 && !sharded))
    out.asks("a layout that is not sharded and not in L1 has a grid of one core", map::product_of(out.grid()),
             Relation::Equal, 1);
  if (layout.memory_layout == "block_sharded")
    out.asks("DRAM is not block sharded", layout.space == "dram" ? 1 : 0, Relation::Equal, 0);
  if (out.grid().size() != 2) return;
  if (layout.memory_layout == "height_sharded")
    out.asks("a height-sharded grid has one column", grid[1], Relation::Equal, 1);
  if (layout.memory_layout == "width_sharded")
    out.asks("a width-sharded grid has one row", grid[0], Relation::Equal, 1);
}

// The map that the compiler makes joins all dimensions but the last one, row-major over the padded shape.
void add_usual_map(const std::vector<Expression>& padded, const std::vector<std::size_t>& result_of, RuleShards& out) {
  const bool flat = out.grid().size() == 1 && padded.size() == 1;  // in older texts
  if (!flat) out.asks("the compiler's map has two results", count(out.grid()), Relation::Equal, 2);
  if ((!flat && out.grid().size() != 2) || padded.empty()) return;
  Expression step = 1;
  for (std::size_t d = padded.size(); d-- > 0;) {
    const bool last = d + 1 == padded.size();
    const Expression moves = padded[d] - 1;  // the factor of a dimension of size 1 moves nothing
    out.asks(fmt::format("d{} is in the compiler's result", d), moves * static_cast<Index>(result_of[d]),
             Relation::Equal, moves * (last && !flat ? 1 : 0));
    out.asks(fmt::format("the map's factor of d{} is the padded shape's", d), moves * out.stride(d), Relation::Equal,
             moves * (last ? Expression(1) : step));
    if (!last) step = step * padded[d];
  }
}

// Whether the text's places are those of its numbers at any sizes: as_d2m changes neither its map nor its memref then.
bool is_of_d2m(const std::vector<Expression>& padded, const std::vector<Expression>& divisors,
               const std::vector<std::size_t>& result_of, const RuleShards& out) {
  Expression step = 1;
  for (std::size_t d = padded.size(); d-- > 0;) {
    const bool last = d + 1 == padded.size();
    if (result_of[d] != (last ? 1U : 0U) || out.stride(d) != (last ? Expression(1) : step)) return false;
    if (!last) step = step * padded[d];
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (out.cells()[i] != Expression::of(Expression::Kind::Ceil, divisors[i], tile_size(kPadded, i, 2))) return false;
  return true;
}

// What the text has to have, and has or has not whatever the sizes are.
void check_form(const NamedSizes& sizes, const Parsed& parsed, const map::RuleTensor& tensor, const AffineMap& linear,
                Tile tile, RuleShards& out) {
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  if (parsed.rule) return out.none("another rule for a text with names is not encoded for all sizes");
  if (!linear.linear) return out.none("a map with floordiv or mod is not encoded for all sizes");
  const std::size_t n = linear.results.size();
  out.needs("the map reads as many dimensions as the tensor has", static_cast<Index>(linear.dims), count(tensor.size));
  const bool other_rank = count(sizes.grid) == 2 && (n != 2 || count(sizes.shard) != 2);
  if (ttnn != nullptr && !is_sharded(*ttnn) && other_rank)
    return out.none("a map or memref of other than two dimensions on one core is not encoded for all sizes");
  out.needs("the map has as many results as the grid has dimensions", static_cast<Index>(n), count(sizes.grid));
  out.needs("the memref has as many dimensions as the grid", count(sizes.shard), count(sizes.grid));
  if (tile != Tile{}) out.needs("a memref of tiles has two dimensions or more", n < 2 ? 1 : 2, 2);
  for (const map::Row& row : linear.results)
    if (row.constant != 0) out.none("a constant in a map with names is not encoded for all sizes");
}

}  // namespace

void read_mapped_rule(const NamedSizes& sizes, const Parsed& parsed, const map::RuleTensor& tensor,
                      use::Reading& reading) {
  RuleShards out(tensor, reading);
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  const auto* metal = std::get_if<MapLayout>(&parsed.layout);
  const AffineMap& linear = ttnn != nullptr ? ttnn->linear : metal->linear;
  const Tile tile = (ttnn != nullptr ? ttnn->shard : metal->shard).tile.value_or(Tile{});
  const std::size_t n = linear.results.size();
  check_form(sizes, parsed, tensor, linear, tile, out);
  if (out.is_none()) return;
  const bool height = ttnn != nullptr && ttnn->memory_layout == "height_sharded" && n == 2;
  const bool width = ttnn != nullptr && ttnn->memory_layout == "width_sharded" && n == 2;
  for (std::size_t i = 0; i < n; ++i) {
    // getLegacyGrid: [H, W] has H·W shards in one column, or in one row.
    Expression extent = sizes.grid[i].value;
    if (height || width) extent = i == (height ? 0U : 1U) ? sizes.grid[0].value * sizes.grid[1].value : Expression(1);
    out.add_dimension(std::move(extent), sizes.shard[i].value);
    out.asks("a grid has at least one core in each dimension", sizes.grid[i].value, Relation::AtLeast, 1);
  }
  std::vector<std::size_t> result_of(linear.dims, n);
  for (const NamedTerm& term : sizes.terms) {
    out.join(term.result, term.dim, term.factor.value);
    result_of[term.dim] = term.result;
    if (metal != nullptr)
      out.asks(fmt::format("the map reads dimension d{}", term.dim), term.factor.value, Relation::AtLeast, 1);
  }
  if (std::ranges::count(result_of, n) > 0)
    out.none("a dimension that the map does not read is not encoded for all sizes");
  for (std::size_t d = 0; !sizes.tensor.empty() && d < sizes.tensor.size() && d < tensor.size.size(); ++d)
    out.asks(fmt::format("dimension {} of the tensor type in the text is the tensor's", d), sizes.tensor[d].value,
             Relation::Equal, tensor.size[d]);
  if (parsed.of)
    out.needs("the tensor type in the text has as many dimensions as the tensor", count(sizes.tensor),
              count(tensor.size), true);
  if (ttnn != nullptr) add_ttnn_laws(*ttnn, values_of(sizes.grid), out);
  if (out.is_none()) return;
  std::vector<Expression> padded = tensor.size, divisors;
  for (std::size_t d = 0; ttnn != nullptr && d < padded.size(); ++d)
    padded[d] = rounded_up(padded[d], tile == Tile{} ? 1 : tile_size(kPadded, d, padded.size()));
  if (ttnn != nullptr) add_usual_map(padded, result_of, out);
  const bool dealt = ttnn != nullptr && ttnn->space.starts_with("l1") && ttnn->memory_layout == "interleaved" && n == 2;
  std::vector<Expression> tiles;
  for (std::size_t i = 0; i < n; ++i) {
    Expression extent = 1;  // the greatest value and 1; of no dimension and stride 1 the size itself
    for (const std::size_t d : out.dims()[i]) extent = extent + out.stride(d) * (at_least_one(padded[d]) - 1);
    tiles.push_back(Expression::of(Expression::Kind::Ceil, extent, tile_size(tile, i, n)));
    divisors.push_back(Expression::of(Expression::Kind::Ceil, extent, out.grid()[i]));
    if (dealt) continue;
    out.asks(fmt::format("memref dimension {} is the physical one, divided by grid and tile", i), out.cells()[i],
             Relation::Equal, Expression::of(Expression::Kind::Ceil, divisors.back(), tile_size(tile, i, n)));
  }
  const bool older = (height && sizes.grid[1].value.number() != 1) || (width && sizes.grid[0].value.number() != 1);
  if (older && tile == kPadded && !is_of_d2m(padded, divisors, result_of, out))
    return out.none("an older grid beside another map or memref than the builder's is not encoded for all sizes");
  if (ttnn != nullptr && needs_core_ranges(*ttnn)) out.asks(std::string(kNamesCores), 0, Relation::Equal, 1);
  if (!dealt) return out.finish(tile, divisors, std::move(padded), false);
  if (tile == Tile{}) return out.none("rows of elements that go round the cores are not encoded for all sizes");
  out.asks("the memref of an interleaved L1 tensor holds the tiles of one core", map::product_of(out.cells()),
           Relation::Equal, Expression::of(Expression::Kind::Ceil, tiles[0] * tiles[1], map::product_of(out.grid())));
  out.finish_dealt(tile, tiles);
}

}  // namespace vl::ttmlir
