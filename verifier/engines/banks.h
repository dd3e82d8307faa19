// The engines' side of questions about accesses to banks (question/access.h): how an access becomes a Reach.
#pragma once

#include "encodings/use/access.h"
#include "encodings/use/hardware.h"
#include "verifier/engines/engine.h"
#include "verifier/question/access.h"

namespace vl::engines {

using question::Cost;
using question::cost_of;
using question::is_active;
using question::lane_point;
using question::named;
using question::Reach;
using question::show_instance;
using question::show_outside;

/// An access carried through a layout. The layout places elements on one memory axis: `m` of named axes, on which every
/// other axis is 0 always; else the row-major number of the slot. The variables are those of the access; with tv,
/// `warp` (where its threads are several times the lanes) and `value`, which counts vectors of `width` bytes; with a
/// base, `base`: the buffer starts at base·k bytes. k runs over one period of everything that depends on it, so an
/// answer is for every k.
///
/// Errors: Shape (another number of coordinates than the tensor's rank; a tv of another shape), Value (an axis that is
/// no memory, replicas, elements that do not fill bytes, a width or more lanes than the hardware has, matrix
/// instructions where it has none, values of a tv that are not contiguous, an active lane outside the tensor where up
/// to 2^16 lanes of instances show one), Overflow. tv is null for accesses without one.
[[nodiscard]] Result<Reach> reach_of(const use::Access& access, const map::Layout& layout, const map::Layout* tv,
                                     int element_bits, const use::Hardware& hardware);

/// The same access as (lane, variables…) -> [address in elements, byte at which the buffer starts]: bytes start at
/// address·element + start. Errors: those of reach_of; Value for an absolute base, which is part of the address.
[[nodiscard]] Result<map::Map> addresses_of(const use::Access& access, const map::Layout& layout, const map::Layout* tv,
                                            int element_bits, const use::Hardware& hardware);

}  // namespace vl::engines
