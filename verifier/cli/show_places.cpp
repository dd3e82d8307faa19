// The elements that a picture draws, and their places: found by evaluating the map on each, never by decoding a slot.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/cli/show.h"

namespace vl::cli {
namespace {

constexpr Index kMostDrawnReplicas = 64;  // of one element

Index row_of(const Window& window, const Point& element) {
  if (window.folded) return element[0] / kFold;
  return element.empty() ? 0 : window.leading.linear(std::span(element).first(element.size() - 1));
}

Index column_of(const Window& window, const Point& element) {
  return element.empty() ? 0 : window.folded ? element[0] % kFold : element.back();
}

}  // namespace

Window window_of(const map::Space& logical, const std::vector<Point>& wanted, Index most) {
  Window window;
  window.rank = logical.rank();
  if (logical.volume() == 0) return window;
  window.all_rows = window.columns = 1;
  if (window.rank > 0) {
    window.last_extent = logical.extent(window.rank - 1);
    window.folded = window.rank == 1 && window.last_extent > kMostColumns;
    window.leading = *map::Space::create({logical.dims().begin(), logical.dims().end() - 1});
    window.all_rows = window.folded ? ceil_div(window.last_extent, kFold) : window.leading.volume();
    window.columns = window.folded ? kFold : std::min(window.last_extent, kMostColumns);
  }
  std::set<Index> rows;
  const auto add = [&](Index row) {
    if (static_cast<Index>(rows.size()) < most && row < window.all_rows) rows.insert(row);
  };
  for (const Point& element : wanted) add(row_of(window, element));
  for (Index row = 0; static_cast<Index>(rows.size()) < std::min(most, window.all_rows); ++row) add(row);
  window.rows.clear();
  for (const Index row : rows) window.rows.push_back(row);
  if (!wanted.empty() && !window.folded) {
    const Index column = column_of(window, wanted.front());
    if (column >= window.columns)
      window.first_column = std::min(column / kMostColumns * kMostColumns, window.last_extent - window.columns);
  }
  return window;
}

std::optional<Point> element_at(const Window& window, Index row, Index column) {
  if (window.rank == 0) return Point{};
  if (window.folded)
    return row * kFold + column < window.last_extent ? std::optional(Point{row * kFold + column}) : std::nullopt;
  Point element = window.leading.point(row);
  element.push_back(column);
  return element;
}

void leave_out(report::Grid& grid, Index count, std::string_view noun) {
  if (count > 0) grid.rows.push_back({fmt::format("… {}", report::plural(count, noun)), {}});
}

report::Grid logical_grid(const Window& window, const std::function<report::GridCell(const Point&)>& cell) {
  report::Grid grid;
  grid.name = "logical";
  grid.in_text = false;
  for (Index column = 0; column < window.columns; ++column)
    grid.columns.push_back(fmt::format("{}", window.first_column + column));
  if (!window.folded && window.columns < window.last_extent && window.rank > 0)
    grid.left_out = fmt::format("columns {}..{} of {}", window.first_column, window.first_column + window.columns - 1,
                                window.last_extent);
  if (window.folded) grid.corner = "from";
  for (std::size_t d = 0; d + 1 < window.rank; ++d) grid.corner += fmt::format("{}x{}", d == 0 ? "" : ",", d);
  Index next = 0;
  for (const Index row : window.rows) {
    leave_out(grid, row - next, "row");
    next = row + 1;
    report::GridRow& line = grid.rows.emplace_back();
    if (window.folded) line.header = fmt::format("{}", row * kFold);
    else if (window.rank > 1) line.header = fmt::format("{}", fmt::join(window.leading.point(row), ","));
    for (Index column = 0; column < window.columns; ++column) {
      const auto element = element_at(window, row, window.first_column + column);
      line.cells.push_back(element ? cell(*element) : report::GridCell{});
    }
  }
  leave_out(grid, window.all_rows - next, "row");
  return grid;
}

std::vector<Place> places_of(const map::Layout& layout, const Point& element) {
  std::vector<Place> out;
  Point replica(layout.replicas().rank(), 0);
  for (Index left = std::min(layout.replicas().volume(), kMostDrawnReplicas); left > 0;
       --left, map::advance(layout.replicas(), replica)) {
    Point outputs = map::outputs_at(layout, element, replica);
    const std::size_t rank = layout.physical().rank();
    if (std::ranges::any_of(std::span(outputs).subspan(rank), [](Index guard) { return guard != 0; })) continue;
    const bool inside = layout.is_slot(outputs);
    outputs.resize(rank);
    if (std::ranges::find(out, outputs, &Place::at) == out.end()) out.push_back({std::move(outputs), inside});
  }
  return out;
}

Placing place(const map::Layout& layout, const Window& window, std::vector<std::string>& notes) {
  Placing out;
  const auto add = [&](const Point& element) {
    for (Place& at : places_of(layout, element)) out.placed.push_back({element, std::move(at)});
  };
  const map::Space& logical = layout.logical();
  const Index replicas = layout.replicas().volume();
  if (replicas > kMostDrawnReplicas)
    notes.push_back(fmt::format("{} of {} replicas are drawn", kMostDrawnReplicas, replicas));
  const auto volume = checked_mul(logical.volume(), std::min(replicas, kMostDrawnReplicas));
  if (volume && *volume <= kMostPlaced) {
    Point element(logical.rank(), 0);
    for (Index left = logical.volume(); left > 0; --left, map::advance(logical, element)) add(element);
    return out;
  }
  out.whole = false;
  for (const Index row : window.rows)
    for (Index column = 0; column < window.columns; ++column)
      if (const auto element = element_at(window, row, window.first_column + column)) add(*element);
  notes.push_back(
      fmt::format("only {} of {} elements are placed, those of the logical grid: other places may hold elements too",
                  static_cast<Index>(window.rows.size()) * window.columns, logical.volume()));
  return out;
}

bool is_banked(const map::Layout& layout) {
  return layout.physical().rank() == 1 && map::memory_axis(layout).has_value();
}

}  // namespace vl::cli
