#include "oracle/executor/schedule_groups.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "oracle/executor/schedule_runs.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kLine = 64;
constexpr std::size_t kMostTogether = 8;
constexpr std::uint32_t kDone = ~std::uint32_t{0};

std::span<const Loop> loops_of(const Step& step) { return {step.loops.data(), step.rank}; }

/// The loops of a step in the order of another one.
struct Following {
  std::array<Loop, kMostLoops> loops;  // innermost first
  std::size_t rank = 0;
  std::size_t shared = 0;  // the number of the other one's outermost loops that it has
};

/// The loops of `step` in the order of `lead`, split like the lead's. False if it has a loop that the lead lacks.
bool follow(const Step& lead, const Step& step, Following& out) {
  std::array<Loop, kMostLoops> left;
  std::copy_n(step.loops.begin(), step.rank, left.begin());
  std::uint32_t missing = 0;  // loops of the lead
  std::size_t open = step.rank;
  out.rank = 0;
  for (std::size_t k = lead.rank; k-- > 0;) {
    const Loop& loop = lead.loops[k];
    missing |= std::uint32_t{1} << k;
    for (std::size_t j = 0; j < step.rank; ++j) {
      Loop& mine = left[j];
      if (mine.source != loop.source || mine.destination != loop.destination) continue;
      if (mine.extent != loop.extent) {
        if (mine.extent % loop.extent != 0) continue;
        if (step.rank + out.rank >= kMostLoops) return false;
      }
      missing &= ~(std::uint32_t{1} << k);
      out.loops[out.rank++] = loop;
      open -= mine.extent == loop.extent ? 1 : 0;
      mine = mine.extent == loop.extent
                 ? Loop{1, 0, 0}
                 : Loop{mine.extent / loop.extent, loop.source * loop.extent, loop.destination * loop.extent};
      break;
    }
  }
  out.shared = missing == 0 ? lead.rank : static_cast<std::size_t>(std::countr_zero(missing));
  return open == 0;
}

void take(const Following& from, Step& step) {
  const auto end = from.loops.begin() + static_cast<std::ptrdiff_t>(from.rank);
  std::reverse_copy(from.loops.begin(), end, step.loops.begin());
  step.rank = static_cast<std::uint8_t>(from.rank);
}

bool same_sides(const Step& a, const Step& b) {
  return a.source_swizzle == b.source_swizzle && a.destination_swizzle == b.destination_swizzle;
}

/// Whether `tail` is near `lead`: on one of the sides, closer than one step of some loop.
bool near(const Step& lead, const Step& tail) {
  for (const Loop& loop : loops_of(tail))
    if (std::abs(tail.source - lead.source) <= std::abs(loop.source) ||
        std::abs(tail.destination - lead.destination) <= std::abs(loop.destination))
      return true;
  return false;
}

/// For rows that are joined in a stage (kernels, rows.inc.h): the place, among the lead's loops, of the loop whose
/// iterations write rows that follow each other and consist only of the runs of these steps.
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

/// Puts loops of longer strides than the row's around it, except the one of the shortest stride in the source, which
/// selects among sequences of rows.
void order_rows(Step& lead, std::size_t row) {
  const Loop rows = lead.loops[row];
  std::sort(lead.loops.begin(), lead.loops.begin() + lead.rank,
            [](const Loop& a, const Loop& b) { return a.destination > b.destination; });
  const auto at = std::find(lead.loops.begin(), lead.loops.begin() + lead.rank, rows);
  const auto nearest = std::min_element(
      lead.loops.begin(), at, [](const Loop& a, const Loop& b) { return std::abs(a.source) < std::abs(b.source); });
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

/// Orders a lead and the steps that may run with it. Returns the number of loops that they share.
std::size_t order_together(bool search, std::span<Step> steps) {
  Step& lead = steps.front();
  const auto row = lead.stream ? row_loop(steps) : std::nullopt;
  std::optional<Loop> rows;
  if (row) {
    rows = lead.loops[*row];
    order_rows(lead, *row);
  } else {
    // Long runs of several steps in the caches are written in order, so that each line is prefetched.
    const bool in_order = !lead.stream && steps.size() > 1 && lead.run >= kLine;
    order_runs(search && !in_order, lead);
  }
  std::size_t shared = lead.rank;
  Following following;
  for (Step& step : steps.subspan(1)) {
    const bool follows = follow(lead, step, following);
    if (follows) take(following, step);
    shared = follows ? std::min(shared, following.shared) : 0;
  }
  if (rows) {
    const auto at = std::find(lead.loops.begin(), lead.loops.begin() + lead.rank, *rows);
    return std::min(shared, static_cast<std::size_t>(at - lead.loops.begin()) + 1);
  }
  if (steps.size() == 1) return 0;
  shared = std::min(shared, std::size_t{lead.rank} - 1u);  // the innermost loop is run by the kernels
  if (!lead.stream && shared != 0) in_blocks(steps, shared - 1);
  return shared;
}

/// The numbers of the steps, those with more loops first, else in their order.
void lead_first(std::span<const Step> steps, std::vector<std::uint32_t>& order) {
  std::array<std::uint32_t, kMostLoops + 2> begin{};  // of the steps of kMostLoops - k loops
  for (const Step& step : steps) ++begin[kMostLoops - step.rank + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  order.resize(steps.size());
  for (std::uint32_t k = 0; k < steps.size(); ++k) order[begin[kMostLoops - steps[k].rank]++] = k;
}

}  // namespace

void group_runs(bool search, Plan& plan) {
  plan.groups.clear();
  if (plan.steps.size() == 1) {
    if (plan.steps[0].kernel == Kernel::Run) order_together(search, plan.steps);
    plan.groups.push_back({0, 1, 0});
    return;
  }
  thread_local std::vector<Step> steps;
  thread_local std::vector<std::uint32_t> order;  // of steps that are not in a group yet
  steps.swap(plan.steps);
  plan.steps.clear();
  plan.steps.reserve(steps.size());
  lead_first(steps, order);
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (order[n] == kDone) continue;
    const Step& lead = steps[order[n]];
    const std::size_t first = plan.steps.size();
    plan.steps.push_back(lead);
    std::array<std::size_t, kMostTogether> members;
    std::size_t count = 1;
    std::size_t shared = 0;
    if (lead.kernel == Kernel::Run) {
      Following unused;
      for (std::size_t m = n + 1; m < order.size() && count < kMostTogether; ++m) {
        if (order[m] == kDone) continue;
        const Step& tail = steps[order[m]];
        if (tail.kernel != Kernel::Run || !same_sides(lead, tail) || !near(lead, tail)) continue;
        if (!follow(lead, tail, unused)) continue;
        members[count++] = m;
        plan.steps.push_back(tail);
      }
      shared = order_together(search, std::span(plan.steps).subspan(first));
      if (count > 1 && shared == 0) {  // nothing in common where it counts
        plan.steps.resize(first + 1);
        plan.steps[first] = lead;
        count = 1;
        order_together(search, std::span(plan.steps).subspan(first));
      }
    }
    for (std::size_t k = 1; k < count; ++k) order[members[k]] = kDone;
    plan.groups.push_back(
        {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(shared)});
  }
}

}  // namespace vl::oracle
