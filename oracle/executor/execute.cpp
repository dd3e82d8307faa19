#include "oracle/executor/execute.h"

#include <atomic>
#include <cstring>

#include "oracle/executor/pool.h"
#include "oracle/executor/slices.h"
#include "oracle/plan/check.h"
#include "oracle/plan/faults.h"
#include "verifier/base/check.h"

namespace vl::oracle {
namespace {

/// How many iterations the outermost loop of a group has.
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
  if (slice.outer < 0)
    return run_group(plan, group, slice.first, slice.last, buffers, kernels);
  std::vector<Step> steps;
  unroll(plan, group, slice.outer, steps);
  const std::uint32_t shared = group.shared > 0 ? group.shared - 1 : 0;
  return kernels.run_group(steps.data(), group.count, shared, slice.first, slice.last, buffers);
}

/// The fill value over and over. Requires: a power of two of at most 16 bytes.
void spread(std::span<const std::byte> fill, std::array<std::byte, 64>& out) {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), fill.data(), fill.size());
  for (std::size_t bits = fill.size() * 8; bits < 64; bits *= 2) words[0] |= words[0] << bits;
  if (fill.size() < 16) words[1] = words[0];
  for (std::size_t at = 0; at < out.size(); at += sizeof words) std::memcpy(out.data() + at, words.data(), sizeof words);
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
  VL_CHECK(!plan.fills || (!fill.empty() && fill.size() <= 16 && 64 % fill.size() == 0), "no fill value for a plan that fills");
  Buffers buffers{source.data(), destination.data(), {}};
  if (plan.fills) spread(fill, buffers.fill);
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
    if (!run_group(plan, group, 0, iterations_of(plan, group), buffers, kernels)) return false;
  kernels.fence();
  return true;
}

}  // namespace vl::oracle
