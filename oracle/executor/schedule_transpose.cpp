#include "oracle/executor/schedule_transpose.h"

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kLineBytes = 64;
constexpr Index kShared = Index{1} << 20;  // bytes; smaller matrices are not cut
constexpr Index kPieces = 16;              // into how many, or a few less

Index distance(Index stride) { return stride < 0 ? -stride : stride; }

/// Cuts the columns into an outermost loop of at most kPieces, each a multiple of a line's units.
void cut_columns(Step& step) {
  Loop& columns = step.loops[step.rank - 1u];
  const Index line = kLineBytes / step.run;
  for (Index pieces = std::min(kPieces, columns.extent / line); pieces > 1; --pieces) {
    if (columns.extent % (pieces * line) != 0) continue;
    columns.extent /= pieces;
    const Index step_by = columns.extent - (planted(Fault::CutColumns) ? 1 : 0);
    const Loop piece{pieces, columns.extent * columns.source, step_by * columns.destination};
    std::copy_backward(step.loops.begin(), step.loops.begin() + step.rank, step.loops.begin() + step.rank + 1);
    step.loops[0] = piece;
    ++step.rank;
    return;
  }
}

}  // namespace

void schedule_transpose(const PlanOptions& options, const Plan& plan, Step& step) {
  const auto outer = step.loops.begin() + step.rank - 2;
  const Index rows = outer[0].extent;
  const bool along_destination = plan.destination_bytes <= options.last_level_cache && rows * step.run < kLineBytes;
  const auto end = planted(Fault::SortedMatrix) ? outer + 2 : outer;
  std::stable_sort(step.loops.begin(), end, [&](const Loop& a, const Loop& b) {
    return along_destination ? distance(a.destination) > distance(b.destination)
                             : distance(a.source) > distance(b.source);
  });
  Index matrix = 0, iterations = 1;
  for (auto loop = step.loops.begin(); loop != outer && iterations < kPieces; ++loop) iterations *= loop->extent;
  if (__builtin_mul_overflow(rows * step.run, outer[1].extent, &matrix) || matrix < kShared) return;
  if (iterations < kPieces && step.rank < kMostLoops) cut_columns(step);
}

}  // namespace vl::oracle
