// Synthesis: the loop nests that move a tensor under a layout, made from the layout's pieces. A ragged split of a
// dimension at most doubles the number of nests; pieces that continue each other are joined again.
//
// The result is not trusted: the claims covers-once and implements judge it like given nests.
#pragma once

#include "encodings/use/transfer.h"

namespace vl::use {

/// The nests of a transfer between the host and the device. They have one loop per device dimension, units included.
/// Dimensions over which nests differ come first (but never the last device dimension), the others in device order. A
/// tensor without elements has no nests. h2d writes all replicas; d2h reads the first. If elements share places on the
/// host and the layout depends on the place alone, every place is moved once; else every element is.
/// Errors: Value if an element has no slot; NotInvertible if the digits do not nest with the strides and too many
/// pieces would be needed. Example: f16[5,100,150] on [100,3,5,64]: extents [2,100,5,64], host strides
/// [64,150,15000,1], device strides [320,960,64,1] from 0 and 0; and extents [1,100,5,22], the same strides, from 128
/// and 640.
[[nodiscard]] Result<Transfer> synthesise(const map::Layout& layout, Direction direction);

/// The same from the device image of one layout to that of another. Requires: from.logical() == to.logical().
[[nodiscard]] Result<Transfer> synthesise(const map::Layout& from, const map::Layout& to);

}  // namespace vl::use
