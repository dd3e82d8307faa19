// Named axes: the threads that own an element (warp, lane, register), and the elements that each of them holds. The
// columns of the physical grid are the axis that changes with the tensor's last dimension; the other axes are its rows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/map/text.h"
#include "verifier/cli/show.h"

namespace vl::cli {
namespace {

std::size_t column_axis(const map::Layout& layout) {
  const std::size_t rank = layout.physical().rank();
  Point element(layout.logical().rank(), 0);
  if (element.empty() || layout.logical().volume() == 0 || layout.logical().dims().back().extent < 2) return rank - 1;
  const Point replica(layout.replicas().rank(), 0);
  const Point from = map::outputs_at(layout, element, replica);
  for (Index step = 1; step < std::min<Index>(layout.logical().dims().back().extent, 64); ++step) {
    element.back() = step;
    const Point to = map::outputs_at(layout, element, replica);
    for (std::size_t axis = rank; axis-- > 0;)
      if (from[axis] != to[axis]) return axis;
  }
  return rank - 1;
}

// The colours: the values of the axis with the most values, apart from the column's.
struct Colours {
  std::size_t axis = 0;
  std::map<Index, std::size_t> of;
  std::vector<std::string> names;
};

Colours colours_of(const std::vector<Placed>& placed, std::size_t rank, std::size_t column) {
  Colours out;
  std::set<Index> most;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis == column && rank > 1) continue;
    std::set<Index> values;
    for (const Placed& each : placed) values.insert(each.place.at[axis]);
    if (values.size() <= most.size()) continue;
    most = std::move(values);
    out.axis = axis;
  }
  const std::size_t by = std::max<std::size_t>((most.size() + kMostColours - 1) / kMostColours, 1);
  std::size_t number = 0;
  for (const Index value : most) {
    if (number % by == 0) out.names.push_back(fmt::format("{}", value));
    else if (number % by == by - 1 || number + 1 == most.size())
      out.names.back() = fmt::format("{}..{}", out.names.back(), value);
    out.of[value] = number++ / by;
  }
  return out;
}

// A place in the physical grid: the row's key and the column.
struct Spot {
  Point row;
  Index column = 0;
};

Spot spot_of(const Point& at, std::size_t column, bool folded) {
  if (folded) return {{floor_div(at[0], kFold)}, floor_mod(at[0], kFold)};
  Spot spot{at, at[column]};
  spot.row.erase(spot.row.begin() + static_cast<std::ptrdiff_t>(column));
  return spot;
}

std::string in_words(const map::Space& space, const Point& at) {
  std::string out;
  for (std::size_t d = 0; d < at.size(); ++d)
    out += fmt::format("{}{} {}", d == 0 ? "" : ", ", space.dims()[d].name, at[d]);
  return out;
}

std::string names_of(const map::Space& space, std::optional<std::size_t> without) {
  std::string out;
  for (std::size_t d = 0; d < space.rank(); ++d)
    if (d != without) out += (out.empty() ? "" : ",") + space.dims()[d].name;
  return out;
}

report::GridCell owners_of(const map::Layout& layout, const Point& element, const Colours& colours) {
  report::GridCell cell;
  cell.title = report::spelled({element}) + ":";
  for (const Place& place : places_of(layout, element)) {
    cell.holds.push_back(place.at);
    if (!place.inside) cell.outside = true;
    if (cell.holds.size() <= kMostShown)
      cell.title += (cell.holds.size() == 1 ? " " : " and ") + in_words(layout.physical(), place.at);
    if (const auto found = colours.of.find(place.at[colours.axis]); !cell.colour && found != colours.of.end())
      cell.colour = found->second;
  }
  if (cell.outside) cell.title += ", outside the box";
  cell.text = report::spelled(cell.holds);
  return cell;
}

// The places of the physical grid, by row and column.
struct Table {
  std::map<Point, std::map<Index, report::GridCell>> rows;
  std::set<Point> chosen;  // the drawn rows: those with the mark, then the first ones
  Index low = 0;           // of the column axis
  Index high = 0;
};

Table table_of(const Shown& shown, const std::vector<Placed>& placed, const Colours& colours, std::size_t column,
               bool folded) {
  Table table;
  table.high = folded ? kFold - 1 : 0;
  for (const Placed& each : placed) {
    const Spot spot = spot_of(each.place.at, column, folded);
    table.low = std::min(table.low, spot.column);
    table.high = std::max(table.high, spot.column);
    report::GridCell& cell = table.rows[spot.row][spot.column];
    if (cell.holds.empty()) cell.title = in_words(shown.layout.physical(), each.place.at) + ":";
    if (cell.holds.empty() || cell.holds.back() != each.element) cell.holds.push_back(each.element);
    cell.outside |= !each.place.inside;
    if (const auto found = colours.of.find(each.place.at[colours.axis]); found != colours.of.end())
      cell.colour = found->second;
    if (shown.mark != each.element) continue;
    cell.marked = true;
    if (static_cast<Index>(table.chosen.size()) < shown.most) table.chosen.insert(spot.row);
  }
  for (auto it = table.rows.begin(); it != table.rows.end() && static_cast<Index>(table.chosen.size()) < shown.most;
       ++it)
    table.chosen.insert(it->first);
  return table;
}

report::Grid physical_grid(const map::Space& physical, const Table& table, std::size_t column, bool folded) {
  const Index span = table.high - table.low;
  const Index columns = std::min(span, kMostColumns - 1) + 1;
  const std::string& across = physical.dims()[column].name;
  report::Grid grid;
  grid.name = "physical";
  grid.says = physical.rank() > 1 ? fmt::format("element ({} across)", across) : "element";
  grid.in_text = false;
  grid.corner = folded ? across + " from" : names_of(physical, column);
  if (columns <= span)
    grid.left_out =
        fmt::format("{} {}..{} of {}..{}", across, table.low, table.low + columns - 1, table.low, table.high);
  for (Index c = 0; c < columns; ++c) grid.columns.push_back(fmt::format("{}", table.low + c));
  for (const Point& key : table.chosen) {
    report::GridRow& row = grid.rows.emplace_back();
    row.header = folded ? fmt::format("{}", key[0] * kFold) : fmt::format("{}", fmt::join(key, ","));
    const auto& cells = table.rows.at(key);
    for (Index c = 0; c < columns; ++c) {
      const auto found = cells.find(table.low + c);
      report::GridCell& cell = row.cells.emplace_back(found == cells.end() ? report::GridCell{} : found->second);
      cell.text = report::spelled(cell.holds);
      if (!cell.text.empty()) cell.title += " " + cell.text + (cell.outside ? ", outside the box" : "");
    }
  }
  leave_out(grid, static_cast<Index>(table.rows.size() - table.chosen.size()), "row");
  return grid;
}

}  // namespace

report::Figure axes_figure(const Shown& shown) {
  const map::Layout& layout = shown.layout;
  const map::Space& physical = layout.physical();
  report::Figure figure{shown.subject.reading.normal,
                        map::print(shown.subject.tensor),
                        map::print(physical),
                        {},
                        {},
                        {},
                        {},
                        shown.notes};
  const Window window =
      window_of(layout.logical(), shown.mark ? std::vector<Point>{*shown.mark} : std::vector<Point>{}, shown.most);
  const std::vector<Placed> placed = place(layout, window, figure.notes).placed;
  const std::size_t column = column_axis(layout);
  const bool folded = physical.rank() == 1 && physical.extent(0) > kMostColumns;
  const Colours colours = colours_of(placed, physical.rank(), column);
  figure.colour_of = physical.dims()[colours.axis].name;
  figure.colours = colours.names;

  report::Grid logical = logical_grid(window, [&](const Point& element) {
    report::GridCell cell = owners_of(layout, element, colours);
    cell.marked = shown.mark == element;
    return cell;
  });
  logical.says = names_of(physical, std::nullopt);
  logical.in_text = true;
  figure.grids.push_back(std::move(logical));
  figure.grids.push_back(physical_grid(physical, table_of(shown, placed, colours, column, folded), column, folded));
  return figure;
}

}  // namespace vl::cli
