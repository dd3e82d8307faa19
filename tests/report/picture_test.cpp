// Pictures drawn from given cells: the content of runs, the breaks of lines, and the words about sticks left out.
#include "verifier/report/picture.h"

#include <gtest/gtest.h>

#include <string>

namespace vl::report {
namespace report_picture_test {

Picture picture_of(std::vector<Index> physical, std::vector<std::vector<Cell>> sticks, int bits = 16) {
  Picture picture;
  picture.layout = "L";
  picture.tensor = "T";
  picture.physical = *map::Space::create(map::Space::dims("d", physical));
  picture.device_bits = bits;
  for (std::size_t i = 0; i < sticks.size(); ++i)
    picture.sticks.emplace_back(DrawnStick{static_cast<Index>(i), {static_cast<Index>(i)}, std::move(sticks[i])});
  return picture;
}

// The lines behind the heading, a blank line and the names of the columns.
std::string body(const Picture& picture, std::size_t width, bool colour = false) {
  const std::string text = picture_to_text(picture, {width, colour});
  const std::size_t blank = text.find("\n\n");
  return blank == std::string::npos ? text : text.substr(text.find('\n', blank + 2) + 1);
}

Cell at(Point element) { return Cell{{std::move(element)}}; }
const Cell kNothing{};

TEST(Picture, DrawsACellASlotWhereTheyFit) {
  const Picture picture = picture_of({2, 3}, {{at({0, 0}), at({0, 1}), at({10, 2})}, {at({1, 0}), kNothing, kNothing}});
  EXPECT_EQ(body(picture, 40),
            "[0]     0  0,0  0,1  10,2\n"
            "[1]     6  1,0  ·    ·\n");
}

TEST(Picture, SwitchesToRunsWithTheFirstColumnThatIsMissing) {
  const Picture picture = picture_of({1, 3}, {{at({0, 0}), at({0, 1}), at({0, 2})}});
  EXPECT_EQ(body(picture, 22), "[0]     0  0,0 0,1 0,2\n");  // 11 + 3·3 + 2 columns
  EXPECT_EQ(body(picture, 21), "[0]     0  [0,0..2]\n");
}

TEST(Picture, MakesRunsOfOneCoordinateThatCountsUp) {
  const Picture picture =
      picture_of({1, 12}, {{at({0, 5, 1}), at({0, 6, 1}), at({0, 7, 1}), at({1, 0, 1}), at({1, 2, 1}), at({1, 1, 1}),
                            at({2, 2, 2}), at({2, 2, 2}), kNothing, at({3, 0, 0}), kNothing, kNothing}});
  EXPECT_EQ(body(picture, 80), "[0]     0  [0,5..7,1] [1,0,1] [1,2,1] [1,1,1] [2,2,2]×2 · [3,0,0] ·×2\n");
}

TEST(Picture, DoesNotJoinARunThatTurnsIntoAnotherDimension) {
  const Picture picture = picture_of({1, 4}, {{at({0, 0}), at({0, 1}), at({1, 1}), at({2, 1})}});
  EXPECT_EQ(body(picture, 20), "[0]     0  [0,0..1]\n           [1..2,1]\n");
}

TEST(Picture, NamesEveryElementOfASharedSlotUpToThree) {
  const Picture picture = picture_of({1, 3}, {{Cell{{{0}, {4}}}, Cell{{{1}, {5}, {9}, {13}, {17}}}, at({2})}});
  EXPECT_EQ(body(picture, 80), "[0]     0  0|4      1|5|9|+2 2\n");
  EXPECT_EQ(body(picture, 30), "[0]     0  [0|4] [1|5|9|+2]\n           [2]\n");
}

TEST(Picture, TakesTheMarkedElementOutOfItsRun) {
  Picture picture = picture_of({1, 5}, {{at({0}), at({1}), at({2}), at({3}), at({4})}});
  picture.mark = Point{2};
  EXPECT_EQ(body(picture, 80), "[0]     0  0   1   <2> 3   4\n");
  EXPECT_EQ(body(picture, 29), "[0]     0  [0..1] <2> [3..4]\n");
}

TEST(Picture, DrawsARankZeroElementAsEmptyBrackets) {
  const Picture picture = picture_of({1, 3}, {{at({}), kNothing, kNothing}});
  EXPECT_EQ(body(picture, 80), "[0]     0  [] ·  ·\n");
  EXPECT_EQ(body(picture, 17), "[0]     0  [] ·×2\n");
}

TEST(Picture, ColoursPaddingAndTheMarkOnlyWhenAsked) {
  Picture picture = picture_of({1, 2}, {{at({7}), kNothing}});
  picture.mark = Point{7};
  EXPECT_EQ(body(picture, 80, true), "[0]     0  \x1b[7m<7>\x1b[0m \x1b[2m·\x1b[0m\n");
  EXPECT_EQ(picture_to_text(picture, {80, false}).find('\x1b'), std::string::npos);
}

TEST(Picture, SaysWhatItLeavesOut) {
  Picture picture = picture_of({9, 1}, {{at({0})}});
  picture.sticks.emplace_back(LeftOut{1, 3, {2, 0, 1}});
  picture.sticks.emplace_back(DrawnStick{4, {4}, {kNothing}});
  picture.sticks.emplace_back(LeftOut{5, 4, {0, 1, 0}});
  EXPECT_EQ(body(picture, 80),
            "[0]     0  0\n"
            "… 3 sticks: 2 full, 1 padding\n"
            "[4]     8  ·\n"
            "… 4 sticks: 1 ragged, 3 not looked at\n");
}

TEST(Picture, CountsSlotsWhereASticksBytesAreNotWhole) {
  const Picture nibbles = picture_of({2, 3}, {{at({0}), at({1}), at({2})}, {at({3}), kNothing, kNothing}}, 4);
  EXPECT_NE(picture_to_text(nibbles, {80, false}).find("[d0] slot\n"), std::string::npos);
  EXPECT_EQ(body(nibbles, 80), "[0]     0  0 1 2\n[1]     3  3 · ·\n");
  const Picture bytes = picture_of({2, 2}, {{at({0}), at({1})}, {at({2}), at({3})}}, 4);
  EXPECT_NE(picture_to_text(bytes, {80, false}).find("[d0] byte\n"), std::string::npos);
  EXPECT_EQ(body(bytes, 80), "[0]     0  0 1\n[1]     1  2 3\n");
}

TEST(Picture, KnowsTheKindsOfSticks) {
  EXPECT_EQ(kind_of({0, {}, {at({0}), at({1})}}), StickKind::Full);
  EXPECT_EQ(kind_of({0, {}, {at({0}), kNothing}}), StickKind::Ragged);
  EXPECT_EQ(kind_of({0, {}, {kNothing, kNothing}}), StickKind::Padding);
}

}  // namespace report_picture_test
}  // namespace vl::report
