// The kernel set sse2: 16-byte vectors and non-temporal stores, on every x86-64.
#ifdef __x86_64__
#define VL_SET set_sse2
#define VL_WIDTH 16
#define VL_PORTABLE 0
#include "oracle/kernels/set.inc.h"
#endif
