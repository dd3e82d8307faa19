// What the stages of a map show, against every point: ranges and one-to-one maps; and the three questions that the
// strided engine answers by them, about tiles that are dealt to cores.
#include "verifier/engines/forms/stagewise.h"

#include <gtest/gtest.h>

#include <set>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_stagewise_test {

TEST(Stagewise, TellsOnlyInjectiveMaps) {
  int told = 0;
  test::for_all(3000, [&] {
    const map::Map map = *test::maps({.volume = 120, .least_extent = 1});
    if (!told_by_stages(map)) return;
    RC_ASSERT(test::distinct_values(map) == map.domain().volume());
    ++told;
  });
  EXPECT_GT(told, 450);
}

// Of `rows` by `columns` tiles, tile columns·r + c lies on core t mod cores, there at t div cores, of `places` places.
map::Layout dealt(Index rows, Index columns, Index cores, Index places) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{rows, columns}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{places, cores}));
  parts.map = {map::Affine{{map::dot(std::vector<Index>{columns, 1})}}, map::Split{0, {cores, 1}}};
  return *map::Layout::create(std::move(parts));
}

TEST(Stagewise, DecidesTilesThatAreDealt) {
  const auto ask = [](const map::Layout& layout, Kind kind) {
    return decide_strided({kind, &layout, nullptr}, Options());
  };
  const map::Layout fits = dealt(1 << 20, 3 << 10, 12, Index{1} << 28);  // 3·2^30 tiles, 2^28 for each core
  EXPECT_TRUE(std::holds_alternative<None>(ask(fits, Kind::Escapes)));
  EXPECT_TRUE(std::holds_alternative<None>(ask(fits, Kind::Collides)));
  const Answer count = ask(fits, Kind::Count);
  ASSERT_TRUE(std::holds_alternative<Counted>(count));
  EXPECT_EQ(std::get<Counted>(count).count, Index{3} << 30);
  EXPECT_TRUE(lands_by_ranges(fits));
  EXPECT_FALSE(lands_by_ranges(dealt(1 << 20, 3 << 10, 12, (Index{1} << 28) - 1)));
}

}  // namespace engines_stagewise_test
}  // namespace vl::engines
