// One kernel set: VL_SET is its namespace, VL_WIDTH its vectors' bytes, VL_PORTABLE whether it keeps to the language.
//
// This is compiled with instructions that not every processor has, and a linker keeps only one copy of an inline function:
// one that another file calls must never be compiled here. So nothing here calls an inline function or a template of a
// header, whatever it includes; plain data is read as it lies. All code has internal linkage but run() and fence().
#include <stddef.h>
#include <stdint.h>
#if !VL_PORTABLE
#include <immintrin.h>
#endif

#include "oracle/kernels/kernels.h"
#include "oracle/plan/faults.h"

#include "oracle/kernels/vector.inc.h"
#include "oracle/kernels/walk.inc.h"
#include "oracle/kernels/runs.inc.h"
#include "oracle/kernels/transpose.inc.h"

namespace vl::oracle::VL_SET {

bool run(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  switch (step.kernel) {
    case Kernel::Transpose: run_transpose(step, from, source, destination, buffers); return true;
    case Kernel::Run:
    case Kernel::Strided:
    case Kernel::Fill:
    case Kernel::Compare: return run_slowly(step, from, source, destination, buffers);
  }
  return false;
}

void fence() { fence_stores(); }

}  // namespace vl::oracle::VL_SET
