// Derived layouts: a layout followed by operations, applied from left to right.
//
//   LAYOUT.slice((16,16), ((2,3), (6,10)))   also [2:3, 6:10]      LAYOUT.group((4,4))       LAYOUT.canonicalize()
//   LAYOUT.tile(OUTER, outer_shape, inner_shape)                   LAYOUT.tile_to(to_shape, shape)
//   LAYOUT.direct_sum(LEFT, left_shape, right_shape)               LAYOUT.pack(2)            LAYOUT.unpack(2)
//   LAYOUT.broadcast(extent, at)             LAYOUT.permute_dims((1,0)), .permute((1,0))     LAYOUT.storage()
//   LAYOUT.fuse("tx")                        LAYOUT.split("tx"[, "wgid"])                    LAYOUT.swizzle(3, 3, 3)
//
// Each operation is performed, and its result is passed on together with its law; the session proves that the two are
// the same before it asks anything else about the layout. If an operation has no shape argument, its dimensions are the
// iters of the shard, as in upstream. broadcast and permute count these iters; after an operation that does not
// determine the iters of its result, they require .canonicalize() first. OUTER and LEFT may also be derived.
#pragma once

#include "encodings/tirx/tirx.h"
#include "encodings/use/family.h"

namespace vl::tirx {

struct Derived {
  Parsed parsed;                       // of the whole text
  std::vector<use::Derivation> steps;  // one per operation
};

/// Whether an operation follows the layout.
[[nodiscard]] bool is_derived(std::string_view text);

/// Reads a layout with its operations; the tensor states the type of elements. Errors: those of parse(), of the
/// operations and of their laws, at the operation's place in the text.
[[nodiscard]] Result<Derived> read_derived(std::string_view text, const map::Tensor& tensor);

}  // namespace vl::tirx
