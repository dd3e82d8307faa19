// Schedules of runs: the schedule of a tensor with a padded, permuted, cut destination keeps every pair, and moves it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "oracle/executor/schedule.h"
#include "oracle/kernels/kernels.h"
#include "tests/kernels/steps.h"

namespace vl::oracle::tests {
namespace kernels_runs_schedule_campaign {

/// Pieces and gaps of a copy between two dense memories whose dimensions have any order and any padding.
struct Case {
  Plan plan;
  Index unit = 1;
};

/// Row-major strides of `extents` in the order of `order` (outermost first), in bytes. Returns the volume in bytes.
Index strides_of(const std::vector<Index>& extents, const std::vector<std::size_t>& order, Index unit,
                 std::vector<Index>& strides) {
  Index stride = unit;
  strides.resize(extents.size());
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride *= extents[order[k]];
  }
  return stride;
}

/// A copy's two memories: the strides of both, and how far the destination reaches in each dimension.
struct Memories {
  std::vector<Index> extents, destination_extents, from, to;
};

/// Boxes of the destination: each dimension in up to three parts, the last of which is padding; or the data so, and the
/// padding of each dimension all in one.
std::vector<Step> random_boxes(Random& random, const Memories& memories, Index unit) {
  const auto& [extents, destination_extents, from, to] = memories;
  const std::size_t rank = extents.size();
  const bool whole_gaps = between(random, 0, 1) == 0;
  std::vector<Step> boxes(1);
  boxes[0].run = unit;
  for (std::size_t k = 0; k < rank; ++k) {
    std::vector<Step> next;
    const Index cut = between(random, 0, 1) == 0 ? extents[k] : between(random, 1, extents[k]);
    const std::array<Index, 4> bounds{0, cut, extents[k], destination_extents[k]};
    for (const Step& box : boxes)
      for (std::size_t part = 0; part < 3; ++part) {
        const Index low = bounds[part], count = bounds[part + 1] - low;
        if (count == 0 || (whole_gaps && part == 2)) continue;
        Step cell = box;
        if (part == 2) cell.kernel = Kernel::Fill;
        const bool reverse = part != 2 && between(random, 0, 4) == 0;
        const Index first = reverse ? low + count - 1 : low;
        cell.source += first * from[k];
        cell.destination += first * to[k];
        cell.loops[cell.rank++] = reverse ? Loop{count, -from[k], -to[k]} : Loop{count, from[k], to[k]};
        next.push_back(cell);
      }
    boxes = next;
  }
  for (std::size_t k = 0; whole_gaps && k < rank; ++k) {
    if (destination_extents[k] == extents[k]) continue;
    Step padding = step_of(Kernel::Fill, {}, unit);
    padding.destination = extents[k] * to[k];
    for (std::size_t j = 0; j < rank; ++j) {
      const Index count = j < k ? extents[j] : destination_extents[j] - (j == k ? extents[j] : 0);
      padding.loops[padding.rank++] = Loop{count, 0, to[j]};
    }
    boxes.push_back(padding);
  }
  return boxes;
}

Case random_case(Random& random) {
  Case result;
  result.unit = Index{1} << between(random, 0, 3);
  const std::size_t rank = static_cast<std::size_t>(between(random, 1, 4));
  Memories memories;
  auto& [extents, destination_extents, from, to] = memories;
  std::vector<Index> source_extents;
  extents.resize(rank);
  Index volume = 1;
  constexpr std::array<Index, 10> kExtents{1, 2, 3, 5, 8, 16, 22, 32, 64, 40};
  for (Index& extent : extents) {
    extent = test::one_of(random, kExtents);
    if (volume * extent > 6000) extent = 2;
    volume *= extent;
  }
  source_extents = destination_extents = extents;
  for (std::size_t k = 0; k < rank; ++k) {
    if (between(random, 0, 3) == 0) source_extents[k] += between(random, 1, 3);
    if (between(random, 0, 2) == 0) destination_extents[k] += between(random, 1, 10);
  }
  std::vector<std::size_t> order(rank);
  for (std::size_t k = 0; k < rank; ++k) order[k] = k;
  result.plan.source_bytes = strides_of(source_extents, order, result.unit, from);
  if (between(random, 0, 3) != 0) std::shuffle(order.begin(), order.end(), random);
  result.plan.destination_bytes = strides_of(destination_extents, order, result.unit, to);
  std::vector<Step> boxes = random_boxes(random, memories, result.unit);
  std::int32_t piece = 0, gap = 0;
  for (Step& box : boxes) {
    if (box.kernel == Kernel::Fill) {
      box.source = 0;
      for (std::size_t k = 0; k < box.rank; ++k) box.loops[k].source = 0;
      box.gap = gap++;
    } else {
      box.piece = piece++;
    }
    result.plan.groups.push_back({static_cast<std::uint32_t>(result.plan.steps.size()), 1, 0});
    result.plan.steps.push_back(box);
  }
  return result;
}

/// Runs a scheduled plan by a set, each group in `slices` slices of its outermost loop.
bool run_all(const Plan& plan, const KernelSet& set, Index slices, const Buffers& buffers) {
  bool same = true;
  for (const Group& group : plan.groups) {
    const Step& lead = plan.steps[group.first];
    const Index extent = lead.rank == 0 ? 1 : lead.loops[0].extent;
    for (Index k = 0; k < slices; ++k) {
      const Index first = extent * k / slices, last = extent * (k + 1) / slices;
      if (first < last) same = set.run_group(&lead, group.count, group.shared, first, last, buffers) && same;
    }
  }
  set.fence();
  return same;
}

/// Steps stay what they are, piece by piece, groups cover them in order, and every set does what the steps said first.
void assert_schedule_keeps(const Case& said, Index last_level_cache, Index alignment) {
  PlanOptions options;
  options.last_level_cache = last_level_cache;
  Plan plan = said.plan;
  schedule(options, plan);
  const Index bytes = plan.destination_bytes;
  const std::vector<Index> pairs = pairs_of(said.plan.steps, bytes, said.unit);
  RC_ASSERT((pairs_of(plan.steps, bytes, said.unit) == pairs));
  for (const Step& step : plan.steps) {
    RC_ASSERT((step.kernel == Kernel::Fill) == (step.piece < 0));
    RC_ASSERT((step.fill != 0 || step.kernel == Kernel::Fill) == (step.gap >= 0));
    Step bare = step;
    bare.fill = 0;
    for (const Step& piece : said.plan.steps) {
      if (step.piece >= 0 ? piece.piece != step.piece : piece.gap != step.gap) continue;
      RC_ASSERT((pairs_of({bare}, bytes, said.unit) == pairs_of({piece}, bytes, said.unit)));
    }
  }
  std::uint32_t next = 0;
  for (const Group& group : plan.groups) {
    RC_ASSERT(group.first == next);
    RC_ASSERT((group.count == 1 || group.shared >= 1));
    next += group.count;
    for (std::uint32_t k = group.first; k < next; ++k)
      for (std::uint32_t loop = 0; loop < group.shared; ++loop)
        RC_ASSERT(plan.steps[k].loops[loop].extent == plan.steps[group.first].loops[loop].extent);
  }
  RC_ASSERT(next == plan.steps.size());
  Arena arena(plan.source_bytes, bytes, alignment, said.unit);
  for (const KernelSet& set : kernel_sets())
    for (const Index slices : {1, 3}) {
      bool ran = true;
      const std::string difference =
          arena.difference(pairs, [&](const Buffers& b) { ran = run_all(plan, set, slices, b) && ran; });
      if (!ran || !difference.empty()) RC_LOG() << set.name << ", " << slices << " slices: " << difference;
      RC_ASSERT(ran);
      RC_ASSERT(difference.empty());
    }
}

TEST(RunSchedule, KeepsEveryPairOfRandomCopies) {
  test::for_all(250, [&] {
    Random random = *test::engines();
    const Case said = random_case(random);
    const Index cache = between(random, 0, 1) << 25;
    assert_schedule_keeps(said, cache, between(random, 0, 1) * between(random, 0, 63));
  });
}

/// Sticks of 128 bytes of a [batch, rows, row bytes] host tensor, to the device or back.
Case sticks(Index batch, Index rows, Index row, bool back) {
  Case result;
  const Index full = row / 128, rest = row % 128, all = (row + 127) / 128;
  const auto add = [&](std::vector<std::array<Index, 3>> loops, Index host, Index device) {
    Step step = step_of(Kernel::Run, {}, 1);
    for (const auto& [extent, on_host, on_device] : loops)
      step.loops[step.rank++] = back ? Loop{extent, on_device, on_host} : Loop{extent, on_host, on_device};
    step.source = back ? device : host;
    step.destination = back ? host : device;
    step.piece = static_cast<std::int32_t>(result.plan.steps.size());
    result.plan.steps.push_back(step);
  };
  const Index in_batch = rows * row, stick = batch * 128, device_row = all * stick;
  if (full > 0) add({{batch, in_batch, 128}, {rows, row, device_row}, {full, 128, stick}, {128, 1, 1}}, 0, 0);
  if (rest > 0) add({{batch, in_batch, 128}, {rows, row, device_row}, {rest, 1, 1}}, full * 128, full * stick);
  if (rest > 0 && !back) {
    Step gap = step_of(Kernel::Fill, {{rows, 0, device_row}, {batch, 0, 128}, {128 - rest, 0, 1}}, 1);
    gap.destination = full * stick + rest;
    gap.gap = 0;
    result.plan.steps.push_back(gap);
  }
  result.plan.source_bytes = back ? rows * device_row : batch * in_batch;
  result.plan.destination_bytes = back ? batch * in_batch : rows * device_row;
  return result;
}

TEST(RunSchedule, SticksGoThereAndBack) {
  for (const Index batch : {1, 2, 5, 40})
    for (const Index rows : {1, 7, 32})
      for (const Index row : {44, 127, 150, 256, 300, 700})
        for (const bool back : {false, true})
          for (const Index cache : {Index{0}, Index{1} << 25}) {
            test::for_all(1, fmt::format("{} {} {} {} {}", batch, rows, row, back, cache), [&] {
              assert_schedule_keeps(sticks(batch, rows, row, back), cache, batch == 2 ? *test::numbers(0, 63) : 0);
            });
            if (HasFatalFailure()) return;
          }
}

TEST(RunSchedule, TheTailOfARowAndItsGapGoWithTheRow) {
  Plan plan = sticks(5, 7, 300, false).plan;
  schedule({true, false, 0}, plan);
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(plan.groups[0].count, 2u);
  EXPECT_EQ(plan.groups[0].shared, 1u);
  EXPECT_EQ(plan.steps[1].run, 44);
  EXPECT_EQ(plan.steps[1].fill, 84);
  EXPECT_EQ(plan.steps[1].gap, 0);
  EXPECT_TRUE(plan.steps[0].stream);
}

/// Tiles of 2 x 2 faces, each `side` rows of 32 bytes, made of a row-major matrix, or back.
Case faces(Index tile_rows, Index tiles, Index side, bool back) {
  const Index row = tiles * 64, face = side * 32, tile = 4 * face;
  Step step = step_of(Kernel::Run, {}, 1);
  for (const auto& [extent, on_host, on_device] : {std::array<Index, 3>{tile_rows, 2 * side * row, tiles * tile},
                                                   {2, side * row, 2 * face},
                                                   {side, row, 32},
                                                   {tiles, 64, tile},
                                                   {2, 32, face},
                                                   {32, 1, 1}})
    step.loops[step.rank++] = back ? Loop{extent, on_device, on_host} : Loop{extent, on_host, on_device};
  step.piece = 0;
  Case result;
  result.plan.steps.push_back(step);
  result.plan.source_bytes = result.plan.destination_bytes = tile_rows * tiles * tile;
  return result;
}

TEST(RunSchedule, TilesOfFacesGoThereAndBack) {
  for (const Index tile_rows : {1, 2, 3})
    for (const Index tiles : {1, 2, 3, 8, 9})
      for (const Index side : {1, 2, 3, 16})
        for (const bool back : {false, true})
          for (const Index cache : {Index{0}, Index{1} << 25}) {
            test::for_all(1, fmt::format("{} {} {} {} {}", tile_rows, tiles, side, back, cache), [&] {
              assert_schedule_keeps(faces(tile_rows, tiles, side, back), cache, tiles == 3 ? 32 : 0);
            });
            if (HasFatalFailure()) return;
          }
  for (const bool back : {false, true})  // above the first caches
    test::for_all(1, back ? "back" : "there",
                  [&] { assert_schedule_keeps(faces(15, 36, 16, back), Index{1} << 25, 0); });
}

TEST(RunSchedule, FacesAreReadByWholeTiles) {
  Plan plan = faces(2, 16, 16, true).plan;  // a tile has 2 KiB
  schedule({true, false, 0}, plan);
  const std::array<Loop, 6> loops{Loop{2, 32768, 32768}, {4, 8192, 256}, {2, 1024, 16384},
                                  {4, 2048, 64},         {16, 32, 1024}, {2, 512, 32}};
  ASSERT_EQ(plan.steps.size(), 1u);
  ASSERT_EQ(plan.steps[0].rank, loops.size());
  EXPECT_TRUE(std::equal(loops.begin(), loops.end(), plan.steps[0].loops.begin()));
}

TEST(RunSchedule, RunsUnderASwizzleStayWithinWhatItKeepsTogether) {
  test::for_all(60, [&] {
    Random random = *test::engines();
    Case said;
    said.unit = Index{1} << between(random, 0, 2);
    Step step = step_of(Kernel::Run, {{between(random, 1, 900), said.unit, said.unit}}, said.unit);
    step.piece = 0;
    const auto base = static_cast<std::uint8_t>(between(random, 3, 6));
    const ByteSwizzle swizzle{base, 2, static_cast<std::uint8_t>(between(random, 2, 4)), between(random, 0, 1) == 0};
    (between(random, 0, 2) == 0 ? step.source_swizzle : step.destination_swizzle) = swizzle;
    step.source = said.unit * between(random, 0, 20);
    step.destination = said.unit * (between(random, 0, 4) == 4 ? between(random, 0, 20) : 0);
    said.plan.steps = {step};
    said.plan.groups = {{0, 1, 0}};
    said.plan.source_bytes = said.plan.destination_bytes = 1 << 14;
    assert_schedule_keeps(said, between(random, 0, 1) << 25, 0);
    Plan plan = said.plan;
    schedule({}, plan);
    RC_ASSERT(plan.steps[0].run <= Index{1} << base);
  });
}

}  // namespace kernels_runs_schedule_campaign
}  // namespace vl::oracle::tests
