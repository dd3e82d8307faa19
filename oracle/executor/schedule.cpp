#include "oracle/executor/schedule.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "oracle/executor/schedule_groups.h"
#include "oracle/executor/schedule_runs.h"
#include "oracle/executor/schedule_transpose.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kInCache = Index{1} << 20;  // destinations up to this size are written in their own order

void remove_loop(Step& step, std::size_t k) {
  std::copy(step.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1, step.loops.begin() + step.rank,
            step.loops.begin() + static_cast<std::ptrdiff_t>(k));
  --step.rank;
}

/// Drops loops of one iteration, makes destinations ascend.
void straighten(Step& step) {
  for (std::size_t k = step.rank; k-- > 0;) {
    Loop& loop = step.loops[k];
    if (loop.extent == 1) {
      remove_loop(step, k);
    } else if (loop.destination < 0) {
      step.source += (loop.extent - 1) * loop.source;
      step.destination += (loop.extent - 1) * loop.destination;
      loop.source = -loop.source;
      loop.destination = -loop.destination;
    }
  }
}

/// Joins two loops if the outer one continues the inner one on both sides.
void fuse(Step& step) {
  for (std::size_t b = 0; b < step.rank; ++b) {
    const Loop inner = step.loops[b];
    Index source = 0;
    Index destination = 0;
    if (__builtin_mul_overflow(inner.source, inner.extent, &source) ||
        __builtin_mul_overflow(inner.destination, inner.extent, &destination))
      continue;
    for (std::size_t a = 0; a < step.rank; ++a) {
      Loop& outer = step.loops[a];
      if (outer.destination != destination || a == b) continue;
      if (outer.source != source && !(planted(Fault::FuseOneSide) && step.kernel != Kernel::Fill)) continue;
      outer = Loop{outer.extent * inner.extent, inner.source, inner.destination};
      remove_loop(step, b);
      b = static_cast<std::size_t>(-1);
      break;
    }
  }
}

/// The number of iterations of a loop that may widen the run: all, unless a swizzle keeps only its lowest bits
/// together; then as many as lie within these bits for all addresses.
Index widening(const Step& step, std::size_t k) {
  const Loop& loop = step.loops[k];
  const auto limit = [&](const ByteSwizzle& swizzle, Index offset, Index Loop::*stride) {
    if (swizzle.bits == 0) return loop.extent;
    Index aligned = (Index{1} << swizzle.base) | offset;
    for (std::size_t j = 0; j < step.rank; ++j)
      if (j != k) aligned |= step.loops[j].*stride;
    const Index most = aligned & -aligned;  // a power of two that divides all of it
    return most % step.run != 0 ? Index{1} : std::gcd(loop.extent, most / step.run);
  };
  const Index source = limit(step.source_swizzle, step.source, &Loop::source);
  const Index destination = limit(step.destination_swizzle, step.destination, &Loop::destination);
  return std::gcd(source, destination);
}

void widen(Step& step) {
  for (std::size_t k = 0; k < step.rank;) {
    Loop& loop = step.loops[k];
    const bool fills = step.kernel == Kernel::Fill;
    const Index units = loop.destination == step.run && (fills || loop.source == step.run) ? widening(step, k) : 1;
    if (units == 1) {
      ++k;
      continue;
    }
    const Index run = units * step.run;
    if (units == loop.extent) remove_loop(step, k);
    else loop = Loop{loop.extent / units, fills ? 0 : run, run};
    step.run = run;
    if (planted(Fault::WidenTwice) && step.rank != 0 && run == 8) step.run *= 2;
    k = 0;
  }
}

bool swizzled(const Step& step) { return step.source_swizzle.bits != 0 || step.destination_swizzle.bits != 0; }

/// Puts the two loops of a transpose last. False if the step is not a transpose.
bool as_transpose(Step& step) {
  if (swizzled(step) || step.run > 16 || !std::has_single_bit(static_cast<std::uint64_t>(step.run))) return false;
  const auto end = step.loops.begin() + step.rank;
  const auto down = std::find_if(step.loops.begin(), end, [&](const Loop& l) { return l.destination == step.run; });
  const auto across = std::find_if(step.loops.begin(), end, [&](const Loop& l) { return l.source == step.run; });
  if (down == end || across == end || down == across) return false;
  const Loop first = *down;
  const Loop second = *across;
  const auto rest = std::remove_if(step.loops.begin(), end, [&](const Loop& l) { return l == first || l == second; });
  rest[0] = first;
  rest[1] = second;
  return true;
}

void classify(Step& step) {
  if (step.kernel == Kernel::Fill || step.kernel == Kernel::Compare) return;
  const bool unit = step.run < 16 && std::has_single_bit(static_cast<std::uint64_t>(step.run));
  step.kernel = as_transpose(step) ? Kernel::Transpose : unit ? Kernel::Strided : Kernel::Run;
}

/// Whether the destinations of a data step's runs and of a gap are the same, apart from their beginnings.
bool same_places(const Step& data, const Step& gap) {
  Step places = data;
  places.kernel = Kernel::Fill;
  for (std::size_t k = 0; k < places.rank; ++k) places.loops[k].source = 0;
  fuse(places);
  return places.rank == gap.rank &&
         std::is_permutation(places.loops.begin(), places.loops.begin() + places.rank, gap.loops.begin());
}

/// A gap that lies behind each run of a data step becomes its `fill`.
void join_gaps(Plan& plan) {
  bool joined = false;
  for (Step& gap : plan.steps) {
    if (gap.kernel != Kernel::Fill || swizzled(gap)) continue;
    for (Step& data : plan.steps) {
      if (data.destination + data.run != gap.destination || data.kernel != Kernel::Run || data.fill != 0) continue;
      if (swizzled(data) || !(same_places(data, gap) || planted(Fault::ForeignGap))) continue;
      data.fill = gap.run;
      data.gap = gap.gap;
      gap.run = 0;
      joined = true;
      break;
    }
  }
  if (joined) std::erase_if(plan.steps, [](const Step& step) { return step.run == 0; });
}

}  // namespace

void schedule(const PlanOptions& options, Plan& plan) {
  for (Step& step : plan.steps) {
    straighten(step);
    fuse(step);
    widen(step);
    classify(step);
  }
  join_gaps(plan);
  const bool stream = plan.destination_bytes > options.last_level_cache;
  const bool search = plan.destination_bytes > std::min(kInCache, options.last_level_cache);
  for (Step& step : plan.steps) {
    step.stream = stream && step.kernel != Kernel::Compare;
    if (step.kernel == Kernel::Transpose) schedule_transpose(options, plan, step);
    else if (step.kernel != Kernel::Run) order_runs(search, step);
  }
  group_runs(search, plan);
}

}  // namespace vl::oracle
