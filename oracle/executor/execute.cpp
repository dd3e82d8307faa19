#include "oracle/executor/execute.h"

#include <atomic>

#include "oracle/executor/pool.h"
#include "oracle/executor/slices.h"
#include "oracle/plan/faults.h"
#include "oracle/plan/check.h"
#include "verifier/base/check.h"

namespace vl::oracle {
namespace {

// Iterates the shared loops of a group from `loop` on; all steps of it run in each iteration.
bool run_shared(std::span<const Step> steps, std::size_t shared, std::size_t loop, std::span<Index> sources,
                std::span<Index> destinations, const Buffers& buffers, const KernelSet& kernels) {
  if (loop == shared) {
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (!kernels.run(steps[k], loop, sources[k], destinations[k], buffers)) return false;
    return true;
  }
  const Index extent = steps[0].loops[loop].extent;
  for (Index i = 0; i < extent; ++i) {
    if (!run_shared(steps, shared, loop + 1, sources, destinations, buffers, kernels)) return false;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      sources[k] += steps[k].loops[loop].source;
      destinations[k] += steps[k].loops[loop].destination;
    }
  }
  for (std::size_t k = 0; k < steps.size(); ++k) {
    sources[k] -= extent * steps[k].loops[loop].source;
    destinations[k] -= extent * steps[k].loops[loop].destination;
  }
  return true;
}

/// The iterations [first, last) of the outermost loop of a group's steps.
bool run_range(std::span<const Step> whole, std::size_t shared, Index first, Index last, const Buffers& buffers,
               const KernelSet& kernels) {
  std::vector<Step> steps(whole.begin(), whole.end());
  std::vector<Index> sources;
  std::vector<Index> destinations;
  for (Step& step : steps) {
    if (step.rank > 0) {
      step.source += first * step.loops[0].source;
      step.destination += first * step.loops[0].destination;
      step.loops[0].extent = last - first;
    }
    sources.push_back(step.source);
    destinations.push_back(step.destination);
  }
  return run_shared(steps, shared, 0, sources, destinations, buffers, kernels);
}

std::span<const Step> steps_of(const Plan& plan, const Group& group) {
  return {plan.steps.data() + group.first, group.count};
}

/// How many iterations the outermost loop of a group has.
Index iterations_of(const Plan& plan, const Group& group) {
  const Step& step = plan.steps[group.first];
  return step.rank == 0 ? 1 : step.loops[0].extent;
}

bool run_slice(const Plan& plan, const WorkSlice& slice, const Buffers& buffers, const KernelSet& kernels) {
  const Group& group = plan.groups[slice.group];
  if (slice.outer < 0)
    return run_range(steps_of(plan, group), group.shared, slice.first, slice.last, buffers, kernels);
  std::vector<Step> steps;
  unroll(plan, group, slice.outer, steps);
  const std::size_t shared = group.shared > 0 ? group.shared - 1 : 0;
  return run_range(steps, shared, slice.first, slice.last, buffers, kernels);
}

}  // namespace

std::optional<NoPlan> CertifiedPlan::make(const Relation& relation, const PlanOptions& options) {
  if (auto error = make_plan(relation, options, plan_)) {
    plan_.clear();
    return NoPlan{false, std::move(error->message)};
  }
  if (auto objection = objection_to(relation, plan_, {options.fills, options.compares})) {
    plan_.clear();
    return NoPlan{true, std::move(*objection)};
  }
  return std::nullopt;
}

bool execute(const CertifiedPlan& certified, std::span<const std::byte> source, std::span<std::byte> destination,
             std::span<const std::byte> fill, Pool* pool, const KernelSet& kernels) {
  const Plan& plan = certified.plan();
  VL_CHECK(static_cast<Index>(source.size()) == plan.source_bytes, "a source of another length than the plan's");
  VL_CHECK(static_cast<Index>(destination.size()) == plan.destination_bytes,
           "a destination of another length than the plan's");
  Buffers buffers{source.data(), destination.data(), {}};
  for (std::size_t k = 0; k < buffers.fill.size() && !fill.empty(); ++k) buffers.fill[k] = fill[k % fill.size()];
  if (pool != nullptr && pool->threads() > 1) {
    std::vector<WorkSlice> slices;
    slice(plan, pool->threads(), slices);
    if (slices.size() > plan.groups.size()) {
      std::atomic<bool> equal = true;
      pool->run(slices.size(), [&](std::size_t n) {
        const bool same = run_slice(plan, slices[n], buffers, kernels);
        kernels.fence();
        const bool forgets = planted(Fault::SliceForgetsADifference) && n + 1 < slices.size();
        if (!same && !forgets) equal = false;
      });
      return equal;
    }
  }
  for (const Group& group : plan.groups)
    if (!run_range(steps_of(plan, group), group.shared, 0, iterations_of(plan, group), buffers, kernels)) return false;
  kernels.fence();
  return true;
}

}  // namespace vl::oracle
