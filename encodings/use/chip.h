// Chip: the cores and memories of an accelerator with a network on chip. This is data: corpus/chips/*.toml.
//
// Example, wormhole: 8x8 cores of 1,499,136 bytes of L1, 12 banks of DRAM of 2^30 bytes. The network reads DRAM right
// only where source and destination are equal modulo 32; for writes it is 16.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::use {

struct Chip {
  /// Bytes, modulo which both ends of a transfer have to be equal.
  struct Alignment {
    Index read = 1, write = 1;
  };

  std::string name;
  std::vector<Index> rows, columns;  // y and x of the cores on the network, 0 to 63
  Index l1 = 0;                      // bytes of one core
  Index dram = 0;                    // bytes of one bank
  Index dram_banks = 0;
  Alignment of_l1, of_dram, of_pcie;
};

/// The address on the network of a byte of a core's L1: 36 bits of it, and above them 6 bits of x and 6 bits of y.
/// Requires: 0 <= x, y < 64, 0 <= byte < 2^36. Source: tt-metal's noc_parameters.h, NOC_XY_ADDR. Example:
/// byte 0 of the core at y 18, x 19: (18·2^6 + 19)·2^36.
[[nodiscard]] constexpr Index network_address(Index y, Index x, Index byte) { return (((y << 6) | x) << 36) | byte; }

/// Reading::unsized of pages that are rows of so many elements: a bank rounds each up to 16, 32 or 64 bytes, and which
/// of them, a text does not say. Nothing: the number of elements is not known. Example: 32 elements of 16 bits are 64
/// bytes, which every bank takes as they are: "".
[[nodiscard]] inline std::string unsized_rows(std::optional<Index> elements, int bits) {
  constexpr Index kMostAligned = 64 * 8;  // bits; of DRAM on Blackhole
  return elements && *elements % kMostAligned * bits % kMostAligned == 0
             ? ""
             : "rows are pages, which a bank aligns by 16, 32 or 64 bytes, and these may be no multiple of that";
}

}  // namespace vl::use
