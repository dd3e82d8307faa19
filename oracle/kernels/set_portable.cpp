// The kernel set portable: plain vectors of the compiler, without processor-specific instructions. The other sets must
// agree with this set.
#define VL_SET set_portable
#define VL_WIDTH 16
#define VL_PORTABLE 1
#include "oracle/kernels/set.inc.h"
