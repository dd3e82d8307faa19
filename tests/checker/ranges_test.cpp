// The ranges of a map's values, against all points.
#include <gtest/gtest.h>

#include <optional>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/checker/ranges.h"

namespace vl::checker {
namespace checker_ranges_test {

namespace test = vl::test;

// Nothing where intervals do not show that what is swizzled is not negative.
std::optional<std::vector<Interval>> known_ranges(const Map& map) {
  try {
    return ranges_of(map);
  } catch (const Rejected&) {
    return std::nullopt;
  }
}

TEST(Ranges, ContainEveryValue) {
  int known = 0;
  test::for_all(2000, [&] {
    const vl::map::Map drawn = *test::maps({.volume = 120, .least_extent = 1});
    const auto ranges = known_ranges(parse_map(vl::map::print(drawn)));
    if (!ranges) return;
    ++known;
    for (const vl::Point& p : test::all_points(drawn.domain())) {
      const vl::Point values = test::naive(drawn, p);
      for (std::size_t j = 0; j < values.size(); ++j)
        RC_ASSERT((*ranges)[j].low <= Wide(values[j]) && Wide(values[j]) <= (*ranges)[j].high);
    }
  });
  EXPECT_GT(known, 1000);
}

}  // namespace checker_ranges_test
}  // namespace vl::checker
