#include "verifier/report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encodings/base/check.h"
#include "verifier/report/columns.h"

namespace vl::report {
namespace {

constexpr std::string_view kNothing = "·";

// The only coordinate in which the points differ; nothing if they differ in several.
std::optional<std::size_t> only_difference(const std::vector<Point>& points) {
  std::optional<std::size_t> only;
  for (const Point& point : points)
    for (std::size_t d = 0; d < point.size(); ++d) {
      if (point[d] == points.front()[d]) continue;
      if (only && *only != d) return std::nullopt;
      only = d;
    }
  return only;
}

bool counts_up(const std::vector<Point>& points, std::size_t dim) {
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i][dim] != points[i - 1][dim] + 1) return false;
  return true;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, columns_of(text)), ' ');
}

// The text of a cell, or of several joined cells, on a terminal.
struct Ink {
  std::string text;
  std::string_view colour;
};

Ink ink_of(const GridCell& cell, std::string text) {
  if (text.empty()) return {std::string(kNothing), "2"};
  if (cell.outside) text = "(" + text + ")";
  if (cell.marked) text = "<" + text + ">";
  if (cell.conflict) text += "!";
  return {std::move(text), cell.conflict ? "1;31" : cell.marked ? "7" : std::string_view{}};
}

bool joins(const GridCell& a, const GridCell& b) {
  return a.conflict == b.conflict && !a.marked && !b.marked && a.outside == b.outside &&
         a.text.empty() == b.text.empty();
}

// Cells [begin, end) of a row as one cell; nothing if they do not say the same.
std::optional<Ink> joined(const GridRow& row, std::size_t begin, std::size_t end) {
  const GridCell& first = row.cells[begin];
  if (end == begin + 1) return ink_of(first, first.text);
  std::vector<Point> all;
  for (std::size_t i = begin; i < end; ++i) {
    const GridCell& cell = row.cells[i];
    if (!joins(first, cell)) return std::nullopt;
    if (cell.holds.empty() && cell.text != first.text) return std::nullopt;
    for (const Point& point : cell.holds)
      if (all.empty() || all.back() != point) all.push_back(point);
  }
  if (all.empty()) return ink_of(first, first.text);
  const auto dim = only_difference(all);
  if (all.size() > 1 && (!dim || !counts_up(all, *dim))) return std::nullopt;
  return ink_of(first, spelled(all));
}

// Columns [begin, end) that are drawn as one.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Table {
  std::vector<std::string> heads;
  std::vector<std::vector<Ink>> rows;  // empty: a remark
  std::vector<std::size_t> widths;
};

bool is_empty(const Grid& grid, const Group& group) {
  return std::ranges::all_of(grid.rows, [&](const GridRow& row) {
    const std::size_t end = std::min(group.end, row.cells.size());
    for (std::size_t i = group.begin; i < end; ++i)
      if (!row.cells[i].text.empty()) return false;
    return true;
  });
}

// Groups of `by` columns each, and one group per run of empty columns.
std::vector<Group> groups_of(const Grid& grid, std::size_t by) {
  std::vector<Group> out;
  bool empty_before = false;
  for (std::size_t begin = 0; begin < grid.columns.size(); begin += by) {
    const Group group{begin, begin + by};
    const bool empty = grid.joining != Joining::No && is_empty(grid, group);
    if (empty && empty_before) out.back().end = group.end;
    else out.push_back(group);
    empty_before = empty;
  }
  return out;
}

bool is_same(const Grid& grid, std::size_t a, std::size_t b) {
  return std::ranges::all_of(grid.rows, [&](const GridRow& row) {
    return row.cells.empty() || (joins(row.cells[a], row.cells[b]) && row.cells[a].text == row.cells[b].text);
  });
}

std::vector<Group> same_columns(const Grid& grid) {
  std::vector<Group> out;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (!out.empty() && is_same(grid, out.back().begin, i)) out.back().end = i + 1;
    else out.push_back({i, i + 1});
  }
  return out;
}

std::optional<Table> table_of(const Grid& grid, const std::vector<Group>& groups) {
  Table table;
  for (const Group& group : groups) {
    const std::string& first = grid.columns[group.begin];
    table.heads.push_back(group.end == group.begin + 1 ? first
                                                       : fmt::format("{}..{}", first, grid.columns[group.end - 1]));
    table.widths.push_back(columns_of(table.heads.back()));
  }
  for (const GridRow& row : grid.rows) {
    auto& inks = table.rows.emplace_back();
    for (std::size_t g = 0; g < groups.size() && !row.cells.empty(); ++g) {
      auto ink = joined(row, groups[g].begin, groups[g].end);
      if (!ink) return std::nullopt;
      table.widths[g] = std::max(table.widths[g], columns_of(ink->text));
      inks.push_back(std::move(*ink));
    }
  }
  return table;
}

std::size_t width_of(const Table& table, std::size_t begin, std::size_t end) {
  std::size_t width = 0;
  for (std::size_t i = begin; i < end; ++i) width += table.widths[i] + (i == begin ? 0 : 1);
  return width;
}

// The finest table that fits; else the coarsest one.
Table fitted(const Grid& grid, std::size_t width) {
  if (grid.joining == Joining::Same) return *table_of(grid, same_columns(grid));
  Table best = *table_of(grid, groups_of(grid, 1));
  if (grid.joining == Joining::No) return best;
  const std::size_t columns = grid.columns.size();
  for (std::size_t by = 2; width_of(best, 0, best.widths.size()) > width && by <= columns && columns % by == 0;
       by *= 2) {
    auto table = table_of(grid, groups_of(grid, by));
    if (!table) break;
    best = std::move(*table);
  }
  return best;
}

// The beginnings of a table's bands, and its end: as few bands as fit, with about equal numbers of columns.
std::vector<std::size_t> bands_of(const Table& table, std::size_t room) {
  const std::size_t columns = table.heads.size();
  std::vector<std::size_t> greedy{0};
  for (std::size_t i = 0; i < columns; ++i)
    if (i > greedy.back() && width_of(table, greedy.back(), i + 1) > room) greedy.push_back(i);
  const std::size_t each = (columns + greedy.size() - 1) / greedy.size();
  std::vector<std::size_t> even;
  bool fits = true;
  for (std::size_t i = 0; i < columns; i += each) {
    fits = fits && width_of(table, i, std::min(i + each, columns)) <= room;
    even.push_back(i);
  }
  std::vector<std::size_t>& out = fits ? even : greedy;
  out.push_back(columns);
  return out;
}

void write_band(const Grid& grid, const Table& table, std::size_t begin, std::size_t end, std::size_t prefix,
                const GridStyle& style, std::string& out) {
  std::string head = padded(grid.corner, prefix);
  for (std::size_t i = begin; i < end; ++i) head += padded(table.heads[i], table.widths[i]) + " ";
  out += trimmed(std::move(head));
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    if (grid.rows[r].cells.empty()) {
      out += trimmed(grid.rows[r].header);
      continue;
    }
    std::string line = padded(grid.rows[r].header, prefix);
    for (std::size_t i = begin; i < end; ++i) {
      const Ink& ink = table.rows[r][i];
      const bool paint = style.colour && !ink.colour.empty();
      const std::string blanks(table.widths[i] - std::min(table.widths[i], columns_of(ink.text)), ' ');
      line += (paint ? fmt::format("\x1b[{}m{}\x1b[0m", ink.colour, ink.text) : ink.text) + blanks + " ";
    }
    out += trimmed(std::move(line));
  }
}

}  // namespace

std::string spelled(const std::vector<Point>& points) {
  if (points.empty()) return "";
  if (points.size() == 1) return coordinates(points.front());
  if (const auto dim = only_difference(points)) {
    std::string values;
    if (counts_up(points, *dim)) {
      values = fmt::format("{}..{}", points.front()[*dim], points.back()[*dim]);
    } else {
      for (std::size_t i = 0; i < std::min(points.size(), kMostNamed); ++i)
        values += fmt::format("{}{}", i == 0 ? "{" : ",", points[i][*dim]);
      values += points.size() > kMostNamed ? fmt::format(",+{}}}", points.size() - kMostNamed) : "}";
    }
    std::string out;
    for (std::size_t d = 0; d < points.front().size(); ++d)
      out += fmt::format("{}{}", d == 0 ? "" : ",", d == *dim ? values : fmt::format("{}", points.front()[d]));
    return out;
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(points.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : "|") + coordinates(points[i]);
  if (points.size() > kMostNamed) out += fmt::format("|+{}", points.size() - kMostNamed);
  return out;
}

std::string spelled_list(const std::vector<Index>& values) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    end = begin + 1;
    while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
    if (!out.empty()) out += ",";
    out += end == begin + 1 ? fmt::format("{}", values[begin]) : fmt::format("{}..{}", values[begin], values[end - 1]);
  }
  return out;
}

std::string grid_to_text(const Grid& grid, const GridStyle& style) {
  for (const GridRow& row : grid.rows)
    VL_CHECK(row.cells.empty() || row.cells.size() == grid.columns.size(),
             "a row with another number of cells than columns");
  std::size_t prefix = columns_of(grid.corner);
  for (const GridRow& row : grid.rows)
    if (!row.cells.empty()) prefix = std::max(prefix, columns_of(row.header));
  prefix += 2;
  const std::size_t room = style.width > prefix ? style.width - prefix : 1;
  const Table table = fitted(grid, room);
  std::string out = fmt::format("{} grid, a cell says: {}\n", grid.name, grid.says);
  if (!grid.left_out.empty()) out += fmt::format("{}\n", grid.left_out);
  const std::vector<std::size_t> bands = bands_of(table, room);
  for (std::size_t i = 0; i + 1 < bands.size(); ++i) {
    if (i > 0) out += "\n";
    write_band(grid, table, bands[i], bands[i + 1], prefix, style, out);
  }
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> out;
  while (text.size() > width) {
    std::size_t cut = text.find_last_of(" ,", width - 1);
    cut = cut == std::string_view::npos || cut < width / 2 ? width : cut + 1;
    while (cut > 1 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
    out.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  out.emplace_back(text);
  return out;
}

}  // namespace vl::report
