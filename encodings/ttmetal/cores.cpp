// Cores: their order, and the way from the number of a core to its row and column. The cores of one rectangle, and of
// rectangles that continue each other's rows, are two digits of the number. Any other order is a table: a line with a
// jump at each place where the order leaves it, and [k >= b] = (k - b + K) div K for 0 <= k < K.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmetal/place.h"

namespace vl::ttmetal {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;

constexpr Index kMostCores = 65536;

// The rows (constant + slope·k) and its jumps, where indicator i is value first + 2·i.
Row row_of(const Table& table, std::size_t k, std::size_t first) {
  Row row{table.start, {}};
  if (table.slope != 0) row.terms.push_back({k, table.slope});
  for (std::size_t i = 0; i < table.jumps.size(); ++i) row.terms.push_back({first + 2 * i, table.jumps[i].second});
  return row;
}

// Values [k, rest…] to [k, rest…, indicator, remainder, indicator, …] for the jumps, with 0 <= k < reach.
void add_indicators(std::vector<Stage>& out, std::size_t values, std::span<const std::pair<Index, Index>> jumps,
                    Index reach, const Row& k) {
  Affine affine;
  affine.rows.push_back(k);
  for (std::size_t i = 1; i < values; ++i) affine.rows.push_back(map::pick(i));
  for (const auto& [at, by] : jumps) {
    Row row = k;
    row.constant += reach - at;
    affine.rows.push_back(std::move(row));
  }
  out.emplace_back(std::move(affine));
  for (std::size_t i = jumps.size(); i-- > 0;) out.emplace_back(Split{values + i, {reach, 1}});
}

std::vector<Index> coordinates(std::span<const Core> cores, Index Core::*member) {
  std::vector<Index> out;
  for (const Core& core : cores) out.push_back(core.*member);
  return out;
}

std::vector<Index> numbers(std::size_t count) {
  std::vector<Index> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<Index>(k);
  return out;
}

bool goes_by_column(const Takers& takers) { return takers.cores.size() > 1 && takers.cores[1].x == takers.cores[0].x; }

std::vector<Stage> to_cores_by_table(const Takers& takers) {
  const std::vector<Index> keys = numbers(takers.cores.size());
  const bool by_column = goes_by_column(takers);
  const Table y = table_of(keys, coordinates(takers.cores, &Core::y), by_column ? 1 : 0);
  const Table x = table_of(keys, coordinates(takers.cores, &Core::x), by_column ? 0 : 1);
  std::vector<std::pair<Index, Index>> all = y.jumps;
  all.insert(all.end(), x.jumps.begin(), x.jumps.end());
  std::vector<Stage> out;
  add_indicators(out, 2, all, std::max<Index>(takers.count, 1), map::pick(0));
  out.emplace_back(Affine{{row_of(y, 0, 2), row_of(x, 0, 2 + 2 * y.jumps.size()), map::pick(1)}});
  return out;
}

std::vector<Stage> from_cores_by_table(const Takers& takers) {
  std::vector<std::pair<Index, Index>> order;  // (place in the box, number)
  for (std::size_t k = 0; k < takers.cores.size(); ++k)
    order.emplace_back(takers.cores[k].y * takers.columns + takers.cores[k].x, static_cast<Index>(k));
  std::ranges::sort(order);
  order.erase(std::unique(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              order.end());
  std::vector<Index> keys, values;
  for (const auto& [key, value] : order) keys.push_back(key), values.push_back(value);
  Table table = table_of(keys, values, goes_by_column(takers) ? 0 : 1);
  // The table begins at its first key.
  table.start -= table.slope * keys.front();
  std::vector<Stage> out;
  // (y, x, m) -> (key, m)
  out.emplace_back(Affine{{Row{0, {{0, takers.columns}, {1, 1}}}, map::pick(2)}});
  add_indicators(out, 2, table.jumps, takers.rows * takers.columns, map::pick(0));
  out.emplace_back(Affine{{row_of(table, 0, 2), map::pick(1)}});
  return out;
}

}  // namespace

Result<std::vector<Core>> cores_of(std::span<const CoreRange> grid, bool by_column) {
  std::vector<Core> out;
  for (const CoreRange& range : grid) {
    const auto count = checked_mul(range.x1 - range.x0, range.y1 - range.y0);
    if (!count || range.x1 >= kMostCores || range.y1 >= kMostCores ||
        (range.x1 - range.x0 + 1) * (range.y1 - range.y0 + 1) > kMostCores - static_cast<Index>(out.size()))
      return Error{ErrorCode::Value, fmt::format("a set of cores has at most {} of them", kMostCores)};
    if (by_column)
      for (Index x = range.x0; x <= range.x1; ++x)
        for (Index y = range.y0; y <= range.y1; ++y) out.push_back({y, x});
    else
      for (Index y = range.y0; y <= range.y1; ++y)
        for (Index x = range.x0; x <= range.x1; ++x) out.push_back({y, x});
  }
  return out;
}

Table table_of(std::span<const Index> keys, std::span<const Index> values, Index slope) {
  Table out{values.front(), slope, {}};
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const Index by = values[k] - values[k - 1] - slope * (keys[k] - keys[k - 1]);
    if (by != 0) out.jumps.emplace_back(keys[k], by);
  }
  return out;
}

std::optional<Pattern> pattern_of(std::span<const Core> cores) {
  if (cores.empty()) return std::nullopt;
  Pattern out{cores[0], 1, cores.size() > 1 && cores[1].x == cores[0].x};
  const auto along = [&](const Core& core) { return out.by_column ? core.x : core.y; };
  while (out.width < static_cast<Index>(cores.size()) &&
         along(cores[static_cast<std::size_t>(out.width)]) == along(cores[0]))
    ++out.width;
  for (std::size_t k = 0; k < cores.size(); ++k) {
    const Index line = static_cast<Index>(k) / out.width, place = static_cast<Index>(k) % out.width;
    const Core want =
        out.by_column ? Core{out.first.y + place, out.first.x + line} : Core{out.first.y + line, out.first.x + place};
    if (cores[k] != want) return std::nullopt;
  }
  return out;
}

std::vector<Stage> to_cores(const Takers& takers) {
  const auto pattern = pattern_of(takers.cores);
  if (!pattern) return to_cores_by_table(takers);
  const Row line{0, {{0, 1}}}, place{0, {{1, 1}}};
  Row y = pattern->by_column ? place : line, x = pattern->by_column ? line : place;
  y.constant = pattern->first.y, x.constant = pattern->first.x;
  return {Split{0, {pattern->width, 1}}, Affine{{y, x, map::pick(2)}}};
}

std::vector<Stage> from_cores(const Takers& takers) {
  const auto pattern = pattern_of(takers.cores);
  if (!pattern) return from_cores_by_table(takers);
  const auto [y, x] = pattern->first;
  if (pattern->by_column) return {Affine{{Row{-x * pattern->width - y, {{0, 1}, {1, pattern->width}}}, map::pick(2)}}};
  return {Affine{{Row{-y * pattern->width - x, {{0, pattern->width}, {1, 1}}}, map::pick(2)}}};
}

}  // namespace vl::ttmetal
