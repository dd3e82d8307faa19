// A layout by another rule: the same tensor on the same cores in the same tiles, with the shard that the other rule
// gives. A map becomes intervals if each of its results joins neighbouring dimensions without gaps; rule B then needs
// alignments, and gets the least with which tile and grid divide every dimension: grid · tile on the first dimension of
// an interval, the tile on its last.
//
// Example: 53x63 by A on 3x2 cores in tiles of 32x32 is by B logical_shape = 53x63, dim_alignments = 96x64.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using Dims = std::pair<Index, Index>;

// What all rules say of a layout.
struct Common {
  std::vector<Dims> intervals;  // one per dimension of the grid; empty: a result that is 0
  std::vector<Index> grid;
  Cells cell;  // without a shape
  std::string space;
};

// The dimensions that a result joins; nothing if they are no neighbours, or have gaps between them.
std::optional<Dims> interval_of(const map::Row& row, std::span<const Index> size) {
  std::vector<map::Term> terms = row.terms;
  std::ranges::sort(terms, {}, &map::Term::input);
  if (row.constant != 0) return std::nullopt;
  if (terms.empty()) return Dims{0, 0};
  Index stride = 1;
  for (std::size_t k = terms.size(); k-- > 0;) {
    if (terms[k].coefficient != stride || terms[k].input != terms.front().input + k) return std::nullopt;
    const auto next = checked_mul(stride, std::max<Index>(size[terms[k].input], 1));
    if (!next) return std::nullopt;
    stride = *next;
  }
  return Dims{static_cast<Index>(terms.front().input), static_cast<Index>(terms.back().input) + 1};
}

// The row of an interval; the inverse of interval_of. Nothing if it leaves 64 bits.
std::optional<map::Row> joined(const Dims& interval, std::span<const Index> size) {
  std::vector<Index> factors(size.size(), 0);
  Index stride = 1;
  for (Index d = interval.second; d-- > interval.first;) {
    factors[static_cast<std::size_t>(d)] = stride;
    const auto next = checked_mul(stride, std::max<Index>(size[static_cast<std::size_t>(d)], 1));
    if (!next) return std::nullopt;
    stride = *next;
  }
  return map::dot(factors);
}

Result<Common> common_of(const AffineMap& map, const Grid& grid, const Cells& shard, const std::string& space,
                         std::span<const Index> joined_size) {
  Common out{{}, grid.shape, {{}, shard.tile, shard.type}, space};
  if (!map.linear || map.dims != joined_size.size()) return none("the map is not a sum of multiples of the dimensions");
  for (const map::Row& row : map.results) {
    const auto interval = interval_of(row, joined_size);
    if (!interval)
      return none("the map does not join neighbouring dimensions without gaps: no other rule has its places");
    out.intervals.push_back(*interval);
  }
  return out;
}

Result<Common> common_of(const Parsed& parsed, const Told& told, const map::Tensor& tensor) {
  const std::vector<Index>& joined_size = told.ruled.joined.empty() ? tensor.size : told.ruled.joined;
  if (const auto* metal = std::get_if<MapLayout>(&parsed.layout))
    return common_of(metal->linear, metal->grid, metal->shard, metal->space, joined_size);
  if (const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout)) {
    AffineMap map = ttnn->linear;
    map.results = told.ruled.placement->physical;  // the text's, or those of its form on one core
    return common_of(map, {told.ruled.grid, {}}, ttnn->shard, ttnn->space, joined_size);
  }
  const auto& aligned = std::get<AlignedLayout>(parsed.layout);
  Common out{{}, told.ruled.grid, {{}, told.cells.tile, told.cells.type}, aligned.space};
  const auto rank = static_cast<Index>(tensor.size.size());
  for (Index missing = std::min<Index>(rank, 2); missing < 2; ++missing) out.intervals.emplace_back(0, 0);
  std::vector<Dims> said;
  for (const auto& [from, to] : aligned.intervals)
    said.emplace_back(from < 0 ? from + rank : from, to < 0 ? to + rank : to);
  std::ranges::sort(said);
  Index last = said.empty() ? 0 : said.back().second;
  for (; last < rank; ++last) said.emplace_back(last, last + 1);
  out.intervals.insert(out.intervals.end(), said.begin(), said.end());
  return out;
}

std::string shard_of(Parsed& parsed, const Ruled& ruled) {
  if (!ruled.placement || ruled.overflows) return "that rule gives the elements no places";
  Cells& shard =
      parsed.layout.index() == 0 ? std::get<MapLayout>(parsed.layout).shard : std::get<TtnnLayout>(parsed.layout).shard;
  for (std::size_t i = 0; i < shard.shape.size(); ++i)
    shard.shape[i] = ceil_div(ruled.placement->divisor[i], tile_size(ruled.tile, i, shard.shape.size()));
  return {};
}

// Rules A and C.
Result<Parsed> with_map(const Common& common, const map::Tensor& tensor, bool ttnn) {
  const auto padded = padded_to_tiles(tensor.size, ttnn ? common.cell.tile.value_or(Tile{}) : Tile{});
  AffineMap linear{tensor.size.size(), {}, true};
  for (const Dims& interval : common.intervals) {
    auto row = padded ? joined(interval, *padded) : std::nullopt;
    if (!row) return Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
    linear.results.push_back(std::move(*row));
  }
  Cells shard = common.cell;
  shard.shape.assign(common.grid.size(), 1);
  if (ttnn)  // its cores are left open: the other rules do not name them
    return Parsed{TtnnLayout{linear,
                             {common.grid, {}},
                             shard,
                             common.space,
                             "block_sharded",
                             {"ignorePhysicalLayout = true"},
                             std::nullopt},
                  {}};
  return Parsed{MapLayout{"ttcore.metal_layout", linear, "undef", {common.grid, {}}, shard, common.space, {}}, {}};
}

Result<Parsed> with_alignments(const Common& common, const map::Tensor& tensor) {
  AlignedLayout layout{tensor.size, std::vector<Index>(tensor.size.size(), 1), {}, {}, common.space, "sharded", {}};
  Cells device = common.cell;
  device.shape = common.grid;
  const std::size_t n = common.grid.size();
  const Tile tile = common.cell.tile.value_or(Tile{});
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [begin, end] = common.intervals[i];
    const Index side = tile_size(tile, i, n);
    const auto least = checked_mul(common.grid[i], side);
    if (!least) return Error{ErrorCode::Overflow, "an alignment does not fit in 64 bits"};
    Index extent = tensor.size.size() < 2 && i + 1 < n ? 32 : 1;
    if (begin < end) {
      layout.intervals.emplace_back(begin, end);
      layout.alignments[static_cast<std::size_t>(end) - 1] = side;
      layout.alignments[static_cast<std::size_t>(begin)] = *least;
      for (Index d = end; d-- > begin;) {
        const auto at = static_cast<std::size_t>(d);
        const auto product = checked_mul(extent, tensor.size[at]);
        const auto up = product ? round_up(*product, layout.alignments[at]) : std::nullopt;
        if (!up) return Error{ErrorCode::Overflow, "an aligned extent does not fit in 64 bits"};
        extent = *up;
      }
    }
    device.shape.push_back(extent / std::max<Index>(*least, 1));
  }
  return Parsed{std::move(layout), std::move(device)};
}

}  // namespace

Result<std::string> by_rule(std::string_view text, const map::Tensor& tensor, std::string_view rule) {
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  const Told told = tell(*parsed, tensor);
  if (!told.undecidable.empty()) return none(told.undecidable);
  if (rule.size() == 1 && rule.front() == rule_of(*parsed)) return print(*parsed);
  if (!told.ruled.dealt.empty()) return none("interleaved over the cores: the other rules have shards in blocks");
  for (const use::Rule& each : told.ruled.rules)
    if (each.have != each.want) return none("a rule of the layout does not hold: " + each.statement);
  const auto common = common_of(*parsed, told, tensor);
  if (!common) return common.error();
  auto out = rule == "B" ? with_alignments(*common, tensor) : with_map(*common, tensor, rule == "C");
  if (!out) return out.error();
  if (rule != "B")
    if (std::string why = shard_of(*out, tell(*out, tensor).ruled); !why.empty()) return none(std::move(why));
  for (const use::Rule& each : tell(*out, tensor).ruled.rules)
    if (each.have != each.want) return none(fmt::format("rule {} has no such layout: {}", rule, each.statement));
  return print(*out);
}

}  // namespace vl::ttmlir
