// Derived layouts: a layout followed by operations, applied from left to right.
//
//   LAYOUT.slice((16,16), ((2,3), (6,10)))   also [2:3, 6:10]      LAYOUT.group((4,4))       LAYOUT.canonicalize()
//   LAYOUT.tile(OUTER, outer_shape, inner_shape)                   LAYOUT.tile_to(to_shape, shape)
//   LAYOUT.direct_sum(LEFT, left_shape, right_shape)               LAYOUT.pack(2)            LAYOUT.unpack(2)
//   LAYOUT.broadcast(extent, at)             LAYOUT.permute_dims((1,0)), .permute((1,0))     LAYOUT.storage()
//   LAYOUT.fuse("tx")                        LAYOUT.split("tx"[, "wgid"])                    LAYOUT.swizzle(3, 3, 3)
//
// Each operation is performed, and its result is handed on together with its law: whoever reads the text proves the two
// to be the same before anything else is said of the layout. Where an operation is told no shape its dimensions are the
// iters of the shard, as upstream's are; broadcast and permute count them, so behind an operation that leaves it open
// which iters it gives they ask for .canonicalize() first. OUTER and LEFT may be derived in turn.
#pragma once

#include "encodings/tirx/tirx.h"
#include "encodings/use/family.h"

namespace vl::tirx {

struct Derived {
  Parsed parsed;                       // of the whole text
  std::vector<use::Derivation> steps;  // one an operation
};

/// Whether an operation follows the layout.
[[nodiscard]] bool is_derived(std::string_view text);

/// Reads a layout, operations behind it included; the tensor says the type of elements. Errors: those of parse(), of
/// the operations and of their laws, at the operation's place in the text.
[[nodiscard]] Result<Derived> read_derived(std::string_view text, const map::Tensor& tensor);

}  // namespace vl::tirx
