// Execution of plans. Only a plan that the checker accepted can be run: there is no other way to make a CertifiedPlan.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "oracle/executor/planner.h"
#include "oracle/kernels/kernels.h"

namespace vl::oracle {

class Pool;

/// Why there is no certified plan. `bug` if a plan was made and the checker refused it; report that.
struct NoPlan {
  bool bug = false;
  std::string why;
};

class CertifiedPlan {
 public:
  /// Makes the plan and checks it. Reuses this object's memory; after a NoPlan it is empty.
  [[nodiscard]] std::optional<NoPlan> make(const Relation& relation, const PlanOptions& options);
  [[nodiscard]] const Plan& plan() const { return plan_; }
  /// Whether a step may write past the caches: only Step::stream makes kernels do so.
  [[nodiscard]] bool streams() const { return streams_; }

 private:
  Plan plan_;
  bool streams_ = false;
};

/// Runs a plan: every pair of its relation is copied, each gap filled if the plan fills. `fill` is one unit's value
/// (may be empty if nothing is filled). False if a Compare found a difference. The result depends neither on the pool
/// (nullptr: this thread alone) nor on the kernels. Requires: memories of plan().source_bytes and destination_bytes
/// that do not overlap unless the plan compares.
bool execute(const CertifiedPlan& plan, std::span<const std::byte> source, std::span<std::byte> destination,
             std::span<const std::byte> fill, Pool* pool = nullptr, const KernelSet& kernels = kernel_sets().back());

}  // namespace vl::oracle
