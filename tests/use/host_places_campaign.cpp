// The distinct values of Σ d·x: the progressions that are found hold every value once, by a walk over all points.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/map/pieces.h"
#include "encodings/use/host_places.h"
#include "tests/support/property.h"

namespace vl::use {
namespace use_host_places_campaign {

using List = std::vector<Index>;

map::Row row_of(const List& strides, Index constant = 0) {
  map::Row row{constant, {}};
  for (std::size_t k = 0; k < strides.size(); ++k)
    if (strides[k] != 0) row.terms.push_back({k, strides[k]});
  return row;
}

map::Space space_of(const List& extents) { return *map::Space::create(map::Space::dims("x", extents)); }

List values_of(const List& extents, const List& strides, Index start) {
  List out{start};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    List longer;
    for (const Index before : out)
      for (Index v = 0; v < extents[k]; ++v) longer.push_back(before + v * strides[k]);
    out = std::move(longer);
  }
  return out;
}

// Whether the progressions hold each value of the row exactly once.
bool each_once(const List& extents, const List& strides, Index constant, const std::vector<Progression>& all) {
  List held;
  for (const Progression& one : all) {
    const List part = values_of(one.extents, one.strides, one.start);
    held.insert(held.end(), part.begin(), part.end());
  }
  std::ranges::sort(held);
  const List every = values_of(extents, strides, constant);
  const std::set<Index> distinct(every.begin(), every.end());
  return held == List(distinct.begin(), distinct.end());
}

TEST(HostPlaces, AreEachValueOnceOnRandomRows) {
  std::size_t one_to_one = 0, meeting = 0;
  test::for_all(20000, [&] {
    const auto rank = static_cast<std::size_t>(*test::numbers(1, 4));
    const List extents = *rc::gen::container<List>(rank, test::numbers(1, 7));
    const List strides = *rc::gen::container<List>(rank, test::drawn([](test::Engine& engine) {
                                                     return test::roll(engine, 0, 5) == 5 ? -test::roll(engine, 0, 19)
                                                                                          : test::roll(engine, 0, 29);
                                                   }));
    const Index constant = *test::numbers(0, 2) * 50;
    const auto all = distinct_values(row_of(strides, constant), space_of(extents));
    RC_ASSERT(all.has_value());
    RC_ASSERT(each_once(extents, strides, constant, *all));
    const bool nest = nests(row_of(strides), space_of(extents));
    bool all_move = true;
    for (std::size_t k = 0; k < rank; ++k) all_move = all_move && (extents[k] == 1 || strides[k] != 0);
    if (nest && all_move) {
      const List every = values_of(extents, strides, 0);
      RC_ASSERT(std::set<Index>(every.begin(), every.end()).size() == every.size());
      ++one_to_one;
    }
    meeting += nest ? 0U : 1U;
  });
  EXPECT_GE(one_to_one, 1000U);
  EXPECT_GE(meeting, 5000U);
}

TEST(HostPlaces, OfTheExamples) {
  EXPECT_EQ(distinct_values(row_of({2, 1}), space_of({4, 4})), (std::vector<Progression>{{0, {10}, {1}}}));
  EXPECT_EQ(distinct_values(row_of({3, 2}), space_of({4, 4})),
            (std::vector<Progression>{{0, {1}, {1}}, {2, {12}, {1}}, {15, {1}, {1}}}));
  EXPECT_EQ(distinct_values(row_of({-1}, 7), space_of({5})), (std::vector<Progression>{{3, {5}, {1}}}));
  EXPECT_EQ(distinct_values(row_of({0, 0}, 7), space_of({5, 9})), (std::vector<Progression>{{7, {}, {}}}));
}

// Windows that overlap, as of an unfolded image: rows of 224, windows of 3 x 3, one step apart.
TEST(HostPlaces, OfLargeViewsAreFew) {
  const auto windows = distinct_values(row_of({224, 1, 224, 1}), space_of({222, 222, 3, 3}));
  ASSERT_TRUE(windows.has_value());
  EXPECT_EQ(*windows, (std::vector<Progression>{{0, {50176}, {1}}}));
  const Index many = Index{1} << 40;
  const auto long_rows = distinct_values(row_of({many, 2, 1}), space_of({1000, many / 4, 6}));
  ASSERT_TRUE(long_rows.has_value());
  // A row reaches 2·(2^38 - 1) + 5 < 2^40.
  EXPECT_EQ(*long_rows, (std::vector<Progression>{{0, {many / 2 + 4, 1000}, {1, many}}}));
  const auto holes = distinct_values(row_of({1000, 3, 2}), space_of({1000000, 200, 200}));
  ASSERT_TRUE(holes.has_value());
  EXPECT_LE(holes->size(), 4U);
}

TEST(HostPlaces, GivesUpRatherThanGrow) {
  const Index million = 1000000;
  EXPECT_FALSE(distinct_values(row_of({3 * million + 1, 2 * million}), space_of({million, million})).has_value());
  EXPECT_FALSE(distinct_values(row_of({Index{1} << 62, 3}), space_of({3, 3})).has_value());
}

}  // namespace use_host_places_campaign
}  // namespace vl::use
