// Shards in words and JSON, for `explain`: the cores, the kinds of padding, and where an element lies on the hardware.
#pragma once

#include <optional>
#include <string>

#include "encodings/use/shards.h"

namespace vl::report {

/// An element in the memory of one core. bfp8: its exponent and its own bits are apart.
struct CoreBytes {
  Index byte = 0;                   // of the element's first bit, from the start of the core's memory
  int bit = 0;                      // in that byte, of elements of less than a byte
  std::optional<Index> exponent{};  // of a block format: the byte of the exponent that it shares
};

/// From an element's place in its core, in elements. `bits` of one element; 0: not known, unless it is a block format.
/// Nothing if they are not known or leave 64 bits. Place 531 of the first tile of bfp8: byte 64 + 531, exponent in byte
/// 33.
[[nodiscard]] std::optional<CoreBytes> bytes_in_core(const use::Shards& shards, Index place, int bits);

/// A byte of a core's L1 on the network of a chip.
struct OnNetwork {
  std::string chip;
  Index y = 0, x = 0;  // the core
  Index byte = 0;      // of its L1
  Index address = 0;   // all of it (use::network_address)
};

struct ShardedElement {
  use::InShard at;
  std::optional<CoreBytes> bytes;
  std::optional<OnNetwork> network{};
  std::optional<Point> on_chip{};  // its core: y and x, with the device in front where the text names one
};

/// Lines for the overview.
[[nodiscard]] std::string shards_to_text(const use::Shards& shards);
/// ": 2688 at the ends of tiles, 117 beyond the tensor's end"; kinds without a slot are left out.
[[nodiscard]] std::string padding_kinds_to_text(const use::Shards::Padding& padding);
/// Lines for one element.
[[nodiscard]] std::string element_to_text(const ShardedElement& element);

}  // namespace vl::report
