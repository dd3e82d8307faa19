// Space: numbers and points, the row-major walk, names and volumes.
#include "encodings/map/space.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/maps.h"

namespace vl::map {
namespace map_space_test {

constexpr Index kMost = std::numeric_limits<Index>::max();

Space space(std::vector<Index> extents) { return *Space::create(Space::dims("x", extents)); }

/// All spaces of rank <= 3 and extents 0..4.
std::vector<Space> small_spaces() {
  std::vector<Space> all;
  for (std::size_t rank = 0; rank <= 3; ++rank)
    for (const Point& extents : test::all_points(space(std::vector<Index>(rank, 5)))) all.push_back(space(extents));
  return all;
}

TEST(Space, NumbersItsPointsInRowMajorOrder) {
  std::size_t points = 0;
  for (const Space& s : small_spaces()) {
    Index number = 0;
    for (const Point& x : test::all_points(s)) {  // row-major by construction
      ASSERT_TRUE(s.contains(x));
      ASSERT_EQ(s.linear(x), number);
      ASSERT_EQ(s.point(number), x);
      ++number;
      ++points;
    }
    ASSERT_EQ(s.volume(), number);
  }
  EXPECT_EQ(small_spaces().size(), 156U);
  EXPECT_EQ(points, 1U + 10 + 100 + 1000);
}

TEST(Advance, VisitsEveryPointOnceInRowMajorOrder) {
  for (const Space& s : small_spaces()) {
    if (s.volume() == 0) continue;
    const auto expected = test::all_points(s);
    Point x(s.rank(), 0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(x, expected[i]);
      ASSERT_EQ(map::advance(s, x), i + 1 < expected.size());
    }
    ASSERT_EQ(x, Point(s.rank(), 0));  // and starts again
  }
}

TEST(Space, OfRankZeroHasOnePoint) {
  EXPECT_EQ(Space().volume(), 1);
  EXPECT_TRUE(Space().contains(Point{}));
  EXPECT_EQ(Space().linear(Point{}), 0);
  EXPECT_EQ(Space().point(0), Point{});
}

TEST(Space, ComputesTheExampleOfTheHeader) {
  const Space s = space({100, 3, 5, 64});
  EXPECT_EQ(s.volume(), 96000);
  EXPECT_EQ(s.linear(Point{7, 0, 2, 40}), 6888);
  EXPECT_EQ(s.point(6888), (Point{7, 0, 2, 40}));
}

TEST(Space, ContainsNothingOutsideItsBox) {
  const Space s = space({2, 3});
  for (const Point& x : {Point{2, 0}, Point{0, 3}, Point{-1, 0}, Point{0, -1}, Point{0}, Point{0, 0, 0}, Point{}})
    EXPECT_FALSE(s.contains(x));
  EXPECT_FALSE(space({2, 0}).contains(Point{0, 0}));
}

TEST(Space, NumbersOnlyItsOwnPoints) {
  const Space s = space({2, 3});
  EXPECT_THROW(static_cast<void>(s.linear(Point{2, 0})), InternalError);
  EXPECT_THROW(static_cast<void>(s.point(6)), InternalError);
  EXPECT_THROW(static_cast<void>(s.point(-1)), InternalError);
}

TEST(Space, MayHaveAsManyPointsAsTheLargestNumber) {
  const Space s = space({kMost});
  EXPECT_EQ(s.volume(), kMost);
  EXPECT_EQ(s.linear(Point{kMost - 1}), kMost - 1);
  EXPECT_EQ(s.point(kMost - 1), Point{kMost - 1});
  EXPECT_EQ(space({7, 7, 73, 127, 337, 92737, 649657}).volume(), kMost);
}

TEST(Space, MayBeEmptyBesideExtentsThatOverflow) { EXPECT_EQ(space({kMost, 0, kMost}).volume(), 0); }

ErrorCode refused(std::vector<Dim> dims) {
  const auto result = Space::create(std::move(dims));
  return result ? ErrorCode::Io : result.error().code;  // Io is not one of Space's
}

TEST(Space, RefusesMorePointsThan64Bits) {
  EXPECT_EQ(refused({{"a", Index{1} << 32}, {"b", Index{1} << 31}}), ErrorCode::Overflow);
  EXPECT_EQ(refused({{"a", kMost}, {"b", 2}, {"c", 1}}), ErrorCode::Overflow);
}

TEST(Space, RefusesNegativeExtents) { EXPECT_EQ(refused({{"a", 0}, {"b", -1}}), ErrorCode::Value); }

TEST(Space, RefusesNamesThatAreNoIdentifiers) {
  for (const char* name : {"", "1a", "a b", "a-b", "a.b", "\xc3\xa9", "a\n"})
    EXPECT_EQ(refused({{name, 1}}), ErrorCode::Value) << name;
  for (const char* name : {"a", "_", "A1_", "x0"}) EXPECT_TRUE(Space::create({{name, 1}}).has_value()) << name;
}

TEST(Space, RefusesANameTwice) { EXPECT_EQ(refused({{"a", 1}, {"b", 1}, {"a", 2}}), ErrorCode::Value); }

TEST(Space, NamesItsDimensionsByPrefixAndNumber) {
  EXPECT_EQ(Space::dims("d", std::vector<Index>{4, 5}, Unit::Stick),
            (std::vector<Dim>{{"d0", 4, Unit::Stick}, {"d1", 5, Unit::Stick}}));
}

TEST(Concatenate, PutsTheSecondSpaceBehindTheFirst) {
  const auto both = concatenate(*Space::create({{"a", 2}, {"b", 3}}), *Space::create({{"c", 4}}));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->dims(), (std::vector<Dim>{{"a", 2}, {"b", 3}, {"c", 4}}));
  EXPECT_EQ(both->volume(), 24);
}

TEST(Concatenate, RefusesWhatCreateRefuses) {
  EXPECT_EQ(concatenate(space({2}), space({3})).error().code, ErrorCode::Value);  // x0 twice
  EXPECT_EQ(concatenate(space({kMost}), *Space::create({{"y", 2}})).error().code, ErrorCode::Overflow);
}

TEST(Unit, HasANameThatIsReadBack) {
  EXPECT_EQ(name(Unit::Element), "element");
  EXPECT_EQ(name(Unit::Lane), "lane");
  for (const Unit unit : {Unit::Element, Unit::Byte, Unit::Stick, Unit::Word, Unit::Core, Unit::Lane})
    EXPECT_EQ(unit_of(name(unit)), unit);
  for (const char* text : {"", "Byte", "bytes", "sticks"}) EXPECT_EQ(unit_of(text), std::nullopt);
}

}  // namespace map_space_test
}  // namespace vl::map
