// Tile search: loads that carry a layout's tensor, for each swizzle of cuda.h in boxes that are of one tensor map, all
// of one size, and have an element of the layout at each of their places. Each side is as long as it can be.
//
// With the swizzle taken back, the elements in the order of their places have offsets h_0, h_1, … in the tensor's
// memory. A box is a run of places on which these are h + Σ t_i·S_i for t in its tile, innermost digit first and S_0 =
// 1: a digit is as long as whole runs of one stride allow, at most 256, and there are at most 5. What is left over are
// boxes. The map's dimensions are these digits; a box begins at coordinates whose offset is its own.
//
// Example: ComposeLayout(3,3,3,S[(64,4,64):(64,4096,1)]) of f16[64,256] with 128B: digits of 64 (stride 1), 64 (256)
// and 4 (64) make it one box of (64,64,4) of a map (64,64,4) with strides of 512 and 128 bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/use/descriptor.h"

namespace vl::use {

/// What a swizzle allows: loads, or the reason why there are none.
struct TileCandidate {
  std::string_view swizzle;
  std::vector<Descriptor> loads = {};
  std::string why = {};
};

/// The candidates with loads first, those of fewest boxes before others; then those without, in the order of cuda.h.
/// `type` is a word of tensor maps with elements of that many bits, `base` the byte address of the layout's place 0.
/// Requires: bits is 8, 16, 32 or 64, and base is a multiple of bits / 8, from 0 to 2^32 - 1; one place for each
/// element, and at most 2^20 elements.
[[nodiscard]] std::vector<TileCandidate> tile_candidates(const map::Layout& layout, std::string_view type, int bits,
                                                         Index base);

}  // namespace vl::use
