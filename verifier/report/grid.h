// Grids: tables of small cells that show places. A Figure is the content of one picture, for all formats: text (here),
// JSON (here), SVG (svg.h), HTML (html.h). Other code computes the content of the cells; this file decides nothing.
//
// A physical grid has one cell per place, which names the elements that live there. A logical grid has one cell per
// element, which names its places. f16[8,64] row-major in 32 banks of 4 bytes, the first two lines, four words per
// column:
//
//   byte \ bank  0..3   4..7    8..11    …
//             0  0,0..7 0,8..15 0,16..23
//           128  1,0..7 1,8..15 1,16..23
//
// An access adds the lanes that touch each cell. Lanes of one phase that need different words of one bank conflict;
// their cells carry "!". Other marks: <…> is a requested element, (…) is outside the box, · is an empty cell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::report {

struct GridCell {
  std::vector<Point> holds;           // elements of a place, or places of an element, each once
  std::string text;                   // the cell's text; empty: the cell is empty
  std::string title;                  // the long text, for a pointer on the cell
  std::optional<std::size_t> colour;  // number of a colour of the figure
  std::vector<Index> lanes;           // the lanes that touch it, ascending
  bool conflict = false;
  bool marked = false;
  bool outside = false;
};

/// A row of cells, one per column. Without cells: a remark on rows that are left out.
struct GridRow {
  std::string header;
  std::vector<GridCell> cells;
};

/// The columns that a too narrow terminal may draw as one: none; neighbours whose elements count up; neighbours with
/// the same text in every row.
enum class Joining { No, Runs, Same };

struct Grid {
  std::string name;    // "logical"
  std::string says;    // the meaning of a cell's text: "bank"
  std::string corner;  // the meaning of the row headers
  std::vector<std::string> columns;
  std::vector<GridRow> rows;
  std::string left_out;  // the columns that are not drawn; empty: none
  Joining joining = Joining::No;
  bool in_text = true;  // also drawn on terminals
};

/// The lanes of one phase that need one bank.
struct BankUse {
  Index bank = 0;
  Index cost = 0;  // words that it has to give, one after the other
  std::vector<Index> lanes;
};

struct PhaseUse {
  std::vector<Index> lanes;  // the active ones
  Index wavefronts = 0;
  std::vector<BankUse> banks;  // the used banks, ascending
};

/// One instance of an access and its cost.
struct AccessUse {
  std::string access;
  std::string hardware;
  std::string instance;  // "j=3"; empty: there is only one
  Index wavefronts = 0;
  Index ideal = 0;
  std::vector<PhaseUse> phases;
};

struct Figure {
  std::string layout;  // in the family's raw notation
  std::string tensor;
  std::string space;  // the physical space in words
  std::vector<Grid> grids;
  std::string colour_of;             // the meaning of a colour: "bank"
  std::vector<std::string> colours;  // the names of the colours, in order
  std::optional<AccessUse> access;
  std::vector<std::string> notes;
};

/// The same grid with the lanes in its cells; rows that no lane touches become remarks.
[[nodiscard]] Grid lanes_grid(const Grid& grid);

/// Points in few characters: 0,3 · 0,3..6 if one coordinate counts up · {5,9},0 if it jumps · 0,3|4,1|+2 else.
/// For no point: the empty text; for the point of rank 0: [].
[[nodiscard]] std::string spelled(const std::vector<Point>& points);
/// Integers in few characters: {0,1,2,3,8} -> 0..3,8. Requires: ascending.
[[nodiscard]] std::string spelled_list(const std::vector<Index>& values);

struct GridStyle {
  std::size_t width = 80;  // columns of the terminal
  bool colour = false;
};
[[nodiscard]] std::string grid_to_text(const Grid& grid, const GridStyle& style);
/// The grids with `in_text`, then the access. Only the grids of lanes mark conflicts, so that elements can be joined.
[[nodiscard]] std::string figure_to_text(const Figure& figure, const GridStyle& style);
[[nodiscard]] std::string figure_to_json(const Figure& figure);

/// Wraps a line after `width` characters at blanks or commas, and drops no text. Requires: width > 0.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// The access, one sentence per line, with the phases and their banks. Neighbouring banks that give one word each, or
/// that serve the same lanes, share a line.
[[nodiscard]] std::vector<std::string> lines_of(const AccessUse& use);

}  // namespace vl::report
