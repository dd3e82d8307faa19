#include "verifier/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "verifier/report/columns.h"
#include "verifier/report/palette.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

constexpr int kFont = 11;
constexpr double kAdvance = 6.8;  // of one character of the widest usual monospaced fonts at that size
constexpr int kCellHeight = 20;
constexpr int kLine = 16;
constexpr int kMargin = 16;
constexpr int kGap = 40;  // between grids
constexpr int kLeastWidth = 560;
constexpr int kWidest = 2600;  // of grids beside each other; wider ones stand below each other
constexpr std::size_t kLongestText = 20;
constexpr std::size_t kLegendColumns = 16;
constexpr std::string_view kConflict = "#d00000";
constexpr std::string_view kInk = "#1a1a1a";

int text_width(std::size_t characters) { return static_cast<int>(static_cast<double>(characters) * kAdvance) + 1; }

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = xml_text(value).c_str();
}
void set(pugi::xml_node node, const char* name, int value) { node.append_attribute(name) = value; }

pugi::xml_node add_rect(pugi::xml_node parent, int x, int y, int width, int height, std::string_view fill) {
  pugi::xml_node rect = parent.append_child("rect");
  set(rect, "x", x);
  set(rect, "y", y);
  set(rect, "width", width);
  set(rect, "height", height);
  set(rect, "fill", fill);
  return rect;
}

struct SvgTextStyle {
  std::string_view anchor = "start";
  std::string_view fill = kInk;
  bool bold = false;
};

void add_text(pugi::xml_node parent, int x, int y, std::string_view text, const SvgTextStyle& style = {}) {
  pugi::xml_node node = parent.append_child("text");
  set(node, "x", x);
  set(node, "y", y);
  if (style.anchor != "start") set(node, "text-anchor", style.anchor);
  if (style.fill != kInk) set(node, "fill", style.fill);
  if (style.bold) set(node, "font-weight", "bold");
  node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
}

std::string clipped(const std::string& text, std::size_t most) {
  if (columns_of(text) <= most) return text;
  std::string out;
  std::size_t columns = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (!continues && ++columns == most) break;
    out += c;
  }
  return out + "…";
}

std::string written(const GridCell& cell) {
  if (cell.text.empty()) return "";
  const std::string text = clipped(cell.text, kLongestText) + (cell.conflict ? "!" : "");
  return cell.outside ? "(" + text + ")" : text;
}

// The places of a grid's parts, relative to its corner.
struct Frame {
  int header = 0;  // width of the row headers
  int cell = 0;    // width of a cell
  int width = 0;
  int height = 0;
  std::size_t rows = 0;  // the drawn rows
  int above = 0;         // height of the headers above the cells
};

Frame frame_of(const Grid& grid, std::size_t most_cells) {
  Frame frame;
  std::size_t characters = 1;
  std::size_t header = columns_of(grid.corner);
  std::size_t remark = 0;
  for (const std::string& column : grid.columns) characters = std::max(characters, columns_of(column));
  std::size_t cells = 0;
  for (const GridRow& row : grid.rows) {
    if (cells + row.cells.size() > most_cells) break;
    cells += row.cells.size();
    ++frame.rows;
    auto& widest = row.cells.empty() ? remark : header;
    widest = std::max(widest, columns_of(row.header));
    for (const GridCell& cell : row.cells) characters = std::max(characters, columns_of(written(cell)));
  }
  frame.header = text_width(header) + 8;
  frame.cell = std::max(text_width(characters) + 8, 24);
  frame.above = kLine + (grid.left_out.empty() ? 0 : kLine) + kCellHeight + 4;
  const std::size_t words =
      std::max({remark, columns_of(grid.name) + columns_of(grid.says) + 24, columns_of(grid.left_out)});
  frame.width = std::max(frame.header + frame.cell * static_cast<int>(grid.columns.size()), text_width(words));
  const bool cut = frame.rows < grid.rows.size();
  frame.height = frame.above + kCellHeight * static_cast<int>(frame.rows + (cut ? 1 : 0));
  return frame;
}

Rgb ground_of(const GridCell& cell, const Figure& figure) {
  if (!cell.colour || *cell.colour >= figure.colours.size())
    return cell.text.empty() ? Rgb{244, 244, 244} : Rgb{255, 255, 255};
  const Rgb colour = palette(*cell.colour, figure.colours.size());
  return figure.access && cell.lanes.empty() ? faded(colour) : colour;
}

void add_cell(pugi::xml_node parent, const GridCell& cell, const Figure& figure, int x, int y, int width) {
  pugi::xml_node group = parent.append_child("g");
  set(group, "class", cell.conflict ? "cell conflict" : "cell");
  if (!cell.title.empty())
    group.append_child("title").append_child(pugi::node_pcdata).set_value(xml_text(cell.title).c_str());
  const Rgb ground = ground_of(cell, figure);
  const bool framed = cell.conflict || cell.marked || !cell.lanes.empty();
  const int inset = cell.conflict || cell.marked ? 2 : framed ? 1 : 0;
  pugi::xml_node rect = add_rect(group, x + inset, y + inset, width - 2 * inset, kCellHeight - 2 * inset, hex(ground));
  set(rect, "stroke", cell.conflict ? kConflict : framed || cell.outside ? "#000000" : "#cfcfcf");
  set(rect, "stroke-width", cell.conflict || cell.marked ? 3 : framed ? 2 : 1);
  if (cell.outside) set(rect, "stroke-dasharray", "3,2");
  const std::string text = written(cell);
  if (text.empty()) return;
  add_text(group, x + width / 2, y + 14, text, {"middle", text_on(ground).red == 0 ? kInk : "#ffffff", cell.conflict});
}

void add_grid(pugi::xml_node parent, const Grid& grid, const Frame& frame, const Figure& figure, int x, int y) {
  pugi::xml_node group = parent.append_child("g");
  set(group, "class", "grid");
  add_text(group, x, y + 12, fmt::format("{} grid, a cell says: {}", grid.name, grid.says), {"start", kInk, true});
  if (!grid.left_out.empty()) add_text(group, x, y + 12 + kLine, grid.left_out, {"start", "#555555"});
  const int heads = y + frame.above - 6;
  const int left = x + frame.header;
  add_text(group, left - 6, heads, grid.corner, {"end", "#555555"});
  for (std::size_t c = 0; c < grid.columns.size(); ++c)
    add_text(group, left + frame.cell * static_cast<int>(c) + frame.cell / 2, heads, grid.columns[c],
             {"middle", "#555555"});
  int top = y + frame.above;
  for (std::size_t r = 0; r < frame.rows; ++r, top += kCellHeight) {
    const GridRow& row = grid.rows[r];
    if (row.cells.empty()) {
      add_text(group, x, top + 14, row.header, {"start", "#555555"});
      continue;
    }
    add_text(group, left - 6, top + 14, row.header, {"end", "#555555"});
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      add_cell(group, row.cells[c], figure, left + frame.cell * static_cast<int>(c), top, frame.cell);
  }
  if (frame.rows < grid.rows.size())
    add_text(group, x, top + 14,
             fmt::format("… {} left out", plural(static_cast<Index>(grid.rows.size() - frame.rows), "row")),
             {"start", "#555555"});
}

// Draws the colours with their names; returns the height used.
int add_legend(pugi::xml_node parent, const Figure& figure, int x, int y, int width) {
  if (figure.colours.empty()) return 0;
  pugi::xml_node group = parent.append_child("g");
  set(group, "class", "legend");
  add_text(group, x, y + 12, fmt::format("colour: {}", figure.colour_of), {"start", kInk, true});
  std::size_t characters = 1;
  for (const std::string& name : figure.colours) characters = std::max(characters, columns_of(name));
  const int cell = text_width(std::min(characters, kLongestText)) + 10;
  const auto fit = static_cast<std::size_t>(std::max(1, width / cell));
  const std::size_t columns = std::min(fit, kLegendColumns);
  for (std::size_t i = 0; i < figure.colours.size(); ++i) {
    const Rgb ground = palette(i, figure.colours.size());
    const int left = x + cell * static_cast<int>(i % columns);
    const int top = y + kLine + 4 + kCellHeight * static_cast<int>(i / columns);
    set(add_rect(group, left, top, cell, kCellHeight, hex(ground)), "stroke", "#ffffff");
    add_text(group, left + cell / 2, top + 14, clipped(figure.colours[i], kLongestText),
             {"middle", text_on(ground).red == 0 ? kInk : "#ffffff"});
  }
  const std::size_t rows = (figure.colours.size() + columns - 1) / columns;
  return kLine + 4 + kCellHeight * static_cast<int>(rows) + kLine;
}

std::vector<std::string> below(const Figure& figure) {
  std::vector<std::string> lines;
  if (figure.access) {
    lines = lines_of(*figure.access);
    lines.emplace_back(
        "red frame and !: lanes of one phase need different words of that bank; black frame: touched; pale: not "
        "touched");
  }
  const auto is_outside = [](const GridCell& cell) { return cell.outside; };
  const auto leaves = [&](const GridRow& row) { return std::ranges::any_of(row.cells, is_outside); };
  if (std::ranges::any_of(figure.grids, [&](const Grid& grid) { return std::ranges::any_of(grid.rows, leaves); }))
    lines.emplace_back("dashed, in brackets: outside the box");
  for (const std::string& note : figure.notes) lines.push_back("note: " + note);
  return lines;
}

int add_lines(pugi::xml_node parent, const std::vector<std::string>& lines, int y, int width) {
  const auto characters = static_cast<std::size_t>(static_cast<double>(width) / kAdvance);
  for (const std::string& line : lines) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    for (const std::string& part : wrapped(std::string_view(line).substr(indent), characters)) {
      add_text(parent, kMargin + text_width(indent), y + 12, part);
      y += kLine;
    }
  }
  return y;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = byte < 0x80                   ? 1
                         : byte >= 0xc2 && byte < 0xe0 ? 2
                         : byte >= 0xe0 && byte < 0xf0 ? 3
                         : byte >= 0xf0 && byte < 0xf5 ? 4
                                                       : 0;
    if (length > text.size() - i) length = 0;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) length = 0;
    const bool control = length == 1 && (byte < 0x20 || byte == 0x7f) && byte != '\n' && byte != '\t';
    if (length == 0 || control) {
      out += '?';
      ++i;
      continue;
    }
    out.append(text.substr(i, length));
    i += length;
  }
  return out;
}

void append_svg(pugi::xml_node parent, const Figure& figure) {
  std::vector<Frame> frames;
  int beside = -kGap;
  int widest = 0;
  int tallest = 0;
  for (const Grid& grid : figure.grids) {
    const Frame& frame = frames.emplace_back(frame_of(grid, kMostCellsInSvg));
    beside += frame.width + kGap;
    widest = std::max(widest, frame.width);
    tallest = std::max(tallest, frame.height);
  }
  const bool side_by_side = beside <= kWidest;
  const int width = std::max(kLeastWidth, side_by_side ? beside : widest);

  pugi::xml_node svg = parent.append_child("svg");
  set(svg, "xmlns", "http://www.w3.org/2000/svg");
  svg.append_attribute("width");  // filled in when the height is known
  svg.append_attribute("height");
  svg.append_attribute("viewBox");
  set(svg, "role", "img");
  set(svg, "font-family", "monospace");
  set(svg, "font-size", kFont);
  set(svg, "fill", kInk);
  svg.append_child("title")
      .append_child(pugi::node_pcdata)
      .set_value(xml_text(fmt::format("{} on {}", figure.layout, figure.tensor)).c_str());
  pugi::xml_node paper = add_rect(svg, 0, 0, 0, 0, "#ffffff");

  int y = add_lines(svg, {figure.layout, "on " + figure.tensor + "; " + figure.space}, kMargin, width) + 8;
  int x = kMargin;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    add_grid(svg, figure.grids[i], frames[i], figure, x, y);
    if (side_by_side) {
      x += frames[i].width + kGap;
    } else {
      y += frames[i].height + (i + 1 < frames.size() ? kGap : 0);
    }
  }
  if (side_by_side) y += tallest;
  y += kLine;
  y += add_legend(svg, figure, kMargin, y, width);
  y = add_lines(svg, below(figure), y, width) + kMargin;

  svg.attribute("width") = width + 2 * kMargin;
  svg.attribute("height") = y;
  svg.attribute("viewBox") = fmt::format("0 0 {} {}", width + 2 * kMargin, y).c_str();
  paper.attribute("width") = width + 2 * kMargin;
  paper.attribute("height") = y;
}

std::string figure_to_svg(const Figure& figure) {
  pugi::xml_document document;
  append_svg(document, figure);
  std::ostringstream out;
  document.save(out, " ", pugi::format_indent);
  return std::move(out).str();
}

}  // namespace vl::report
