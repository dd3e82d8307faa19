// The schedule of a transpose: the order of its outer loops, and loops that threads share. The kernel itself decides
// the blocks of the matrix and the prefetch.
#pragma once

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// Orders the outer loops of a Transpose step: along the source, because the kernel waits for reads but not for
/// streamed writes; along the destination if its runs are shorter than a cache line and stay in the caches. A large
/// matrix with few outer loops is cut by columns, in whole lines, into an outermost loop that threads share. Requires:
/// step.kernel == Kernel::Transpose, its matrix in the last two loops. The pairs of addresses do not change. Example:
/// units of 2 bytes, rows 4096:16384,2 columns 8192:2,8192 becomes 16:1024,4194304 4096:16384,2 512:2,8192.
void schedule_transpose(const PlanOptions& options, const Plan& plan, Step& step);

}  // namespace vl::oracle
