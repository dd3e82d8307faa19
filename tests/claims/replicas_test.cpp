// replicas-disjoint if the replicas do not simply add to an element's place: then element 0 does not decide for all.
#include <gtest/gtest.h>

#include "verifier/claims/claim.h"

namespace vl {
namespace claims_replicas_test {

// y = σ(x + r) - 2r with σ the swizzle (0, 1, 1): element 0 has {0, -1}, element 1 has {1} twice, as σ(2) = 3.
TEST(Replicas, ThatPassASwizzleBeforeTheyAreAddedAreJudgedForEveryElement) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create({{"x0", 2}});
  parts.replicas = *map::Space::create({{"r0", 2}});
  parts.physical = *map::Space::create({{"m", 4}});
  parts.map = {map::Affine{{map::Row{0, {{0, 1}, {1, 1}}}, map::pick(1)}},
               map::Swizzle{0, 0, 1, 1, map::Swizzle::Direction::Down}, map::Affine{{map::Row{0, {{0, 1}, {1, -2}}}}}};
  parts.named_axes = true;
  const auto layout = map::Layout::create(std::move(parts));
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(map::outputs_at(*layout, Point{1}, Point{0}), map::outputs_at(*layout, Point{1}, Point{1}));
  const claims::Judged answer =
      claims::decide(*claims::find_claim("replicas-disjoint"), claims::OneLayout{*layout}, {});
  const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
  ASSERT_NE(refuted, nullptr) << question::word(answer.verdict);
  EXPECT_EQ(std::get<Point>(refuted->counterexample.fields.front().second), Point{1});
}

}  // namespace claims_replicas_test
}  // namespace vl
