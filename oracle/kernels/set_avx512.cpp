// The kernel set avx512: 64-byte vectors (F, BW, DQ, VL, VBMI), a whole cache line each.
#ifdef __x86_64__
#define VL_SET set_avx512
#define VL_WIDTH 64
#define VL_PORTABLE 0
#include "oracle/kernels/set.inc.h"
#endif
