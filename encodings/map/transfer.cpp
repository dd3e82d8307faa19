#include "encodings/map/transfer.h"

#include <utility>

namespace vl::map {

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

Transfer reversed(Transfer transfer) {
  for (Nest& nest : transfer.nests) std::swap(nest.source, nest.destination);
  if (transfer.direction != Direction::DeviceToDevice)
    transfer.direction = transfer.direction == Direction::HostToDevice ? Direction::DeviceToHost : Direction::HostToDevice;
  return transfer;
}

}  // namespace vl::map
