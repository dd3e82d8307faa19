// Faults that a build with -DVL_FAULTS can plant, one at a time, to see whether campaigns find them. In every other build
// planted() is false at compile time and nothing of this is left in the program.
#pragma once

#include <string_view>

namespace vl::oracle {

// X(name, what it does wrong): a section a folder.
#define VL_FAULT_LIST(X)                                                  \
  X(None, "nothing")                                                      \
  /* oracle/executor: planner, cover */                                   \
  X(CoverHoldsTheNextPiece, "a leaf of the cover names the piece after its own") \
  /* oracle/executor: schedule, slices */                                 \
  /* oracle/kernels */                                                    \
  /* oracle/reference: definition and rows */

enum class Fault : unsigned char {
#define VL_FAULT_NAME(name, what) name,
  VL_FAULT_LIST(VL_FAULT_NAME)
#undef VL_FAULT_NAME
};

#ifdef VL_FAULTS
inline thread_local Fault the_planted_fault = Fault::None;  // what plant() set; threads of a pool inherit it by the pool
inline bool planted(Fault fault) { return the_planted_fault == fault; }
#else
constexpr bool planted(Fault) { return false; }
#endif

}  // namespace vl::oracle
