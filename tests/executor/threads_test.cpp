// Pool and slices: every slice runs once, the slices have every iteration once, and the number of threads changes no
// result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <numeric>
#include <stdexcept>

#include "oracle/executor/execute.h"
#include "oracle/executor/pool.h"
#include "oracle/executor/slices.h"
#include "tests/support/sanitized.h"

namespace vl::oracle {
namespace executor_threads_test {

using Image = std::vector<std::byte>;

TEST(Pool, RunsEverySliceOnceAndIsDoneWhenItReturns) {
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    Pool pool(threads);
    ASSERT_EQ(pool.threads(), threads);
    for (std::size_t slices = 0; slices < 300; slices = slices * 2 + 1) {
      std::vector<int> ran(slices, 0);  // a slice writes only its own
      for (int again = 0; again < 3; ++again) pool.run(slices, [&](std::size_t n) { ++ran[n]; });
      for (std::size_t n = 0; n < slices; ++n) ASSERT_EQ(ran[n], 3) << threads << " " << n;
    }
  }
}

TEST(Pool, ThreadsSeeWhatWasWrittenBefore) {
  Pool pool(4);
  std::vector<std::size_t> numbers(64, 0), next(64);
  for (std::size_t round = 1; round < 200; ++round) {
    pool.run(64, [&](std::size_t n) { next[n] = numbers[(n * 7 + round) % 64] + 1; });  // mostly another slice's number
    numbers.swap(next);
    for (const std::size_t number : numbers) ASSERT_EQ(number, round);
  }
}

TEST(Pool, ReturnsWhatASliceThrows) {
  Pool pool(3);
  EXPECT_THROW(pool.run(10,
                        [](std::size_t n) {
                          if (n == 7) throw std::runtime_error("7");
                        }),
               std::runtime_error);
  std::atomic<int> ran = 0;
  pool.run(10, [&](std::size_t) { ++ran; });
  EXPECT_EQ(ran, 10);
}

// A plan by hand; only what slices read.
struct Random {
  std::uint64_t state;
  Index operator()(Index low, Index high) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return low + static_cast<Index>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }
};

Plan random_plan(Random& random) {
  Plan plan;
  for (Index groups = random(1, 3); groups > 0; --groups) {
    Group group{static_cast<std::uint32_t>(plan.steps.size()), static_cast<std::uint32_t>(random(1, 2)), 0};
    const auto rank = static_cast<std::uint8_t>(random(group.count > 1 ? 1 : 0, 4));
    group.shared = static_cast<std::uint32_t>(group.count > 1 ? random(1, rank) : random(0, rank));
    std::vector<Index> extents;
    for (int k = 0; k < rank; ++k) extents.push_back(random(1, random(0, 3) == 0 ? 200 : 9));
    for (std::uint32_t n = 0; n < group.count; ++n) {
      Step step;
      step.rank = rank;
      step.kernel = rank >= 2 && random(0, 3) == 0 ? Kernel::Transpose : Kernel::Run;
      step.run = Index{1} << random(0, 8);
      Index stride = step.run;
      for (std::size_t k = rank; k-- > 0;) {
        step.loops[k] = {extents[k], stride, stride};
        stride *= extents[k];
      }
      plan.steps.push_back(step);
    }
    plan.groups.push_back(group);
  }
  return plan;
}

TEST(Slices, AreEveryIterationOnce) {
  Random random{1};
  int cuts = 0, unrolled = 0;
  for (int n = 0; n < test::fact_or_campaign(3000, 20000); ++n) {
    const Plan plan = random_plan(random);
    std::vector<WorkSlice> slices;
    slice(plan, static_cast<std::size_t>(random(1, 70)), slices, random(0, 1) * kSerialBytes, random(1, 3) * 256);
    // The iterations of each group's two outer loops: (outer, inner), or (outer, -1) if a slice has all inner loops.
    std::map<std::pair<std::uint32_t, Index>, std::vector<int>> inner;
    for (const WorkSlice& s : slices) {
      const Group& group = plan.groups[s.group];
      const Step& lead = plan.steps[group.first];
      ASSERT_LT(s.first, s.last);
      if (s.outer < 0) {
        ASSERT_LE(s.last, lead.rank == 0 ? 1 : lead.loops[0].extent);
        const Index inside = lead.rank < 2 ? 1 : lead.loops[1].extent;
        for (Index i = s.first; i < s.last; ++i) {
          auto& counts = inner[{s.group, i}];
          counts.resize(static_cast<std::size_t>(inside), 0);
          for (int& count : counts) ++count;
        }
        continue;
      }
      ++unrolled;
      ASSERT_GE(lead.rank, 2);
      std::vector<Step> steps;
      unroll(plan, group, s.outer, steps);
      ASSERT_EQ(steps.size(), group.count);
      for (std::uint32_t k = 0; k < group.count; ++k) {
        const Step& whole = plan.steps[group.first + k];
        ASSERT_EQ(steps[k].source, whole.source + s.outer * whole.loops[0].source);
        ASSERT_EQ(steps[k].destination, whole.destination + s.outer * whole.loops[0].destination);
        ASSERT_EQ(steps[k].rank + 1, whole.rank);
        for (std::size_t l = 0; l < steps[k].rank; ++l) ASSERT_EQ(steps[k].loops[l], whole.loops[l + 1]);
      }
      ASSERT_LE(s.last, lead.loops[1].extent);
      auto& counts = inner[{s.group, s.outer}];
      counts.resize(static_cast<std::size_t>(lead.loops[1].extent), 0);
      for (Index i = s.first; i < s.last; ++i) ++counts[static_cast<std::size_t>(i)];
    }
    std::size_t iterations = 0;
    for (const Group& group : plan.groups)
      iterations +=
          static_cast<std::size_t>(plan.steps[group.first].rank == 0 ? 1 : plan.steps[group.first].loops[0].extent);
    ASSERT_EQ(inner.size(), iterations);
    for (const auto& [key, counts] : inner)
      for (const int count : counts) ASSERT_EQ(count, 1);
    cuts += slices.size() > plan.groups.size();
  }
  EXPECT_GT(cuts, test::fact_or_campaign(300, 2000));
  EXPECT_GT(unrolled, test::fact_or_campaign(150, 1000));
}

TEST(Slices, AreCutAtLines) {
  Plan plan;
  Step rows;
  rows.rank = 1;
  rows.run = 100;
  rows.loops[0] = {100000, 100, 100};
  plan.steps = {rows};
  plan.groups = {{0, 1, 0}};
  std::vector<WorkSlice> slices;
  slice(plan, 3, slices);
  ASSERT_EQ(slices.size(), 12U);
  for (const WorkSlice& s : slices) {
    EXPECT_EQ(s.first * 100 % 64, 0);
    EXPECT_LT(s.last - s.first, 100000 / 12 + 32);
  }
  EXPECT_EQ(slices.back().last, 100000);
  slice(plan, 1, slices);
  EXPECT_EQ(slices, (std::vector<WorkSlice>{{0, -1, 0, 100000}}));
}

TEST(Slices, SmallPlansAreLeftWhole) {
  Plan plan;
  Step rows;
  rows.rank = 1;
  rows.run = 64;
  rows.loops[0] = {kSerialBytes / 64 - 1, 64, 64};
  plan.steps = {rows};
  plan.groups = {{0, 1, 0}};
  std::vector<WorkSlice> slices;
  slice(plan, 8, slices);
  EXPECT_EQ(slices.size(), 1U);
  ++plan.steps[0].loops[0].extent;
  slice(plan, 8, slices);
  EXPECT_GT(slices.size(), 1U);
}

map::Layout layout_of(const std::vector<Index>& logical, const std::vector<Index>& replicas,
                      const std::vector<Index>& physical, std::vector<map::Stage> stages) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", logical));
  parts.replicas = *map::Space::create(map::Space::dims("r", replicas));
  parts.physical = *map::Space::create(map::Space::dims("d", physical));
  parts.map = std::move(stages);
  return *map::Layout::create(std::move(parts));
}

// Layouts whose outermost loops are long, short, ragged and of bytes; each of more than 1 MiB.
std::vector<map::Layout> large_layouts() {
  using map::Affine, map::Split, map::pick;
  std::vector<map::Layout> all;
  const Affine sticks{{pick(1), pick(2), pick(0), pick(3)}};
  all.push_back(layout_of({7, 900, 150}, {}, {900, 3, 7, 64}, {Split{2, {64, 1}}, sticks}));
  all.push_back(layout_of({2, 3, 200001}, {}, {3, 2, 200001}, {Affine{{pick(1), pick(0), pick(2)}}}));
  all.push_back(layout_of({1100, 1000}, {}, {1000, 1100}, {Affine{{pick(1), pick(0)}}}));
  all.push_back(layout_of({1000, 301}, {4}, {4, 1000, 301}, {Affine{{pick(2), pick(0), pick(1)}}}));
  all.push_back(layout_of({1 << 20}, {}, {1 << 20}, {map::Swizzle{0, 3, 3, 3}}));
  all.push_back(layout_of({3, 700, 512}, {}, {3, 701, 576}, {Affine{{pick(0), pick(1), pick(2)}}}));
  return all;
}

TEST(Execute, GivesTheSameForAnyNumberOfThreads) {
  int sliced = 0;
  Pool two(2), three(3), many(13);
  for (const map::Layout& layout : large_layouts())
    for (const Index unit : {1, 2, 8}) {
      Relation relation;
      relation.unit = unit;
      relation.source = {Side::Kind::Dense, &layout, false, 0};
      relation.destination = {Side::Kind::Image, &layout, true, 0};
      CertifiedPlan plan;
      const auto none = plan.make(relation, {});
      ASSERT_FALSE(none.has_value()) << none->why;
      Image host(static_cast<std::size_t>(plan.plan().source_bytes));
      for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i * 0x9e3779b1U >> 20);
      const Image fill(static_cast<std::size_t>(unit), std::byte{0xfe});
      Image expected(static_cast<std::size_t>(plan.plan().destination_bytes), std::byte{1});
      ASSERT_TRUE(execute(plan, host, expected, fill));
      for (Pool* pool : {&two, &three, &many}) {
        std::vector<WorkSlice> slices;
        slice(plan.plan(), pool->threads(), slices);
        sliced += slices.size() > plan.plan().groups.size();
        Image device(expected.size(), std::byte{2});
        ASSERT_TRUE(execute(plan, host, device, fill, pool));
        ASSERT_EQ(device == expected, true) << unit;
      }
    }
  EXPECT_GT(sliced, 20);
}

TEST(Execute, ThreadsFindTheOneUnitThatDiffers) {
  const map::Affine order{{map::pick(2), map::pick(0), map::pick(1)}};
  const map::Layout layout = layout_of({1000, 301}, {4}, {4, 1000, 301}, {order});
  Relation relation;
  relation.unit = 2;
  relation.source = {Side::Kind::Image, &layout, true, 0};
  relation.destination = {Side::Kind::Image, &layout, false, 0};
  CertifiedPlan plan;
  PlanOptions options;
  options.fills = false;
  options.compares = true;
  const auto none = plan.make(relation, options);
  ASSERT_FALSE(none.has_value()) << none->why;
  Image device(2 * 4 * 301000, std::byte{5});
  Pool pool(3);
  EXPECT_TRUE(execute(plan, device, device, {}, &pool));
  for (const std::size_t at : {std::size_t{1} * 602000, std::size_t{2} * 602000 + 300001, device.size() - 1}) {
    device[at] = std::byte{6};
    EXPECT_FALSE(execute(plan, device, device, {}, &pool)) << at;
    device[at] = std::byte{5};
  }
}

}  // namespace executor_threads_test
}  // namespace vl::oracle
