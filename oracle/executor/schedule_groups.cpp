#include "oracle/executor/schedule_groups.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "oracle/executor/schedule_runs.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kLine = 64;
constexpr std::size_t kMostTogether = 8;

std::span<const Loop> loops_of(const Step& step) { return {step.loops.data(), step.rank}; }

/// Puts the loops of `step` into the order that `lead` has, splitting them where the lead's are split. How many of the
/// lead's outermost loops it has; nothing when it has a loop that the lead has not, then `step` is unchanged.
std::optional<std::size_t> follow(const Step& lead, Step& step) {
  Step left = step;
  std::array<bool, kMostLoops> has{};
  std::array<Loop, kMostLoops> taken;
  std::size_t count = 0;
  for (std::size_t k = lead.rank; k-- > 0;) {
    const Loop& loop = lead.loops[k];
    for (std::size_t j = 0; j < left.rank; ++j) {
      Loop& mine = left.loops[j];
      if (mine.source != loop.source || mine.destination != loop.destination) continue;
      if (mine.extent % loop.extent != 0) continue;
      if (mine.extent != loop.extent && left.rank + count >= kMostLoops) return std::nullopt;
      has[k] = true;
      taken[count++] = loop;
      mine = Loop{mine.extent / loop.extent, loop.source * loop.extent, loop.destination * loop.extent};
      break;
    }
  }
  for (std::size_t j = 0; j < left.rank; ++j)
    if (left.loops[j].extent != 1) return std::nullopt;
  std::reverse_copy(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(count), step.loops.begin());
  step.rank = static_cast<std::uint8_t>(count);
  return static_cast<std::size_t>(std::find(has.begin(), has.end(), false) - has.begin());
}

bool same_sides(const Step& a, const Step& b) {
  return a.source_swizzle == b.source_swizzle && a.destination_swizzle == b.destination_swizzle;
}

/// Is `tail` near `lead`: closer to it than an iteration of some loop moves, on one of the sides?
bool near(const Step& lead, const Step& tail) {
  for (const Loop& loop : loops_of(tail))
    if (std::abs(tail.source - lead.source) <= std::abs(loop.source) ||
        std::abs(tail.destination - lead.destination) <= std::abs(loop.destination))
      return true;
  return false;
}

/// Rows put together in a stage (kernels, rows.inc.h): the loop whose iterations write rows that follow each other and
/// are nothing but the runs of these steps. Its place among the lead's loops.
std::optional<std::size_t> row_loop(std::span<const Step> steps) {
  const Step& lead = steps.front();
  for (std::size_t k = 0; k < lead.rank; ++k) {
    const Index row = lead.loops[k].destination;
    if (row % kLine == 0 || row < 2 * kLine) continue;
    Index bytes = 0;
    for (const Step& step : steps) {
      Index runs = step.run;
      for (const Loop& loop : loops_of(step))
        if (loop.destination < row) runs *= loop.extent;
      bytes += step.fill == 0 ? runs : 0;
    }
    if (bytes == row) return k;
  }
  return std::nullopt;
}

/// Loops of longer strides than the row's around it, but for the one of the shortest way in the source: that one
/// selects among sequences of rows.
void order_rows(Step& lead, std::size_t row) {
  const Loop rows = lead.loops[row];
  std::sort(lead.loops.begin(), lead.loops.begin() + lead.rank,
            [](const Loop& a, const Loop& b) { return a.destination > b.destination; });
  const auto at = std::find(lead.loops.begin(), lead.loops.begin() + lead.rank, rows);
  const auto nearest = std::min_element(lead.loops.begin(), at, [](const Loop& a, const Loop& b) {
    return std::abs(a.source) < std::abs(b.source);
  });
  if (nearest == at || std::abs(nearest->source) > std::abs(rows.source) || nearest->extent > 48) return;
  std::rotate(nearest, nearest + 1, at + 1);
}

constexpr Index kTurn = 8192;  // bytes

/// Within the caches steps take turns after some iterations of the innermost shared loop instead of after each.
void in_blocks(std::span<Step> steps, std::size_t loop) {
  const Step& lead = steps.front();
  const Index extent = lead.loops[loop].extent;
  Index bytes = lead.run + lead.fill;  // of one iteration
  for (std::size_t k = loop + 1; k < lead.rank && bytes < kTurn; ++k) bytes *= lead.loops[k].extent;
  Index block = std::min(kTurn / bytes, Index{32});
  while (block > 1 && extent % block != 0) --block;
  if (block < 4 || block == extent) return;
  for (Step& step : steps) {
    if (step.rank == kMostLoops) return;
  }
  for (Step& step : steps) {
    std::copy_backward(step.loops.begin() + static_cast<std::ptrdiff_t>(loop), step.loops.begin() + step.rank,
                       step.loops.begin() + step.rank + 1);
    Loop& outer = step.loops[loop];
    step.loops[loop + 1].extent = block;
    outer = Loop{extent / block, block * outer.source, block * outer.destination};
    ++step.rank;
  }
}

/// Orders a lead and the steps that may go with it. How many loops they share.
std::size_t order_together(Effort effort, std::span<Step> steps) {
  Step& lead = steps.front();
  const auto row = lead.stream ? row_loop(steps) : std::nullopt;
  std::optional<Loop> rows;
  if (row) {
    rows = lead.loops[*row];
    order_rows(lead, *row);
  } else {
    // Long runs of several steps in the caches are written in order, so that each line is looked for ahead of its time.
    order_runs(!lead.stream && steps.size() > 1 && lead.run >= kLine ? Effort::None : effort, lead);
  }
  std::size_t shared = lead.rank;
  for (Step& step : steps.subspan(1)) shared = std::min(shared, follow(lead, step).value_or(0));
  if (rows) {
    const auto at = std::find(lead.loops.begin(), lead.loops.begin() + lead.rank, *rows);
    return std::min(shared, static_cast<std::size_t>(at - lead.loops.begin()) + 1);
  }
  if (steps.size() == 1) return 0;
  shared = std::min(shared, std::size_t{lead.rank} - 1u);  // the innermost loop is run by the kernels
  if (!lead.stream && shared != 0) in_blocks(steps, shared - 1);
  return shared;
}

}  // namespace

void group_runs(Effort effort, Plan& plan) {
  const std::vector<Step> steps = std::move(plan.steps);
  std::vector<std::size_t> order(steps.size());
  std::vector<bool> done(steps.size(), false);
  std::iota(order.begin(), order.end(), std::size_t{0});
  plan.steps.clear();
  plan.groups.clear();
  plan.steps.reserve(steps.size());
  const auto add = [&](std::size_t count, std::size_t shared) {
    plan.groups.push_back(Group{static_cast<std::uint32_t>(plan.steps.size() - count),
                                static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(shared)});
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return steps[a].rank > steps[b].rank; });
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (done[order[n]]) continue;
    const Step& lead = steps[order[n]];
    const std::size_t first = plan.steps.size();
    plan.steps.push_back(lead);
    if (lead.kernel != Kernel::Run) {
      add(1, 0);
      continue;
    }
    std::vector<std::size_t> members{order[n]};
    for (std::size_t m = n + 1; m < order.size() && members.size() < kMostTogether; ++m) {
      const Step& tail = steps[order[m]];
      Step trial = tail;
      if (done[order[m]] || tail.kernel != Kernel::Run || !same_sides(lead, tail) || !near(lead, tail)) continue;
      if (!follow(lead, trial)) continue;
      members.push_back(order[m]);
      plan.steps.push_back(tail);
    }
    std::size_t shared = order_together(effort, std::span(plan.steps).subspan(first));
    if (members.size() > 1 && shared == 0) {  // nothing in common where it counts
      plan.steps.resize(first + 1);
      plan.steps[first] = lead;
      members.resize(1);
      shared = order_together(effort, std::span(plan.steps).subspan(first));
    }
    for (const std::size_t member : members) done[member] = true;
    add(members.size(), shared);
  }
}

}  // namespace vl::oracle
