// Grids: tables of small cells that show where things are. A Figure is what one picture says, whatever it is drawn
// with: text (here), JSON (here), SVG (svg.h), HTML (html.h). What a cell holds was found out elsewhere; no decision is
// made here.
//
// A physical grid has a place a cell and names the elements that live there; a logical grid has an element a cell and
// names its places. f16[8,64] row-major in 32 banks of 4 bytes, the first two lines, four words a column:
//
//   byte  0..3   4..7    8..11    …
//      0  0,0..7 0,8..15 0,16..23
//    128  1,0..7 1,8..15 1,16..23
//
// An access adds the lanes that touch each cell. Lanes of one phase that need different words of one bank conflict;
// their cells carry "!". Other marks: <…> an element that was asked for, (…) outside the box, · nothing.
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
  std::string text;                   // what is written in it; empty: nothing is there
  std::string title;                  // the same at length, for whoever points at it
  std::optional<std::size_t> colour;  // number of a colour of the figure
  std::vector<Index> lanes;           // ascending: those that touch it
  bool conflict = false;
  bool marked = false;
  bool outside = false;
};

/// A row of cells, one a column; or without cells, a remark on rows that are left out.
struct GridRow {
  std::string header;
  std::vector<GridCell> cells;
};

/// What a terminal that is too narrow may draw as one column: nothing; neighbours whose elements count up; neighbours
/// that say the same in every row.
enum class Joining { No, Runs, Same };

struct Grid {
  std::string name;    // "logical"
  std::string says;    // what is written in a cell: "bank"
  std::string corner;  // what the row headers are
  std::vector<std::string> columns;
  std::vector<GridRow> rows;
  std::string left_out;  // which columns are not drawn; empty: none
  Joining joining = Joining::No;
  bool in_text = true;  // drawn on terminals too
};

/// The lanes of one phase that come to one bank.
struct BankUse {
  Index bank = 0;
  Index cost = 0;  // words it has to give, one after the other
  std::vector<Index> lanes;
};

struct PhaseUse {
  std::vector<Index> lanes;  // the active ones
  Index wavefronts = 0;
  std::vector<BankUse> banks;  // ascending, those that are used
};

/// One instance of an access and what it costs.
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
  std::string colour_of;             // what a colour stands for: "bank"
  std::vector<std::string> colours;  // the names of the colours, in order
  std::optional<AccessUse> access;
  std::vector<std::string> notes;
};

/// The same grid with the lanes in its cells; rows that no lane touches become remarks.
[[nodiscard]] Grid lanes_grid(const Grid& grid);

/// Points in few characters: 0,3 · 0,3..6 where one coordinate counts up · {5,9},0 where it jumps · 0,3|4,1|+2 else.
/// Of no point: nothing; of the point of rank 0: [].
[[nodiscard]] std::string spelled(const std::vector<Point>& points);
/// Integers in few characters: {0,1,2,3,8} -> 0..3,8. Requires: ascending.
[[nodiscard]] std::string spelled_list(const std::vector<Index>& values);

struct GridStyle {
  std::size_t width = 80;  // columns of the terminal
  bool colour = false;
};
[[nodiscard]] std::string grid_to_text(const Grid& grid, const GridStyle& style);
/// The grids that are for text, then the access. Conflicts are marked among the lanes only, so that elements can be
/// joined.
[[nodiscard]] std::string figure_to_text(const Figure& figure, const GridStyle& style);
[[nodiscard]] std::string figure_to_json(const Figure& figure);

/// Wraps a line after `width` characters at blanks or commas, so that nothing is lost. Requires: width > 0.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// The access in a sentence a line, the phases and their banks included. Neighbouring banks of one word each, or of the
/// same lanes, share a line.
[[nodiscard]] std::vector<std::string> lines_of(const AccessUse& use);

}  // namespace vl::report
