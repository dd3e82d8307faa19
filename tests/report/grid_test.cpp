// Grids drawn from given cells: the spelling of points, joined columns, the breaks of bands, the marks of cells, and
// the words about an access.
#include "verifier/report/grid.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace vl::report {
namespace report_grid_test {

GridCell holding(std::vector<Point> points) {
  GridCell cell;
  cell.text = spelled(points);
  cell.holds = std::move(points);
  return cell;
}

GridCell touched(Point element, std::vector<Index> lanes, bool conflict) {
  GridCell cell = holding({std::move(element)});
  cell.lanes = std::move(lanes);
  cell.conflict = conflict;
  return cell;
}

Grid grid_of(std::vector<std::vector<GridCell>> rows, Joining joining = Joining::Runs) {
  Grid grid{"bank", "element", "byte", {}, {}, {}, joining, true};
  for (std::size_t c = 0; c < rows.front().size(); ++c) grid.columns.push_back(std::to_string(c));
  for (std::size_t r = 0; r < rows.size(); ++r) grid.rows.push_back({std::to_string(16 * r), std::move(rows[r])});
  return grid;
}

// The lines after the one that names the grid.
std::string body(const Grid& grid, std::size_t width, bool colour = false) {
  const std::string text = grid_to_text(grid, {width, colour});
  return text.substr(text.find('\n') + 1);
}

TEST(Grid, SpellsPointsShortly) {
  EXPECT_EQ(spelled({}), "");
  EXPECT_EQ(spelled({{}}), "[]");
  EXPECT_EQ(spelled({{7, 62}}), "7,62");
  EXPECT_EQ(spelled({{7, 62}, {7, 63}}), "7,62..63");
  EXPECT_EQ(spelled({{0, 5}, {1, 5}, {2, 5}}), "0..2,5");
  EXPECT_EQ(spelled({{5, 0, 1}, {9, 0, 1}}), "{5,9},0,1");
  EXPECT_EQ(spelled({{0}, {4}, {8}, {12}, {16}}), "{0,4,8,+2}");
  EXPECT_EQ(spelled({{1, 0}, {0, 0}}), "{1,0},0");  // it does not count up
  EXPECT_EQ(spelled({{0, 3}, {4, 1}, {5, 5}, {6, 6}}), "0,3|4,1|5,5|+1");
}

TEST(Grid, SpellsLanesShortly) {
  EXPECT_EQ(spelled_list({}), "");
  EXPECT_EQ(spelled_list({3}), "3");
  EXPECT_EQ(spelled_list({0, 1, 2, 3, 8, 10, 11}), "0..3,8,10..11");
}

TEST(Grid, DrawsACellAColumnWhereTheyFit) {
  const Grid grid = grid_of({{holding({{0, 0}}), holding({{0, 1}})}, {holding({{10, 0}}), GridCell{}}});
  EXPECT_EQ(body(grid, 80),
            "byte  0    1\n"
            "0     0,0  0,1\n"
            "16    10,0 ·\n");
}

TEST(Grid, JoinsAsFewColumnsAsItMustAndOnlyThoseThatCountUp) {
  const std::vector<GridCell> up{holding({{0}}), holding({{1}}), holding({{2}}), holding({{3}})};
  EXPECT_EQ(body(grid_of({up}), 13), "byte  0 1 2 3\n0     0 1 2 3\n");  // 6 + 7 columns
  EXPECT_EQ(body(grid_of({up}), 12), "byte  0..3\n0     0..3\n");        // 6 + 9 for pairs are too many
  EXPECT_EQ(body(grid_of({up}, Joining::No), 12), "byte  0 1\n0     0 1\n\nbyte  2 3\n0     2 3\n");
  const std::vector<GridCell> swapped{holding({{2}}), holding({{3}}), holding({{0}}), holding({{1}})};
  EXPECT_EQ(body(grid_of({up, swapped}), 12),
            "byte  0..1\n0     0..1\n16    2..3\n\nbyte  2..3\n0     2..3\n16    0..1\n");
}

TEST(Grid, JoinsColumnsThatHoldNothing) {
  EXPECT_EQ(body(grid_of({{holding({{0}}), GridCell{}, GridCell{}, GridCell{}}}), 80), "byte  0 1..3\n0     0 ·\n");
}

TEST(Grid, BreaksIntoBandsOfAboutTheSameSize) {
  std::vector<GridCell> cells;
  for (Index i = 0; i < 6; ++i) cells.push_back(holding({{i, 0, 0, 0}}));
  const std::string text =
      body(grid_of({cells}, Joining::No), 40);  // 6 + 4 * 8 - 1 = 37: four fit, three and three are drawn
  EXPECT_EQ(text,
            "byte  0       1       2\n"
            "0     0,0,0,0 1,0,0,0 2,0,0,0\n"
            "\n"
            "byte  3       4       5\n"
            "0     3,0,0,0 4,0,0,0 5,0,0,0\n");
}

TEST(Grid, MarksConflictsElementsAndWhatIsOutside) {
  GridCell outside = holding({{7}});
  outside.outside = true;
  GridCell marked = holding({{8}});
  marked.marked = true;
  const Grid grid = grid_of({{touched({1}, {0}, true), outside, marked, GridCell{}}});
  EXPECT_EQ(body(grid, 80), "byte  0  1   2   3\n0     1! (7) <8> ·\n");
  EXPECT_EQ(body(grid, 80, true),
            "byte  0  1   2   3\n0     \x1b[1;31m1!\x1b[0m (7) \x1b[7m<8>\x1b[0m \x1b[2m·\x1b[0m\n");
}

TEST(Grid, WritesRemarksBetweenRowsAndAboutColumns) {
  Grid grid = grid_of({{holding({{0}})}, {holding({{9}})}});
  grid.rows.insert(grid.rows.begin() + 1, GridRow{"… 3 lines", {}});
  grid.left_out = "banks 0..0 of 32";
  EXPECT_EQ(body(grid, 80), "banks 0..0 of 32\nbyte  0\n0     0\n… 3 lines\n16    9\n");
}

TEST(Grid, PutsLanesInTheCellsAndLeavesOutRowsWithoutThem) {
  Grid grid = grid_of({{touched({0}, {0, 1}, false), holding({{1}})},
                       {holding({{2}}), holding({{3}})},
                       {touched({4}, {2}, true), holding({{5}})}});
  const Grid lanes = lanes_grid(grid);
  EXPECT_EQ(body(lanes, 80), "byte  0    1\n0     0..1 ·\n… 1 line without a lane\n32    2!   ·\n");
}

AccessUse eight_rows() {
  const std::vector<Index> lanes{0, 1, 2, 3, 4, 5, 6, 7};
  AccessUse use{"lanes=8 width=16 at=[lane, 0]", "sm_90", {}, 8, 1, {}};
  use.phases.push_back({lanes, 8, {{0, 8, lanes}, {1, 8, lanes}, {2, 8, lanes}, {3, 8, lanes}}});
  return use;
}

TEST(Grid, SaysWhatAnAccessCosts) {
  EXPECT_EQ(
      lines_of(eight_rows()),
      (std::vector<std::string>{"access lanes=8 width=16 at=[lane, 0] on sm_90", "8 wavefronts, ideal 1: 7 conflicts",
                                "phase 0: lanes 0..7, 8 wavefronts", "  bank 0..3: 8 words each, lanes 0..7 !"}));
  AccessUse use{"a", "h", "j=3", 1, 1, {{{4}, 1, {{2, 1, {4}}}}, {{}, 0, {}}}};
  EXPECT_EQ(lines_of(use),
            (std::vector<std::string>{"access a on h", "drawn for j=3", "1 wavefront, ideal 1: conflict-free",
                                      "phase 0: lanes 4, 1 wavefront", "  bank 2: 1 word, lane 4",
                                      "phase 1: no active lane"}));
}

TEST(Grid, WrapsLongLinesWithoutLosingACharacter) {
  const std::string text =
      "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid·" + std::string(50, 'x');
  for (std::size_t width = 1; width < 140; ++width) {
    std::string together;
    for (const std::string& line : wrapped(text, width)) {
      EXPECT_LE(line.size(), width + (width == 1 ? 1 : 0));  // a character of two bytes is not cut
      together += line;
    }
    EXPECT_EQ(together, text);
  }
}

TEST(Grid, WritesEveryCellAsJson) {
  Figure figure{"L",    "T",   "space",      {grid_of({{touched({0}, {0, 1}, true), GridCell{}}})},
                "bank", {"0"}, eight_rows(), {"a note"}};
  const auto json = nlohmann::ordered_json::parse(figure_to_json(figure));
  EXPECT_EQ(json["layout"], "L");
  EXPECT_EQ(json["notes"][0], "a note");
  EXPECT_EQ(json["access"]["wavefronts"], 8);
  EXPECT_EQ(json["access"]["phases"][0]["banks"].size(), 4U);
  const auto& cells = json["grids"][0]["rows"][0]["cells"];
  EXPECT_EQ(cells[0]["holds"], (std::vector<Point>{{0}}));
  EXPECT_EQ(cells[0]["lanes"], (std::vector<Index>{0, 1}));
  EXPECT_EQ(cells[0]["conflict"], true);
  EXPECT_TRUE(cells[1]["holds"].empty());
  EXPECT_FALSE(cells[1].contains("conflict"));
}

}  // namespace report_grid_test
}  // namespace vl::report
