// The kernel set avx2: 32-byte vectors.
#ifdef __x86_64__
#define VL_SET set_avx2
#define VL_WIDTH 32
#define VL_PORTABLE 0
#include "oracle/kernels/set.inc.h"
#endif
