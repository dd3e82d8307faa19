// Slices: the work of a plan, cut for several threads. A slice is a range of iterations of the outermost loop of one
// group.
//
// One iteration writes each unit of the destination, so slices need no order. They are cut where the destination's
// address has the same place within a cache line, so that two threads do not write to one line: every m iterations,
// m = 64 / gcd(64, stride). If the outermost loop has whole lines but few iterations, it is unrolled: a slice then is
// one iteration, with a range of the next loop. Example: 1000 rows of 100 bytes for two threads: cut at multiples of 16
// rows.
#pragma once

#include <cstddef>
#include <vector>

#include "oracle/plan/plan.h"

namespace vl::oracle {

constexpr Index kSerialBytes = Index{1} << 20;  // below, threads cost more than they save
constexpr Index kSliceBytes = Index{1} << 18;   // slices are not cut smaller without need

struct WorkSlice {
  std::uint32_t group = 0;
  Index outer = -1;  // the iteration of the outermost loop that the range lies in; -1: the range is of that loop itself
  Index first = 0;
  Index last = 1;  // one iteration if there is no loop

  bool operator==(const WorkSlice&) const = default;
};

/// Every iteration of every group once, in the order of the plan; one slice per group if the plan is small or threads
/// is 1.
void slice(const Plan& plan, std::size_t threads, std::vector<WorkSlice>& slices, Index serial_bytes = kSerialBytes,
           Index slice_bytes = kSliceBytes);

/// The steps of a slice with an `outer` iteration, without their outermost loop. Appends them to `steps`.
void unroll(const Plan& plan, const Group& group, Index outer, std::vector<Step>& steps);

}  // namespace vl::oracle
