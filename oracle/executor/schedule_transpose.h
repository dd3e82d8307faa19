// The schedule of a transpose: the order of its outer loops, and loops for threads to share. The blocks of the matrix
// and what is fetched ahead are the kernel's own affair.
#pragma once

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// Orders the outer loops of a Transpose step: along the source, because what is read has to be waited for and what is
/// streamed has not; along the destination where its runs are shorter than a cache line and stay in the caches. A large
/// matrix that has few outer loops is cut by columns, whole lines of them, into an outermost loop for threads to share.
/// Requires: step.kernel == Kernel::Transpose, its matrix in the last two loops. The pairs of addresses do not change.
/// Example: units of 2 bytes, rows 4096:16384,2 columns 8192:2,8192 becomes 16:1024,4194304 4096:16384,2 512:2,8192.
void schedule_transpose(const PlanOptions& options, const Plan& plan, Step& step);

}  // namespace vl::oracle
