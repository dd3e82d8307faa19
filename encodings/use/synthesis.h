// Synthesis: the loop nests that move a tensor under a layout, made from the layout's pieces. A ragged split of a
// dimension doubles the number of nests at most; pieces that continue each other are joined again.
//
// The result is not trusted because it was made here: the claims covers-once and implements judge it like anybody's.
#pragma once

#include "encodings/use/transfer.h"

namespace vl::use {

/// The nests of a transfer between the host and the device. One loop a device dimension, units included; dimensions
/// over which nests differ come first (but the last device dimension never), else in device order. A tensor without
/// elements has no nests; replicas are all written (h2d), and the first is read (d2h).
/// Errors: Value when an element has no slot; NotInvertible when the digits do not nest with the strides and too many
/// pieces would be needed.
/// Example: f16[5,100,150] on [100,3,5,64]: extents [2,100,5,64], host strides [64,150,15000,1], device strides
/// [320,960,64,1] from 0 and 0; and extents [1,100,5,22], the same strides, from 128 and 640.
[[nodiscard]] Result<Transfer> synthesise(const map::Layout& layout, Direction direction);

/// The same from the device image of one layout to that of another. Requires: from.logical() == to.logical().
[[nodiscard]] Result<Transfer> synthesise(const map::Layout& from, const map::Layout& to);

}  // namespace vl::use
