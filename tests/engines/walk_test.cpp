// One walk and its limits: the first point, and how long a walk goes on when it is told to end.
#include "verifier/engines/walk/walk.h"

#include <gtest/gtest.h>

#include <atomic>

namespace vl::engines {
namespace engines_walk_test {

const map::Space kBox = *map::Space::create({{"x", 1 << 10}, {"y", 1 << 10}});

TEST(Walk, FindsTheFirstPointInRowMajorOrder) {
  const Budget budget;
  Limit limit(budget);
  const Answer answer = first_point(kBox, limit, [](const Point& p) { return p[0] + p[1] == 3; });
  ASSERT_TRUE(std::holds_alternative<Found>(answer));
  EXPECT_EQ(std::get<Found>(answer).witness.p, (Point{0, 3}));
  EXPECT_TRUE(std::get<Found>(answer).minimal);
  const auto nowhere = [](const Point&) { return false; };
  EXPECT_TRUE(std::holds_alternative<None>(first_point(kBox, limit, nowhere)));
}

// A point may be a long expression, so the walk looks after few of them.
TEST(Walk, EndsSoonAfterItIsToldTo) {
  std::atomic<bool> stop = false;
  std::atomic<bool> spent = false;
  Budget budget;
  budget.stop = &stop;
  budget.spent = &spent;
  Limit limit(budget);
  Index seen = 0;
  const Answer answer = first_point(kBox, limit, [&](const Point&) {
    stop = ++seen >= 5;
    return false;
  });
  ASSERT_TRUE(std::holds_alternative<Abstained>(answer));
  EXPECT_EQ(std::get<Abstained>(answer).reason, Reason::Interrupted);
  EXPECT_FALSE(spent);
  EXPECT_LE(seen, 5 + 1024);
}

TEST(Walk, OfAnAnswerThatIsToEndAbstainsAndMarksTheBudget) {
  std::atomic<bool> spent = false;
  Budget budget;
  budget.end = Budget::Clock::now() - std::chrono::seconds(1);
  budget.spent = &spent;
  Limit limit(budget);
  const Answer answer = first_point(kBox, limit, [](const Point&) { return false; });
  ASSERT_TRUE(std::holds_alternative<Abstained>(answer));
  EXPECT_EQ(std::get<Abstained>(answer).reason, Reason::Timeout);
  EXPECT_TRUE(spent);
}

// The work is counted: no clock plays a part in it. A tenth of the units is a tenth of the steps.
TEST(Walk, EndsAfterItsStepsWhateverTheTime) {
  std::atomic<bool> spent = false;
  Budget budget;
  budget.spent = &spent;
  budget.rlimit = Budget::kUnits / 10;
  Limit limit(budget, budget.work(1000));
  Index seen = 0;
  const Answer answer = first_point(kBox, limit, [&](const Point&) { return ++seen < 0; });
  ASSERT_TRUE(std::holds_alternative<Abstained>(answer));
  EXPECT_EQ(std::get<Abstained>(answer).reason, Reason::ResourceLimit);
  EXPECT_EQ(std::get<Abstained>(answer).why, "the walk took its 100 steps");
  EXPECT_TRUE(spent);
  EXPECT_EQ(seen, 100);
}

}  // namespace engines_walk_test
}  // namespace vl::engines
