// The schedule of a transpose changes the order in which units are moved and nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/executor/schedule_transpose.h"
#include "tests/support/property.h"

namespace vl::oracle {
namespace executor_schedule_transpose_test {

using Pairs = std::vector<std::pair<Index, Index>>;

/// Every pair of addresses, sorted: loop after loop.
Pairs pairs_of(const Step& step) {
  Pairs pairs = {{step.source, step.destination}};
  for (std::size_t k = 0; k < step.rank; ++k) {
    Pairs next;
    for (const auto& [source, destination] : pairs)
      for (Index i = 0; i < step.loops[k].extent; ++i)
        next.emplace_back(source + i * step.loops[k].source, destination + i * step.loops[k].destination);
    pairs = std::move(next);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Step step_of(Index unit, const std::vector<Loop>& loops) {
  Step step;
  step.kernel = Kernel::Transpose;
  step.run = unit;
  for (const Loop& loop : loops) step.loops[step.rank++] = loop;
  return step;
}

Step scheduled(Step step, Index destination_bytes) {
  Plan plan;
  plan.destination_bytes = destination_bytes;
  schedule_transpose(PlanOptions{}, plan, step);
  return step;
}

TEST(ScheduleTranspose, KeepsEveryPairAndTheMatrixLast) {
  int cut = 0, large_ones = 0;
  test::for_all(50, [&] {
    test::Engine random = *test::engines();
    const auto below = [&](std::uint64_t n) { return static_cast<Index>(random.below(n)); };
    // Some are large and have few outer iterations, so that they are cut.
    const bool large = below(12) == 11;
    const Index unit = large ? 16 : Index{1} << below(5), rows = large ? 200 + below(9) : 1 + below(40);
    const Index columns = large ? 64 * (6 + below(2)) : 1 + below(100);
    std::vector<Loop> loops;
    for (Index k = large ? 0 : below(4); k-- > 0;)
      loops.push_back({1 + below(4), below(1 << 20) - (1 << 18), below(1 << 20)});
    loops.push_back({rows, columns * unit + below(9), unit});
    loops.push_back({columns, unit, rows * unit + below(9)});
    const Step before = step_of(unit, loops);
    const Step after = scheduled(before, Index{1} << (20 + below(10)));
    RC_ASSERT((pairs_of(before) == pairs_of(after)));
    RC_ASSERT(after.rank >= 2);
    RC_ASSERT(after.loops[after.rank - 2u].destination == unit);
    RC_ASSERT(after.loops[after.rank - 1u].source == unit);
    cut += after.rank != before.rank ? 1 : 0;
    large_ones += large ? 1 : 0;
  });
  EXPECT_EQ(cut, large_ones);
  EXPECT_GE(cut, 2);
}

TEST(ScheduleTranspose, CutsALoneMatrixByColumnsOfWholeLines) {
  const Step step = scheduled(step_of(2, {{4096, 16384, 2}, {8192, 2, 8192}}), Index{64} << 20);
  ASSERT_EQ(step.rank, 3);
  EXPECT_EQ(step.loops[0], (Loop{16, 1024, 4194304}));
  EXPECT_EQ(step.loops[1], (Loop{4096, 16384, 2}));
  EXPECT_EQ(step.loops[2], (Loop{512, 2, 8192}));
}

TEST(ScheduleTranspose, WalksAlongTheSourceWhereItStreams) {
  const std::vector<Loop> loops = {{64, 128, 8192 * 64}, {64, 8192 * 64, 8192}, {64, 8192, 2}, {64, 2, 128}};
  const Step step = scheduled(step_of(2, loops), Index{64} << 20);
  EXPECT_EQ(step.loops[0], loops[1]);
  EXPECT_EQ(step.loops[1], loops[0]);
}

TEST(ScheduleTranspose, WalksAlongTheDestinationWhereItsShortRunsStayInTheCaches) {
  const std::vector<Loop> loops = {{16, 100, 1024}, {16, 64, 4096}, {4, 2000, 2}, {8, 2, 16}};
  const Step step = scheduled(step_of(2, loops), Index{1} << 16);
  EXPECT_EQ(step.loops[0], loops[1]);
  EXPECT_EQ(step.loops[1], loops[0]);
}

}  // namespace executor_schedule_transpose_test
}  // namespace vl::oracle
