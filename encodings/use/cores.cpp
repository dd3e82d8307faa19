#include "encodings/use/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "encodings/use/family.h"

namespace vl::use {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;

constexpr Index kMostOfASet = 65536;

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

bool goes_by_column(std::span<const Core> cores) { return cores.size() > 1 && cores[1].x == cores[0].x; }

std::vector<Stage> to_cores_by_table(std::span<const Core> cores) {
  const std::vector<Index> keys = numbers(cores.size());
  const bool by_column = goes_by_column(cores);
  const Table y = table_of(keys, coordinates(cores, &Core::y), by_column ? 1 : 0);
  const Table x = table_of(keys, coordinates(cores, &Core::x), by_column ? 0 : 1);
  std::vector<std::pair<Index, Index>> all = y.jumps;
  all.insert(all.end(), x.jumps.begin(), x.jumps.end());
  std::vector<Stage> out;
  add_indicators(out, 2, all, std::max<Index>(static_cast<Index>(cores.size()), 1), map::pick(0));
  out.emplace_back(Affine{{row_of(y, 0, 2), row_of(x, 0, 2 + 2 * y.jumps.size()), map::pick(1)}});
  return out;
}

std::vector<Stage> from_cores_by_table(std::span<const Core> cores) {
  const auto [rows, columns] = box_of(cores);
  std::vector<std::pair<Index, Index>> order;  // (place in the box, number)
  for (std::size_t k = 0; k < cores.size(); ++k)
    order.emplace_back(cores[k].y * columns + cores[k].x, static_cast<Index>(k));
  std::ranges::sort(order);
  order.erase(std::unique(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              order.end());
  std::vector<Index> keys, values;
  for (const auto& [key, value] : order) keys.push_back(key), values.push_back(value);
  Table table = table_of(keys, values, goes_by_column(cores) ? 0 : 1);
  // The table begins at its first key.
  table.start -= table.slope * keys.front();
  std::vector<Stage> out;
  // (y, x, m) -> (key, m)
  out.emplace_back(Affine{{Row{0, {{0, columns}, {1, 1}}}, map::pick(2)}});
  add_indicators(out, 2, table.jumps, rows * columns, map::pick(0));
  out.emplace_back(Affine{{row_of(table, 0, 2), map::pick(1)}});
  return out;
}

}  // namespace

Result<std::vector<Core>> cores_of(std::span<const CoreRange> grid, bool by_column) {
  std::vector<Core> out;
  for (const CoreRange& range : grid) {
    const auto count = checked_mul(range.x1 - range.x0, range.y1 - range.y0);
    if (!count || range.x1 >= kMostOfASet || range.y1 >= kMostOfASet ||
        (range.x1 - range.x0 + 1) * (range.y1 - range.y0 + 1) > kMostOfASet - static_cast<Index>(out.size()))
      return Error{ErrorCode::Value, fmt::format("a set of cores has at most {} of them", kMostOfASet)};
    if (by_column)
      for (Index x = range.x0; x <= range.x1; ++x)
        for (Index y = range.y0; y <= range.y1; ++y) out.push_back({y, x});
    else
      for (Index y = range.y0; y <= range.y1; ++y)
        for (Index x = range.x0; x <= range.x1; ++x) out.push_back({y, x});
  }
  return out;
}

CoreBox box_of(std::span<const Core> cores) {
  CoreBox out;
  for (const Core& core : cores) {
    out.rows = std::max(out.rows, core.y + 1);
    out.columns = std::max(out.columns, core.x + 1);
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

std::vector<Stage> to_cores(std::span<const Core> cores) {
  const auto pattern = pattern_of(cores);
  if (!pattern) return to_cores_by_table(cores);
  const Row line{0, {{0, 1}}}, place{0, {{1, 1}}};
  Row y = pattern->by_column ? place : line, x = pattern->by_column ? line : place;
  y.constant = pattern->first.y, x.constant = pattern->first.x;
  return {Split{0, {pattern->width, 1}}, Affine{{y, x, map::pick(2)}}};
}

std::vector<Stage> from_cores(std::span<const Core> cores) {
  const auto pattern = pattern_of(cores);
  if (!pattern) return from_cores_by_table(cores);
  const auto [y, x] = pattern->first;
  if (pattern->by_column) return {Affine{{Row{-x * pattern->width - y, {{0, 1}, {1, pattern->width}}}, map::pick(2)}}};
  return {Affine{{Row{-y * pattern->width - x, {{0, pattern->width}, {1, 1}}}, map::pick(2)}}};
}

Result<map::Layout> on_chips(const map::Layout& own, const ChipPlaces& chips) {
  const std::vector<map::Range>& ends = own.map().ranges(own.map().stages().size());
  for (std::size_t j = 0; j < own.physical().rank(); ++j)
    if (ends[j].low < 0 || ends[j].high >= own.physical().extent(j))
      return Error{ErrorCode::Value,
                   "an element may lie beyond the grid's cores or the end of a shard, where no core's memory is", 0};
  map::LayoutParts parts = map::parts_in(own, *chips.box);
  parts.map.insert(parts.map.end(), chips.stages.begin(), chips.stages.end());
  if (!chips.back.empty() && own.decode()) {
    parts.decode = chips.back;
    parts.decode->insert(parts.decode->end(), own.decode()->stages().begin(), own.decode()->stages().end());
    parts.decode_guards = own.decode()->outputs() - own.domain().rank();
  }
  return map::Layout::create(std::move(parts));
}

std::string rows_apart(const Reading& a, const Reading& b) {
  if (!a.layout()->named_axes() || !b.layout()->named_axes()) return {};
  if (a.device_bits > 0 && b.device_bits > 0 && a.device_bits != b.device_bits)
    return fmt::format("places are counted in elements, which have {} bits in the first layout and {} in the second",
                       a.device_bits, b.device_bits);
  if (a.unsized.empty() && b.unsized.empty()) return {};
  if (a.unsized.empty() == b.unsized.empty())
    return a.page == b.page ? ""
                            : fmt::format(
                                  "the rows of the layouts are pages of {} and of {} elements, and where each "
                                  "begins is not known: {}",
                                  a.page, b.page, a.unsized);
  return fmt::format(
      "where the rows of the {} layout begin is not known: {}; those of the other one follow one another",
      a.unsized.empty() ? "second" : "first", a.unsized.empty() ? b.unsized : a.unsized);
}

Result<InCommon> in_common(const Reading& a, const Reading& b) {
  InCommon out;
  if (!a.chips.alike.empty() && a.chips.alike == b.chips.alike) return out;
  for (const auto& [reading, which, into] : {std::tuple(&a, "first", &out.a), std::tuple(&b, "second", &out.b)}) {
    const ChipPlaces& chips = reading->chips;
    const auto no = [&, name = which](const std::string& why) {
      return Error{ErrorCode::Value,
                   fmt::format("where the cores of the {} layout are on the chip is not known: {}", name, why), 0};
    };
    if (!chips.nowhere.empty()) return no(chips.nowhere);
    if (!chips.box) continue;
    auto made = on_chips(*reading->layout(), chips);
    if (!made) return no(made.error().message);
    *into = std::move(*made);
  }
  return out;
}

}  // namespace vl::use
