// The naive interpreter of a layout as functions that return their result: definition.h for dense host tensors.
//
// Elements are opaque units of 1, 2, 4, 8 or 16 bytes; no bit of them is looked at (NaN payloads survive). A host
// tensor is row-major and dense over the layout's logical space, a device image row-major over its physical
// space, padding included. Example: f16[5,100,150] on (d0:100, d1:3, d2:5, d3:64) packs 150000 bytes into
// 192000, of which 42000 are padding; element [2,7,40], unit 31090, becomes unit 6888.
//
// Errors of all functions here: Shape if a buffer has another length than the layout and the unit require; Value if the
// unit is not one of these, if an element has no slot, or if an image would have more than 2^36 bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "encodings/base/result.h"
#include "encodings/map/layout.h"
#include "oracle/reference/fill.h"

namespace vl::oracle {

/// The device image of a host tensor: unit slot(x, r) is host unit x for each element x and replica r, every
/// other unit is `fill` (see parse_fill), of `unit` bytes. Further error: Value if two points
/// (x, r) share a slot; it names both and the slot.
[[nodiscard]] Result<std::vector<std::byte>> pack(const map::Layout& layout, std::span<const std::byte> host,
                                                  std::size_t unit, std::span<const std::byte> fill);

/// The host tensor of a device image: unit x is the device's unit at slot(x, r), which must be the same for
/// every r. Padding is not read. unpack(pack(t)) == t. Further error: Value if two replicas
/// differ; it names the element and both slots.
[[nodiscard]] Result<std::vector<std::byte>> unpack(const map::Layout& layout, std::span<const std::byte> device,
                                                    std::size_t unit);

/// The device image under `to` of a device image under `from`: pack(to, unpack(from, device)).
/// Errors: those of pack and unpack; Shape if the logical extents differ.
[[nodiscard]] Result<std::vector<std::byte>> move(const map::Layout& from, const map::Layout& to,
                                                  std::span<const std::byte> device, std::size_t unit,
                                                  std::span<const std::byte> fill);

/// The slots of n elements, given as n rows of coordinates: n x replicas rows of device coordinates, those of one
/// element next to each other, in the order of its replicas. A tensor of rank 0 has rows without coordinates, which
/// cannot be counted: the slots of its one element come back once. Example: of 2 elements in S[8:1] + R[4:8], 8 rows.
/// Errors: Shape if the coordinates are not whole rows; Value, naming the row, if a row is not an element or a replica
/// of the element has no slot.
[[nodiscard]] Result<std::vector<Index>> slots(const map::Layout& layout, std::span<const Index> coordinates);

}  // namespace vl::oracle
