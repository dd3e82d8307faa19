#include "oracle/executor/execute.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "encodings/base/check.h"
#include "oracle/executor/pool.h"
#include "oracle/executor/slices.h"
#include "oracle/plan/check.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

/// The number of iterations of a group's outermost loop.
Index iterations_of(const Plan& plan, const Group& group) {
  const Step& step = plan.steps[group.first];
  return step.rank == 0 ? 1 : step.loops[0].extent;
}

/// The iterations [first, last) of the outermost loop of a group's steps.
bool run_group(const Plan& plan, const Group& group, Index first, Index last, const Buffers& buffers,
               const KernelSet& kernels) {
  return kernels.run_group(plan.steps.data() + group.first, group.count, group.shared, first, last, buffers);
}

bool run_slice(const Plan& plan, const WorkSlice& slice, const Buffers& buffers, const KernelSet& kernels) {
  const Group& group = plan.groups[slice.group];
  if (slice.outer < 0) return run_group(plan, group, slice.first, slice.last, buffers, kernels);
  std::vector<Step> steps;
  unroll(plan, group, slice.outer, steps);
  const std::uint32_t shared = group.shared > 0 ? group.shared - 1 : 0;
  return kernels.run_group(steps.data(), group.count, shared, slice.first, slice.last, buffers);
}

/// The value of one unit, repeated to 8 bytes.
template <class Unit>
std::uint64_t repeated(std::span<const std::byte> fill) {
  Unit unit;
  std::memcpy(&unit, fill.data(), sizeof unit);
  return unit * (~std::uint64_t{0} / static_cast<Unit>(~Unit{0}));
}

/// The fill value, repeated. Requires: 1, 2, 4, 8 or 16 bytes. It is made in registers and stored as a whole: kernels
/// load it in the same width, so a small call does not wait for it.
void spread(std::span<const std::byte> fill, std::array<std::byte, 16>& out) {
  typedef std::uint64_t Words __attribute__((vector_size(16)));
  Words words;
  switch (fill.size()) {
    case 1: words = Words{} + repeated<std::uint8_t>(fill); break;
    case 2: words = Words{} + repeated<std::uint16_t>(fill); break;
    case 4: words = Words{} + repeated<std::uint32_t>(fill); break;
    case 8: words = Words{} + repeated<std::uint64_t>(fill); break;
    default: std::memcpy(&words, fill.data(), sizeof words);
  }
  std::memcpy(out.data(), &words, sizeof words);
}

/// The slices of a plan by a pool's threads. Nothing if there are not more of them than groups.
std::optional<bool> execute_in_slices(const Plan& plan, const Buffers& buffers, Pool& pool, const KernelSet& kernels) {
  std::vector<WorkSlice> slices;
  slice(plan, pool.threads(), slices);
  if (slices.size() <= plan.groups.size()) return std::nullopt;
  std::atomic<bool> equal = true;
  pool.run(slices.size(), [&](std::size_t n) {
    const bool same = run_slice(plan, slices[n], buffers, kernels);
    kernels.fence();
    const bool forgets = planted(Fault::SliceForgetsADifference) && n + 1 < slices.size();
    if (!same && !forgets) equal = false;
  });
  return equal;
}

}  // namespace

std::optional<NoPlan> CertifiedPlan::make(const Relation& relation, const PlanOptions& options) {
  streams_ = false;
  if (auto error = make_plan(relation, options, plan_)) {
    plan_.clear();
    return NoPlan{false, std::move(error->message)};
  }
  if (auto objection = objection_to(relation, plan_, {options.fills, options.compares})) {
    plan_.clear();
    return NoPlan{true, std::move(*objection)};
  }
  streams_ = std::ranges::any_of(plan_.steps, &Step::stream);
  return std::nullopt;
}

bool execute(const CertifiedPlan& certified, std::span<const std::byte> source, std::span<std::byte> destination,
             std::span<const std::byte> fill, Pool* pool, const KernelSet& kernels) {
  const Plan& plan = certified.plan();
  VL_CHECK(static_cast<Index>(source.size()) == plan.source_bytes, "a source of another length than the plan's");
  VL_CHECK(static_cast<Index>(destination.size()) == plan.destination_bytes,
           "a destination of another length than the plan's");
  VL_CHECK(!plan.fills || (!fill.empty() && fill.size() <= 16 && 16 % fill.size() == 0),
           "no fill value for a plan that fills");
  Buffers buffers{source.data(), destination.data(), {}};
  if (plan.fills) spread(fill, buffers.fill);
  if (pool != nullptr && pool->threads() > 1)
    if (const auto equal = execute_in_slices(plan, buffers, *pool, kernels)) return *equal;
  for (const Group& group : plan.groups)
    if (!run_group(plan, group, 0, iterations_of(plan, group), buffers, kernels)) return false;
  if (certified.streams()) kernels.fence();
  return true;
}

}  // namespace vl::oracle
