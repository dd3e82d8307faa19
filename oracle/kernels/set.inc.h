// One kernel set: VL_SET is its namespace, VL_WIDTH its vectors' bytes, VL_PORTABLE whether it keeps to the language.
//
// This is compiled with instructions that not every processor has, and a linker keeps only one copy of an inline
// function: one that another file calls must never be compiled here. So nothing here calls an inline function or a
// template of a header, whatever it includes; plain data is read as it lies. All code has internal linkage but run()
// and fence().
#include <stddef.h>
#include <stdint.h>
#if !VL_PORTABLE
#include <immintrin.h>
#endif

#include "oracle/kernels/kernels.h"
#include "oracle/plan/faults.h"

// In this order: each uses what stands before it.
// clang-format off
#include "oracle/kernels/vector.inc.h"
#include "oracle/kernels/walk.inc.h"
#include "oracle/kernels/copies.inc.h"
#include "oracle/kernels/runs.inc.h"
#include "oracle/kernels/strided.inc.h"
#include "oracle/kernels/leaves.inc.h"
#include "oracle/kernels/transpose.inc.h"
#include "oracle/kernels/group.inc.h"
#include "oracle/kernels/rows.inc.h"
// clang-format on

namespace vl::oracle::VL_SET {

bool run(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  Pattern pattern;
  make_pattern(pattern, buffers);
  Leaf leaf;
  make_any_leaf(leaf, step, from, source, destination, buffers, pattern);
  return run_leaf(leaf, from, source, destination);
}

bool run_group(const Step* steps, std::size_t count, std::size_t shared, Index first, Index last,
               const Buffers& buffers) {
  Pattern pattern;
  make_pattern(pattern, buffers);
  if (shared == 0) {
    for (std::size_t n = 0; n < count; ++n)
      if (!run_alone(steps[n], first, last, buffers, pattern)) return false;
    return true;
  }
  Rows rows;
  if (count <= kMostLeaves && make_rows(rows, steps, count, shared, buffers)) {
    run_rows(rows, steps, count, shared, first, last);
    return true;
  }
  for (std::size_t n = 0; n < count; n += kMostLeaves) {
    const std::size_t some = count - n < kMostLeaves ? count - n : kMostLeaves;
    if (!run_together(steps + n, some, shared, first, last, buffers, pattern)) return false;
  }
  return true;
}

void fence() { fence_stores(); }

}  // namespace vl::oracle::VL_SET
