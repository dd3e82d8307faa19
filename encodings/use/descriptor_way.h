// The way of one element through a descriptor: where the hardware takes it from and where it puts it, by the formulas
// of its documents. t is the element's place in what the descriptor walks over, in the order of its lists:
//
//   tensormap    t innermost first; from byte Σ (c_i + t_i·E_i)·S_i of the tensor's memory to the shared byte of
//                tile_moves.h, or back. A load fills it where a coordinate lies outside of the tensor, a store drops it
//   im2col       t = (channel k, pixel p); the window walks p pixels from its coordinates: w += E_w, and beyond
//                D_w − 1 + U_w again from L_w with the next h, …, last the next image; read at (c + k, w + o_w, …, n),
//                filled outside of the tensor, to swizzle(a + k·e + P·p)
//   block2d      t = (row i, column j, block v); byte base + (y + i)·pitch + (x + v·columns + j)·e of the surface,
//   filled
//                outside of it
//   tdm          t outermost first, n its row-major number; from element Σ t_i·stride_i, filled where t_i >= tensor_i,
//   to
//                LDS byte e·(n + ⌊n / pad_every⌋·pad_by)
//   dmabd        t outermost first; from element offset + Σ t_i·stride_i to place n of the stream
//   nki          t = (partition, free …); element offset + Σ t_i·step_i
//   datacopypad  t = (block b, byte x); GM has b·(length + gap) + x, UB has b·(⌈length⌉32 + 32·gap) + x
//
// Sources: cuda.h 12.9 and PTX ISA 9.0, 5.5; llvm-project XeVMDialect.cpp; triton TDMUtility.cpp; mlir-aie
// AIEXDialect.cpp; aws-neuron-sdk nki-aps.rst; hiascend atlasascendc_api_07_0265.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/descriptor.h"

namespace vl::use {

/// What a descriptor walks over.
struct DescriptorTile {
  std::vector<Index> extents;  // of t
  std::string_view order;      // "innermost first", "row, column, block"
  std::string_view from, to;   // "byte of the tensor", "byte of shared memory"; no `to`: the hardware decides it
};

struct DescriptorWay {
  std::optional<Index> from;            // nothing: it lies outside, and is filled, or dropped by a store
  std::optional<Index> to;              // nothing: there is no `to`
  std::optional<Index> straight;        // of a swizzled tile: `to`, or of a store `from`, without the swizzle
  std::string open = {};                // why `from` is not known
  std::vector<Index> coordinates = {};  // of tensor maps and windows: the tensor's, innermost first
};

/// Errors: Value for a kind that walks over nothing, for a field that is not stated or has names for sizes, and for
/// what tile_moves.h does not know.
[[nodiscard]] Result<DescriptorTile> tile_of(const Descriptor& descriptor);

/// Example: load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 0, t = (0,1):
/// from byte 17024 to byte 144, 128 without the swizzle. Errors: those of tile_of; Value for t outside of the tile;
/// Overflow.
[[nodiscard]] Result<DescriptorWay> way_of(const Descriptor& descriptor, std::span<const Index> t);

}  // namespace vl::use
