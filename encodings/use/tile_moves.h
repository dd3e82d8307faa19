// What tensor maps move, as loop nests. A load or store with coordinates moves the elements of its box that lie in the
// tensor, between the tensor's memory and an unswizzled shared memory; the swizzle takes each place of the latter to
// the byte that the hardware uses.
//
// Of a box B with steps E at coordinates c, for t in the tile T = ceil(B / E), innermost dimension first:
//   g_i = c_i + t_i·E_i, and t is moved iff 0 <= g_i < D_i for all i (the others are filled, or dropped by a store)
//   tensor byte  Σ g_i·S_i, S_0 the size of an element, relative to the tensor's address
//   shared byte  swizzle(a + t_0·S_0 + P·(t_1 + T_1·(t_2 + …))), a the absolute address and P the bytes of a row: those
//                of the box, or with a swizzle its span
// The tile's places are those of all t, filled ones among them.
// The swizzle acts on absolute shared addresses. Sources: CUDA 12.9 cuda.h, cuTensorMapEncodeTiled; PTX ISA 9.0, 5.5.3
// and 5.5.7.
//
// Example: load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 0 is one nest of
// 64 x 64, tensor strides 256, 1 from 8256, shared strides 64, 1 from 0; t = (0,1) goes to byte 144 = 128 ^ 16.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/use/descriptor.h"
#include "encodings/use/transfer.h"

namespace vl::use {

/// The tile of one box, outermost dimension first. Its element t lies at `shared` before the swizzle. It is moved where
/// low <= t < high, all dimensions of t; elsewhere a load fills it, and a store drops it.
///
/// A store clips its innermost dimension at a multiple of 16 bytes of the tensor's row, and not where the row ends: it
/// writes innermost t up to `written`, high or beyond (triton-lang/triton#11583, measured on an H100). Nothing: no
/// document says what it writes, since it begins beyond the row. u8, 466 columns, box of 128 at 384: high 82,
/// written 96.
struct TileBox {
  std::vector<Index> extents = {}, low = {}, high = {};
  Walk shared = {};
  std::optional<Index> written = {};
  std::vector<Index> at = {}, step = {};  // the tensor's coordinates of t are at + t·step
};

struct TileMoves {
  Transfer moves = {};                      // in elements; the device is the shared memory before the swizzle
  std::vector<TileBox> boxes = {};          // of each nest of `moves`
  std::string type = {};                    // of the elements, as the tensor map calls it: "f16"
  std::string fill = {};                    // "zero" or "nan"
  std::vector<map::Swizzle> swizzles = {};  // of a place there, in elements, one after the other; each is an involution
  int bits = 0;                             // of one element
  Index lowest = 0;                         // the smallest shared address of the transfers, in bytes
  std::string unknown = {};                 // why it is not known what is moved; then there is nothing else
};

/// The moves of several loads, or of several stores, one nest each. Errors: Value for a descriptor that is no tensor
/// map with coordinates and a shared address, for numbers with names, for fields that are none of a tensor map's (a box
/// of 0, a stride that is no whole number of elements), and for transfers of different directions, types, swizzles or
/// fills; Overflow. `unknown`: interleaved and packed tiles, the 96B swizzle, and rows narrower than the swizzle's
/// span, whose pitch no document states.
[[nodiscard]] Result<TileMoves> tile_moves(std::span<const Descriptor> transfers);

/// A way of an element of the tensor's memory through a box; lists innermost dimension first, as in a transfer's text.
struct TileWay {
  std::size_t box = 0;
  std::vector<Index> t, coordinates;
  Index straight = 0;  // its place in shared memory before the swizzle, in elements
};
/// The ways of the element at this offset, in elements from the map's address; at most the first 16.
[[nodiscard]] std::vector<TileWay> ways_of(const TileMoves& tiles, Index offset);

/// A swizzle of tensor maps: the span of its rows in bytes, and what it does to a byte address, one after the other.
struct SwizzleMode {
  std::string_view name;  // "128B"
  Index span = 0;         // 0: none
  std::vector<map::Swizzle> swizzles = {};
};
/// Those of cuda.h, in the order of their numbers.
[[nodiscard]] std::span<const SwizzleMode> swizzle_modes();

/// The place after the swizzles, in elements. Requires: place >= 0.
[[nodiscard]] Index swizzled(const TileMoves& tiles, Index place);

}  // namespace vl::use
