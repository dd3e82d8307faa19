// SVG and HTML of given figures: they are read again as XML, and their cells are counted and measured.
#include "verifier/report/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include "verifier/report/html.h"

namespace vl::report {
namespace report_svg_test {

GridCell holding(Point point, std::size_t colour) {
  GridCell cell;
  cell.holds = {point};
  cell.text = spelled(cell.holds);
  cell.title = "title of " + cell.text;
  cell.colour = colour;
  return cell;
}

Grid grid_of(const char* name, std::size_t rows, std::size_t columns) {
  Grid grid{name, "element", "row", {}, {}, {}, Joining::No, true};
  for (std::size_t c = 0; c < columns; ++c) grid.columns.push_back(std::to_string(c));
  for (std::size_t r = 0; r < rows; ++r) {
    grid.rows.push_back({std::to_string(r), {}});
    for (std::size_t c = 0; c < columns; ++c)
      grid.rows.back().cells.push_back(holding({static_cast<Index>(r), static_cast<Index>(c)}, c % 4));
  }
  return grid;
}

Figure figure_of(std::vector<Grid> grids) {
  return {"L", "T", "a space", std::move(grids), "bank", {"0", "1", "2", "3"}, {}, {}};
}

struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;
};

struct Image {
  pugi::xml_document document;
  explicit Image(const std::string& text) {
    EXPECT_TRUE(document.load_string(text.c_str(), pugi::parse_default)) << text;
  }
  [[nodiscard]] pugi::xml_node svg() const { return document.child("svg"); }
  [[nodiscard]] std::vector<pugi::xml_node> cells() const {
    std::vector<pugi::xml_node> out;
    for (const auto& found : document.select_nodes("//g[contains(@class,'cell')]")) out.push_back(found.node());
    return out;
  }
};

Box box_of(pugi::xml_node rect) {
  const int left = rect.attribute("x").as_int(-1000);
  const int top = rect.attribute("y").as_int(-1000);
  return {left, top, left + rect.attribute("width").as_int(), top + rect.attribute("height").as_int()};
}

TEST(Svg, HasEachCellOnceWithItsTextAndTitle) {
  const Image image(figure_to_svg(figure_of({grid_of("logical", 3, 4), grid_of("physical", 2, 5)})));
  std::multiset<std::string> texts;
  for (const pugi::xml_node cell : image.cells()) {
    texts.insert(cell.child_value("text"));
    EXPECT_EQ(std::string(cell.child_value("title")), std::string("title of ") + cell.child_value("text"));
  }
  std::multiset<std::string> want;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) want.insert(std::to_string(r) + "," + std::to_string(c));
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 5; ++c) want.insert(std::to_string(r) + "," + std::to_string(c));
  EXPECT_EQ(texts, want);
}

TEST(Svg, DrawsNoCellOverAnotherAndNothingOutsideThePaper) {
  std::size_t measured = 0;
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 4}, {8, 64}, {20, 90}}) {
    Figure figure =
        figure_of({grid_of("logical", rows, columns), grid_of("physical", columns, rows), grid_of("lane", 2, columns)});
    figure.notes = {std::string(500, 'n')};
    figure.layout = std::string(700, 'L');
    const Image image(figure_to_svg(figure));
    const int width = image.svg().attribute("width").as_int();
    const int height = image.svg().attribute("height").as_int();
    std::vector<Box> boxes;
    for (const pugi::xml_node cell : image.cells()) boxes.push_back(box_of(cell.child("rect")));
    EXPECT_EQ(boxes.size(), rows * columns * 2 + 2 * columns);
    std::ranges::sort(boxes, {}, [](const Box& b) { return std::pair(b.top, b.left); });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_TRUE(boxes[i].left >= 0 && boxes[i].top >= 0 && boxes[i].right <= width && boxes[i].bottom <= height);
      for (std::size_t j = i + 1; j < boxes.size() && boxes[j].top < boxes[i].bottom; ++j, ++measured)
        ASSERT_TRUE(boxes[j].left >= boxes[i].right || boxes[i].left >= boxes[j].right ||
                    boxes[j].top >= boxes[i].bottom);
    }
    for (const auto& found : image.document.select_nodes("//text")) {
      const pugi::xml_node text = found.node();
      const auto characters = static_cast<double>(std::string(text.child_value()).size());
      if (std::string(text.attribute("text-anchor").value()).empty()) {
        EXPECT_LE(text.attribute("x").as_int() + characters * 6.6, width) << text.child_value();
      }
      EXPECT_LE(text.attribute("y").as_int(), height);
    }
  }
  EXPECT_GT(measured, 1000U);
}

TEST(Svg, FramesConflictsAndFadesWhatNoLaneTouches) {
  Figure figure = figure_of({grid_of("bank", 1, 3)});
  figure.access = AccessUse{"a", "h", {}, 2, 1, {}};
  figure.grids[0].rows[0].cells[0].lanes = {0};
  figure.grids[0].rows[0].cells[0].conflict = true;
  figure.grids[0].rows[0].cells[1].lanes = {1};
  const Image image(figure_to_svg(figure));
  const auto cells = image.cells();
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_STREQ(cells[0].attribute("class").value(), "cell conflict");
  EXPECT_STREQ(cells[0].child_value("text"), "0,0!");
  EXPECT_STREQ(cells[1].attribute("class").value(), "cell");
  EXPECT_STREQ(cells[1].child("rect").attribute("stroke").value(), "#000000");
  EXPECT_STRNE(cells[0].child("rect").attribute("stroke").value(), "#000000");
  // The third is pale: the same colour without an access is another one.
  figure.access.reset();
  const Image plain(figure_to_svg(figure));
  EXPECT_STRNE(plain.cells()[2].child("rect").attribute("fill").value(),
               cells[2].child("rect").attribute("fill").value());
}

TEST(Svg, GivesEachColourItsOwnGroundAndNamesItInTheLegend) {
  const Image image(figure_to_svg(figure_of({grid_of("bank", 2, 4)})));
  const auto cells = image.cells();
  std::set<std::string> grounds;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::string ground = cells[c].child("rect").attribute("fill").value();
    EXPECT_EQ(ground, cells[c + 4].child("rect").attribute("fill").value());
    grounds.insert(ground);
  }
  EXPECT_EQ(grounds.size(), 4U);
  std::string legend;
  for (const auto& found : image.document.select_nodes("//g[@class='legend']/text"))
    legend += std::string(found.node().child_value()) + ";";
  EXPECT_EQ(legend, "colour: bank;0;1;2;3;");
}

const char* const kHostile = "<script>alert(1)</script>&\"']]>\x01\xff\xc3";

Figure hostile() {
  Figure figure = figure_of({grid_of(kHostile, 1, 1)});
  figure.layout = figure.tensor = figure.space = figure.colour_of = kHostile;
  figure.notes = {kHostile};
  figure.colours = {kHostile};
  Grid& grid = figure.grids[0];
  grid.says = grid.corner = grid.left_out = grid.columns[0] = grid.rows[0].header = kHostile;
  grid.rows[0].cells[0].text = grid.rows[0].cells[0].title = kHostile;
  figure.access = AccessUse{kHostile, kHostile, kHostile, 1, 1, {}};
  return figure;
}

TEST(Svg, EscapesEveryText) {
  const std::string text = figure_to_svg(hostile());
  const Image image(text);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_STREQ(image.cells().at(0).child_value("title"), "<script>alert(1)</script>&\"']]>???");
}

TEST(Svg, FetchesNothing) {
  for (const std::string& text :
       {figure_to_svg(figure_of({grid_of("a", 2, 2)})), figure_to_html(figure_of({grid_of("a", 2, 2)})),
        figure_to_svg(hostile()), figure_to_html(hostile())}) {
    for (const char* word :
         {"href", "src=", "url(", "@import", "<script", "<link", "<image", "<foreignObject", "https:"})
      EXPECT_EQ(text.find(word), std::string::npos) << word;
    const std::size_t name = text.find("http:");
    EXPECT_EQ(text.substr(name, 26), "http://www.w3.org/2000/svg");
    EXPECT_EQ(text.find("http:", name + 1), std::string::npos);
  }
}

TEST(Svg, LeavesOutRowsBeyondItsBoundAndSaysHowMany) {
  const std::string text = figure_to_svg(figure_of({grid_of("a", 205, 100)}));
  EXPECT_EQ(Image(text).cells().size(), kMostCellsInSvg);
  EXPECT_NE(text.find("… 5 rows left out"), std::string::npos);
}

TEST(Svg, IsTheSameEveryTime) {
  EXPECT_EQ(figure_to_svg(figure_of({grid_of("a", 9, 9)})), figure_to_svg(figure_of({grid_of("a", 9, 9)})));
}

TEST(Svg, PutsSmallGridsBesideEachOtherAndWideOnesBelow) {
  const auto corners = [](const Figure& figure) {
    const Image image(figure_to_svg(figure));
    std::vector<Box> out;
    for (const auto& grid : image.document.select_nodes("//g[@class='grid']"))
      out.push_back(box_of(grid.node().child("g").child("rect")));
    return out;
  };
  const auto small = corners(figure_of({grid_of("a", 3, 4), grid_of("b", 3, 4)}));
  EXPECT_EQ(small[0].top, small[1].top);
  EXPECT_GT(small[1].left, small[0].right);
  const auto wide = corners(figure_of({grid_of("a", 3, 64), grid_of("b", 3, 64)}));
  EXPECT_EQ(wide[0].left, wide[1].left);
  EXPECT_GT(wide[1].top, wide[0].bottom);
}

TEST(Svg, DrawsAFigureWithoutGridsOrCells) {
  Figure figure = figure_of({});
  figure.colours.clear();
  EXPECT_TRUE(Image(figure_to_svg(figure)).cells().empty());
  EXPECT_TRUE(Image(figure_to_svg(figure_of({Grid{}}))).cells().empty());
}

TEST(Html, IsOneWellFormedPageWithTheImageAndTheGridsAsTables) {
  Figure figure = figure_of({grid_of("logical", 3, 4), grid_of("physical", 2, 6)});
  figure.notes = {"a note"};
  figure.grids[1].rows.push_back({"… 7 rows", {}});
  const std::string text = figure_to_html(figure);
  EXPECT_EQ(text.rfind("<!DOCTYPE html>\n<html", 0), 0U);
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(text.c_str(), pugi::parse_full));
  EXPECT_EQ(page.select_nodes("//figure/svg//g[@class='cell']").size(), 24U);
  EXPECT_EQ(page.select_nodes("//table").size(), 2U);
  EXPECT_EQ(page.select_nodes("//tbody//td[@title]").size(), 24U);
  EXPECT_EQ(page.select_nodes("//td[@colspan='7' and text()='… 7 rows']").size(), 1U);
  EXPECT_EQ(page.select_nodes("//li[text()='a note']").size(), 1U);
  // An element that is empty and not a void one would swallow what follows in a reader of HTML.
  for (const auto& found : page.select_nodes("//body//*[not(ancestor-or-self::svg)]"))
    EXPECT_TRUE(found.node().first_child()) << found.node().name();
}

TEST(Html, EscapesEveryText) {
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(figure_to_html(hostile()).c_str(), pugi::parse_full));
  EXPECT_EQ(page.select_nodes("//script").size(), 0U);
  EXPECT_STREQ(page.select_node("//h1").node().child_value(), "<script>alert(1)</script>&\"']]>???");
}

}  // namespace report_svg_test
}  // namespace vl::report
