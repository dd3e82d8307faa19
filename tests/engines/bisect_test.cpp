// Bisection against a walk over every point, with boxes that are always decided, and with some that are not.
#include "verifier/engines/forms/bisect.h"

#include <gtest/gtest.h>

#include <set>

#include "encodings/map/space.h"
#include "tests/support/maps.h"

namespace vl::engines {
namespace engines_bisect_test {

bool lies_in(const Point& p, const Box& box) {
  for (std::size_t k = 0; k < p.size(); ++k)
    if (p[k] < box[k].low || p[k] > box[k].high) return false;
  return true;
}

TEST(Bisection, FindsTheFirstOfRandomPoints) {
  int found = 0, undecided = 0;
  test::for_all(4000, [&] {
    const auto extents =
        *rc::gen::container<std::vector<Index>>(static_cast<std::size_t>(*test::numbers(0, 3)), test::numbers(1, 7));
    const auto space = *map::Space::create(map::Space::dims("x", extents));
    std::set<Point> points;
    for (Index count = *test::numbers(0, 3); count > 0; --count)
      points.insert(space.point(*test::numbers(0, space.volume() - 1)));
    const bool all = *rc::gen::arbitrary<bool>();
    const Index largest = all ? space.volume() : *test::numbers(1, 9);  // larger boxes are not decided
    const First first = first_bad(
        whole(extents),
        [&](const Box& box) -> std::optional<bool> {
          Index volume = 1;
          for (const map::Range& range : box) volume *= range.high - range.low + 1;
          if (volume > largest) return std::nullopt;
          return std::ranges::any_of(points, [&](const Point& p) { return lies_in(p, box); });
        },
        256);
    if (!first.decided) {
      ++undecided;
      return;
    }
    RC_ASSERT(first.point == (points.empty() ? std::nullopt : std::optional(*points.begin())));
    found += first.point ? 1 : 0;
  });
  EXPECT_GT(found, 2000);
  EXPECT_LT(undecided, 400);
}

TEST(Bisection, OfAHugeBoxAsksALogarithmOfTimes) {
  const std::vector<Index> extents{Index{1} << 40, Index{1} << 20};
  const Point target{123456789012, 345678};
  int asked = 0;
  const First first = first_bad(whole(extents), [&](const Box& box) -> std::optional<bool> {
    ++asked;
    return lies_in(target, box);
  });
  EXPECT_EQ(first.point, target);
  EXPECT_LE(asked, 62);
}

TEST(Bisection, GivesUpOnABoxThatIsNeverDecided) {
  const std::vector<Index> extents{1000, 1000};
  const First first = first_bad(
      whole(extents), [](const Box&) { return std::optional<bool>(); }, 256);
  EXPECT_FALSE(first.decided);
}

}  // namespace engines_bisect_test
}  // namespace vl::engines
