// Element arrangements: the places of a stick's elements if they are not in order. A conversion between 16 and 32 bits
// on the device keeps the order within groups of four elements, but not the order of the groups: widening one 16-bit
// stick, groups g0 … g15, gives two 32-bit sticks, the even groups in the first and the odd ones in the second.
//
//   DL16_TO_FP32   element 4·g + e of a pair of sticks (64 elements) -> stick g mod 2, lane 4·⌊g/2⌋ + e
//   FP32_TO_DL16   the result of narrowing two sticks in order, so the inverse: element 4·g + e of one stick of 64
//                  -> lane 4·(2·(g mod 8) + ⌊g/8⌋) + e
//   QFP8WT         [K,N] of 8 bits in sticks of 2 x 64: element (k,n) at device element
//                  k mod 2 + 2·(n mod 64) + 128·⌊k/2⌋ + 64·K·⌊n/64⌋. K is even and N a multiple of 64
//
// The first two permute the slots of the box, so a layout is right with them iff it is right without. Sparse sticks
// hold lane 0 only, which neither moves. No source states the lanes of EXX2 (two values per stick) and of QFP8CH.
//
// Sources: torch-spyre RFC 2971 "FP32 Element Arrangement" (the groups; "the downcast is a free un-stagger"); issue
// #4393 (f16[4,64] widened and read in order: 224 of 256 elements move, 207 of them showed with its values); the nest
// [2,64,K/2,N/64] of QFP8WT in torch-spyre's runtime.
#pragma once

#include <string>
#include <variant>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

struct Arranged {
  enum class Kind { InOrder, Widened, Narrowed, Weights };
  Kind kind = Kind::InOrder;
  std::size_t sticks = 0;  // Widened: the device dimension that counts sticks, of even size
};

/// The arrangement of a layout, or why the places of its elements in a stick are not known.
[[nodiscard]] std::variant<Arranged, std::string> arrangement_of(const SpyreTensorLayout& layout,
                                                                 const map::Tensor& tensor);

/// The parts of a digit of the stick (and of the count of sticks), largest factor first, and their places: `count` and
/// `lane` are rows over the parts, those of the count before those of the lane.
struct Rearrangement {
  std::vector<Index> count_factors;  // empty: the count stays
  std::vector<Index> lane_factors;
  map::Row count;
  map::Row lane;
};

/// From places in order to arranged places, and back. Requires: Widened or Narrowed.
[[nodiscard]] Rearrangement rearrange(Arranged::Kind kind);
[[nodiscard]] Rearrangement restore(Arranged::Kind kind);

}  // namespace vl::spyre
