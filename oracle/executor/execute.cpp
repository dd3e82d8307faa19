#include "oracle/executor/execute.h"

#include <cstring>

#include "oracle/executor/pool.h"
#include "oracle/plan/check.h"
#include "verifier/base/check.h"

namespace vl::oracle {
namespace {

// Iterates the shared loops of a group from `loop` on; all steps of it run in each iteration.
bool run_shared(const Plan& plan, const Group& group, std::uint32_t loop, std::span<Index> sources,
                std::span<Index> destinations, const Buffers& buffers, const KernelSet& kernels) {
  const std::span<const Step> steps(plan.steps.data() + group.first, group.count);
  if (loop == group.shared) {
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (!kernels.run(steps[k], loop, sources[k], destinations[k], buffers)) return false;
    return true;
  }
  const Index extent = steps[0].loops[loop].extent;
  for (Index i = 0; i < extent; ++i) {
    if (!run_shared(plan, group, loop + 1, sources, destinations, buffers, kernels)) return false;
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
             std::span<const std::byte> fill, Pool*, const KernelSet& kernels) {
  const Plan& plan = certified.plan();
  VL_CHECK(static_cast<Index>(source.size()) == plan.source_bytes, "a source of another length than the plan's");
  VL_CHECK(static_cast<Index>(destination.size()) == plan.destination_bytes, "a destination of another length than the plan's");
  Buffers buffers{source.data(), destination.data(), {}};
  for (std::size_t k = 0; k < buffers.fill.size() && !fill.empty(); ++k) buffers.fill[k] = fill[k % fill.size()];
  std::vector<Index> sources;
  std::vector<Index> destinations;
  for (const Group& group : plan.groups) {
    sources.clear();
    destinations.clear();
    for (std::uint32_t k = 0; k < group.count; ++k) {
      sources.push_back(plan.steps[group.first + k].source);
      destinations.push_back(plan.steps[group.first + k].destination);
    }
    if (!run_shared(plan, group, 0, sources, destinations, buffers, kernels)) return false;
  }
  kernels.fence();
  return true;
}

}  // namespace vl::oracle
