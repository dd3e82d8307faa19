// Transfer: loop nests that move elements between two memories, like a DMA program. One nest does, for every iteration
// i of the box 0 <= i_k < extents[k], in elements:
//
//   destination[destination.offset + Σ i_k·destination.strides[k]] = source[source.offset + Σ i_k·source.strides[k]]
//
// A transfer is the list of its nests; their order has no meaning. Nests are data to be judged: the numbers need not be
// right, but extents are not negative. An extent of 0 moves nothing; a nest without loops moves one element.
//
// Example: f16[120] on device_size [2,64] is two nests, 64 elements and the ragged 56:
//   {extents [1,64], host strides [64,1] from 0, device strides [64,1] from 0}
//   {extents [1,56], host strides [64,1] from 64, device strides [64,1] from 64}
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::use {

/// A nest's walk through one of its two memories, in elements; one stride per loop, outermost first.
struct Walk {
  std::vector<Index> strides;
  Index offset = 0;

  bool operator==(const Walk&) const = default;
};

struct Nest {
  std::vector<Index> extents;  // outermost loop first, >= 0
  Walk source;
  Walk destination;

  bool operator==(const Nest&) const = default;
};

/// DeviceToDevice moves between two layouts of one tensor.
enum class Direction { HostToDevice, DeviceToHost, DeviceToDevice };

struct Transfer {
  Direction direction = Direction::HostToDevice;
  std::vector<Nest> nests;

  bool operator==(const Transfer&) const = default;
};

/// "h2d", "d2h", "d2d".
[[nodiscard]] std::string_view name(Direction direction);
[[nodiscard]] std::optional<Direction> direction_of(std::string_view name);

/// The host's and the device's walk of a nest. Requires: not DeviceToDevice.
[[nodiscard]] const Walk& host_of(const Nest& nest, Direction direction);
[[nodiscard]] const Walk& device_of(const Nest& nest, Direction direction);

/// The bounds of a nest's numbers, so that no offset and no count leaves 64 bits: both walks stay within ±2^62, and
/// there are at most 2^62 iterations. Errors: Shape if the lengths differ, Value for a negative extent, Overflow.
[[nodiscard]] std::optional<Error> problem_of(const Nest& nest);

/// The same moves in the other direction: sources become destinations. h2d <-> d2h.
[[nodiscard]] Transfer reversed(Transfer transfer);

}  // namespace vl::use
