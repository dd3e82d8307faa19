// Accesses: the cost of the lanes of a warp in a memory of banks. (lane, variables…) -> byte; an instance is a choice
// of the variables. The active lanes of a phase touch the words floor(byte / bytes_per_bank) of their `width` bytes;
// bank = word mod banks. A phase costs the largest number of words of one bank (of different words, if the memory
// broadcasts). A load whose active lanes name one byte in pairs may have other phases (AccessText::Pairs). The ideal is
// 1 per phase with an active lane. In f16 rows of 128 bytes, 8 lanes in one column cost 8.
//
// The evidence names the free variables, at times none; the others are walked over. The checker shows that free
// variables change neither the active lanes nor the number of words that a bank has to give, and that no active lane
// leaves the tensor: over the cell of the free variables (kernel/core/cell.h) bytes are lines, and all lanes of a phase
// move by one multiple of bytes_per_bank, which rotates the banks. So a walked instance decides for all values of the
// free variables.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// What an access says of its lanes: maps over (lane, variables…), of which `bytes` has that many outputs. Rejects
/// lanes that are not of one phase each.
struct Lanes {
  Map bytes, coordinates, when;
};
[[nodiscard]] Lanes parse_lanes(const AccessText& said, std::size_t outputs);

/// Shows conflict-free (wavefronts = ideal in every instance), conflicts (the largest wavefronts - ideal is "value", or
/// is not above "at_most") or wavefronts (their largest is "value"), and that some lane is active.
void check_access(const std::string& claim, Statement& statement, Evidence& evidence);

/// Shows no-swizzle: of a tile (a layout on one axis of memory, without a swizzle) and accesses to it, no swizzle makes
/// all accesses free of conflicts and keeps all elements in the tile's box. The `bytes` of these accesses have two
/// values: the lane's address in the tile, in elements of `bits` bits, and the byte at which the tile starts.
///
/// The swizzles (M, B, S) exclusive-or bits [M+S, M+S+B) of an address into [M, M+B): B = 0, or 1 <= B <= S, 2^M
/// elements hold the widest access, and M + S + B <= the bits of the tile's largest address, by ranges. The evidence
/// refuses each, in the order B, S, M ascending: of 2^9 addresses of f16 and 16 bytes per lane there are 23.
void check_no_swizzle(const Layout& tile, Statement& statement, Evidence& evidence);

}  // namespace vl::checker
