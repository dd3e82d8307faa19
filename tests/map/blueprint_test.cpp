// The stages that layout_of makes of a blueprint of numbers; those of rules are in expression_test.cpp.
#include "encodings/map/blueprint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/map/text.h"

namespace vl::map {
namespace map_blueprint_test {

// x0 of (x0:extent), split by the levels, on one axis of 1000 places.
Blueprint<Index> line(Index extent, std::vector<BasicLevel<Index>> levels) {
  Blueprint<Index> out;
  out.logical = {extent}, out.strides = {1};
  BasicPlace<Index>& place = out.places.emplace_back();
  place.name = "m", place.extent = 1000;
  for (std::size_t k = 0; k < levels.size(); ++k) place.terms.push_back({k, 10 + static_cast<Index>(k)});
  out.levels = std::move(levels);
  return out;
}

std::string stages_of(const Blueprint<Index>& blueprint) {
  const auto host = host_of({.size = blueprint.logical});
  const auto layout = layout_of(blueprint, host->logical, host->offset);
  return layout ? print(layout->map()) : layout.error().message;
}

TEST(Blueprint, SplitsByDescendingWeightsOfExtentsAbove1) {
  EXPECT_EQ(stages_of(line(24, {{1, 4}, {8, 3}, {4, 2}, {24, 1}, {-1, 7}})),
            "(x0:24) -> affine(x0) -> split(0; 8, 4, 1) -> affine(11*x0 + 12*x1 + 10*x2)");
}
TEST(Blueprint, GuardsWhatTheLastWeightLeaves) {
  EXPECT_EQ(stages_of(line(24, {{8, 3}})), "(x0:24) -> affine(x0) -> split(0; 8, 1) -> affine(10*x0, x1)");
  EXPECT_EQ(stages_of(line(24, {})), "(x0:24) -> affine(x0) -> affine(0, x0)");
}
TEST(Blueprint, LeavesOutASplitThatIsTheNumberItself) {
  EXPECT_EQ(stages_of(line(24, {{1, 24}})), "(x0:24) -> affine(x0) -> affine(10*x0)");
}
TEST(Blueprint, LeavesOutTheGuardOfANumberThatIs0) {
  EXPECT_EQ(stages_of(line(1, {{1, 1}})), "(x0:1) -> affine(x0) -> affine(0)");
}
TEST(Blueprint, HasADigitOfExtent1WhereTheFirstLevelGoesOn) {
  auto goes_on = line(4, {{4, 1}, {1, 4}});
  EXPECT_EQ(stages_of(goes_on), "(x0:4) -> affine(x0) -> affine(11*x0)");
  goes_on.goes_on = true;
  EXPECT_EQ(stages_of(goes_on), "(x0:4) -> affine(x0) -> split(0; 4, 1) -> affine(10*x0 + 11*x1)");
}
TEST(Blueprint, KeepsSplitAndGuardWhereItDecodes) {
  auto decodes = line(1, {{1, 1}});
  decodes.decodes = true, decodes.places[0].terms = {{0, 1}};
  EXPECT_EQ(stages_of(decodes), "(x0:1) -> affine(x0) -> split(0; 1) -> affine(0, x0)");
}
TEST(Blueprint, HasNoWayBackOverAHostWhoseOffsetsDoNotNest) {
  for (const Index outer : {3, 4, 5}) {  // two dimensions of 3 and 2 elements; the offsets of the first reach 4
    Blueprint<Index> blueprint = line(10, {{1, 10}});
    blueprint.logical = {3, 2}, blueprint.strides = {2, outer}, blueprint.decodes = true;
    blueprint.places[0].terms = {{0, 1}};
    const auto host = host_of({.size = blueprint.logical});
    const auto layout = layout_of(blueprint, host->logical, host->offset);
    ASSERT_TRUE(layout.has_value());
    EXPECT_EQ(layout->decode().has_value(), outer == 5) << outer;
  }
}

// (x0:10, x1:4, x2:1) on the digits of x0, 2 a row, and a place that is no digit: of x1 only 0 has a slot.
TEST(Blueprint, TakesDimensionsApartAndAddsTheirDigitsUp) {
  Blueprint<Index> blueprint;
  blueprint.logical = {10, 4, 1}, blueprint.strides = {1, 1, 1}, blueprint.decodes = true;
  blueprint.levels = {{2, 5}, {1, 2}, {1, 1}};
  blueprint.numbers = {{{0}, 2}, {{1}, 0}, {{2}, 1}};
  blueprint.places.resize(4);
  for (const auto& [place, extent] : {std::pair<std::size_t, Index>{0, 5}, {1, 3}, {2, 2}, {3, 1}})
    blueprint.places[place].name = fmt::format("d{}", place), blueprint.places[place].extent = extent;
  blueprint.places[0].terms = {{0, 1}}, blueprint.places[2].terms = {{1, 1}}, blueprint.places[3].terms = {{2, 1}};
  EXPECT_EQ(stages_of(blueprint), "(x0:10, x1:4, x2:1) -> split(2; 1) -> split(0; 2, 1) -> affine(x0, 0, x1, x3, x2)");
  const auto host = host_of({.size = blueprint.logical});
  const auto layout = layout_of(blueprint, host->logical, host->offset);
  ASSERT_TRUE(layout->decode().has_value());
  EXPECT_EQ(print(*layout->decode()), "(d0:5, d1:3, d2:2, d3:1) -> affine(2*x0 + x2, 0, x3, x1)");
  EXPECT_EQ(layout->identity()->slot, (Row{0, {{0, 8}, {2, 4}, {3, 1}}}));  // the host's strides are 4, 1, 1
  EXPECT_EQ(layout->identity()->element, host->offset);
}
TEST(Blueprint, HasNoNumberWithoutLevels) {
  Blueprint<Index> blueprint;
  blueprint.decodes = true;
  blueprint.places.resize(1);
  blueprint.places[0].name = "d0", blueprint.places[0].extent = 8;
  EXPECT_EQ(stages_of(blueprint), "() -> affine(0)");
}

// Rows and columns in tiles of 4x4, of which two cores have 4 rows each; m counts a core's elements.
Blueprint<Index> tiles(Index rows, Index columns) {
  Blueprint<Index> out;
  out.logical = {rows, columns}, out.strides = {1, 1}, out.named_axes = true;
  out.numbers = {{{0}, 2}, {{1}, 2}};
  out.levels = {{4, 2}, {1, 4}, {4, 2}, {1, 4}};
  out.places = {{"y", Unit::Core, 2, 0, 0, {{0, 1}}}, {"m", Unit::Element, 32, 0, 0, {{1, 4}, {2, 16}, {3, 1}}}};
  return out;
}
TEST(Blueprint, SplitsEachNumberIntoTheDigitsThatMove) {
  EXPECT_EQ(stages_of(tiles(8, 8)),
            "(x0:8, x1:8) -> affine(x0, x1) -> split(1; 4, 1) -> split(0; 4, 1) -> affine(x0, 4*x1 + 16*x2 + x3)");
  EXPECT_EQ(stages_of(tiles(5, 4)), "(x0:5, x1:4) -> affine(x0, x1) -> split(0; 4, 1) -> affine(x0, 4*x1 + x2)");
  EXPECT_EQ(stages_of(tiles(1, 3)), "(x0:1, x1:3) -> affine(0, x1) -> affine(0, x1)");
}
TEST(Blueprint, GuardsWhatTheLastWeightOfANumberLeaves) {
  Blueprint<Index> rest = tiles(8, 8);
  rest.levels[3].weight = 2;
  EXPECT_EQ(stages_of(rest),
            "(x0:8, x1:8) -> affine(x0, x1) -> split(1; 4, 2, 1) -> split(0; 4, 1) -> "
            "affine(x0, 4*x1 + 16*x2 + x3, x4)");
  rest.logical[1] = 1;
  EXPECT_EQ(stages_of(rest), "(x0:8, x1:1) -> affine(x0, 0) -> split(0; 4, 1) -> affine(x0, 4*x1)");
}
// The tiles go round two banks: number 2·row + column of a tile.
TEST(Blueprint, SplitsTheNumberThatJoinsDigitsLast) {
  const auto dealt = [](Index rows, Index columns, Index banks) {
    Blueprint<Index> out = tiles(rows, columns);
    out.numbers.push_back({{}, 2, {{0, 2}, {2, 1}}});
    out.levels.insert(out.levels.end(), {{banks, 4}, {1, banks}});
    out.places = {{"bank", Unit::Core, banks, 0, 0, {{5, 1}}},
                  {"m", Unit::Element, 64, 0, 0, {{1, 4}, {3, 1}, {4, 16}}}};
    return stages_of(out);
  };
  EXPECT_EQ(dealt(8, 8, 2),
            "(x0:8, x1:8) -> affine(x0, x1) -> split(1; 4, 1) -> split(0; 4, 1) -> "
            "affine(2*x0 + x2, 4*x1 + x3) -> split(0; 2, 1) -> affine(x1, 16*x0 + x2)");
  EXPECT_EQ(dealt(8, 8, 4),
            "(x0:8, x1:8) -> affine(x0, x1) -> split(1; 4, 1) -> split(0; 4, 1) -> "
            "affine(2*x0 + x2, 4*x1 + x3)");
  EXPECT_EQ(dealt(8, 8, 1),
            "(x0:8, x1:8) -> affine(x0, x1) -> split(1; 4, 1) -> split(0; 4, 1) -> "
            "affine(0, 32*x0 + 4*x1 + 16*x2 + x3)");
}

}  // namespace map_blueprint_test
}  // namespace vl::map
