#include "encodings/use/transfer.h"

#include <algorithm>
#include <utility>

namespace vl::use {

std::string_view name(Direction direction) {
  switch (direction) {
    case Direction::HostToDevice: return "h2d";
    case Direction::DeviceToHost: return "d2h";
    case Direction::DeviceToDevice: return "d2d";
  }
  VL_CHECK(false, "unknown direction");
}

std::optional<Direction> direction_of(std::string_view text) {
  for (const Direction direction : {Direction::HostToDevice, Direction::DeviceToHost, Direction::DeviceToDevice})
    if (name(direction) == text) return direction;
  return std::nullopt;
}

const Walk& host_of(const Nest& nest, Direction direction) {
  VL_CHECK(direction != Direction::DeviceToDevice, "a move between devices has no host side");
  return direction == Direction::HostToDevice ? nest.source : nest.destination;
}

const Walk& device_of(const Nest& nest, Direction direction) {
  VL_CHECK(direction != Direction::DeviceToDevice, "a move between devices has two device sides");
  return direction == Direction::HostToDevice ? nest.destination : nest.source;
}

std::optional<Error> problem_of(const Nest& nest) {
  constexpr Index kFar = Index{1} << 62;
  const std::size_t rank = nest.extents.size();
  if (nest.source.strides.size() != rank || nest.destination.strides.size() != rank)
    return Error{ErrorCode::Shape, "a nest needs one stride a loop on either side"};
  if (std::ranges::any_of(nest.extents, [](Index extent) { return extent < 0; }))
    return Error{ErrorCode::Value, "an extent is negative"};
  const auto count = checked_product(nest.extents);
  if (!count || *count > kFar) return Error{ErrorCode::Overflow, "the iterations of a nest leave 64 bits"};
  for (const Walk* walk : {&nest.source, &nest.destination}) {
    Index low = walk->offset;
    Index high = walk->offset;
    bool fits = true;
    for (std::size_t k = 0; k < rank; ++k)
      fits = fits &&
             accumulate(walk->strides[k] < 0 ? low : high, walk->strides[k], std::max<Index>(nest.extents[k], 1) - 1);
    if (!fits || low < -kFar || high > kFar) return Error{ErrorCode::Overflow, "the offsets of a nest leave 64 bits"};
  }
  return std::nullopt;
}

Transfer reversed(Transfer transfer) {
  for (Nest& nest : transfer.nests) std::swap(nest.source, nest.destination);
  if (transfer.direction != Direction::DeviceToDevice)
    transfer.direction =
        transfer.direction == Direction::HostToDevice ? Direction::DeviceToHost : Direction::HostToDevice;
  return transfer;
}

}  // namespace vl::use
