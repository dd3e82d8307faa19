#include "verifier/report/html.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "verifier/report/svg.h"

namespace vl::report {
namespace {

constexpr const char* kStyle =
    "body{font-family:system-ui,sans-serif;margin:1.5em;color:#1a1a1a;background:#fff}"
    "h1{font:bold 1.1em monospace;overflow-wrap:anywhere}"
    "figure{margin:1em 0;overflow-x:auto}"
    "table{border-collapse:collapse;font:0.8em monospace;margin:0.5em 0 1.5em}"
    "caption{text-align:left;font-weight:bold}"
    "th,td{border:1px solid #ccc;padding:0.1em 0.4em;text-align:center}"
    "th{background:#f4f4f4}"
    "td.conflict{border:2px solid #d00000;font-weight:bold}";

pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text) {
  pugi::xml_node node = parent.append_child(name);
  node.append_child(pugi::node_pcdata).set_value(text.empty() ? " " : xml_text(text).c_str());
  return node;
}

std::string in_table(const GridCell& cell) {
  std::string text = cell.text.empty() ? "·" : cell.text;
  if (cell.outside) text += " (outside)";
  if (!cell.lanes.empty()) text += " lanes " + spelled_list(cell.lanes);
  if (cell.conflict) text += " !";
  return text;
}

void add_table(pugi::xml_node parent, const Grid& grid) {
  pugi::xml_node table = parent.append_child("table");
  std::string caption = fmt::format("{} grid, a cell says: {}", grid.name, grid.says);
  if (!grid.left_out.empty()) caption += "; " + grid.left_out;
  add(table, "caption", caption);
  pugi::xml_node head = table.append_child("thead").append_child("tr");
  add(head, "th", grid.corner);
  for (const std::string& column : grid.columns) add(head, "th", column).append_attribute("scope") = "col";
  pugi::xml_node body = table.append_child("tbody");
  std::size_t cells = 0;
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const GridRow& row = grid.rows[r];
    pugi::xml_node line = body.append_child("tr");
    cells += row.cells.size();
    if (row.cells.empty() || cells > kMostCellsInSvg) {
      const bool cut = !row.cells.empty();
      pugi::xml_node remark =
          add(line, "td", cut ? fmt::format("… {} more rows are left out", grid.rows.size() - r) : row.header);
      remark.append_attribute("colspan") = static_cast<unsigned>(grid.columns.size() + 1);
      if (cut) return;
      continue;
    }
    add(line, "th", row.header).append_attribute("scope") = "row";
    for (const GridCell& cell : row.cells) {
      pugi::xml_node data = add(line, "td", in_table(cell));
      if (cell.conflict) data.append_attribute("class") = "conflict";
      if (!cell.title.empty()) data.append_attribute("title") = xml_text(cell.title).c_str();
    }
  }
}

}  // namespace

std::string figure_to_html(const Figure& figure) {
  pugi::xml_document document;
  pugi::xml_node html = document.append_child("html");
  html.append_attribute("lang") = "en";
  pugi::xml_node head = html.append_child("head");
  head.append_child("meta").append_attribute("charset") = "utf-8";
  add(head, "title", fmt::format("{} on {}", figure.layout, figure.tensor));
  add(head, "style", kStyle);
  pugi::xml_node body = html.append_child("body");
  add(body, "h1", figure.layout);
  add(body, "p", fmt::format("on {}; {}", figure.tensor, figure.space));
  append_svg(body.append_child("figure"), figure);
  if (!figure.notes.empty()) {
    pugi::xml_node notes = body.append_child("ul");
    for (const std::string& note : figure.notes) add(notes, "li", note);
  }
  pugi::xml_node tables = body.append_child("details");
  add(tables, "summary", "The grids as tables");
  for (const Grid& grid : figure.grids) add_table(tables, grid);
  std::ostringstream out;
  document.save(out, " ", pugi::format_raw | pugi::format_no_declaration);
  return "<!DOCTYPE html>\n" + std::move(out).str() + "\n";
}

}  // namespace vl::report
