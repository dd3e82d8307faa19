// The naive interpreter of a transfer: one move after the other, with each offset computed from its iteration alone.
// Synthesis, the prover of nests and every fast path are compared with it.
//
// Offsets count elements; elements are opaque units of 1 to 16 bytes. The nests of a transfer have no order, so a
// result that depends on an order is refused: two moves that write the same unit must write the same bits. Example:
// f16[120] on device_size [2,64]: nest 1 of transfer.h, iteration [0, 3], moves host unit 67 to device unit 67.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/base/result.h"
#include "encodings/use/transfer.h"

namespace vl::oracle {

/// The most moves of a transfer that can be walked over.
constexpr Index kMostMoves = Index{1} << 32;

struct Move {
  std::size_t nest = 0;              // its number in the transfer
  std::span<const Index> iteration;  // one index per loop, outermost first; valid during the call
  Index source = 0;
  Index destination = 0;
};

/// "nest 1, iteration [0, 3]".
[[nodiscard]] std::string name(const Move& move);

/// The number of elements that one nest moves, 0 if an extent is 0; nothing beyond 64 bits. Requires: no negative
/// extent.
[[nodiscard]] std::optional<Index> moves_of(const use::Nest& nest);

/// Calls visit for each move, nests in their order, the innermost loop fastest, until it answers false.
/// Errors: Shape if a walk has another number of strides than its nest has loops; Value for a negative extent and for
/// more than `most` moves, found before the first visit; Overflow, naming nest and iteration, if an offset leaves 64
/// bits.
[[nodiscard]] std::optional<Error> for_each_move(const use::Transfer& transfer,
                                                 const std::function<bool(const Move&)>& visit,
                                                 Index most = kMostMoves);

/// The content of `destination` after the transfer: destination[move.destination] = source[move.source] for each
/// move. Errors: those of for_each_move; Value if `unit` is not 1, 2, 4, 8 or 16, if a buffer is not a whole
/// number of units, if a move reads or writes outside (it names nest, iteration and offset), and if two moves write
/// different bits to one unit (it names both), and for more moves than 2^26 and four for each unit of `destination`.
[[nodiscard]] Result<std::vector<std::byte>> execute(const use::Transfer& transfer, std::span<const std::byte> source,
                                                     std::vector<std::byte> destination, std::size_t unit,
                                                     Index most = kMostMoves);

/// A tensor carried by the nests of a transfer, h2d from a dense host tensor to a device image, d2h from a
/// device image to a dense host tensor (both as in executor.h). In between, its elements are in the host's
/// memory at their host offsets, for all strides and storage offsets. Units that no nest writes,
/// and host units between elements, are `fill`. Errors: those of execute; Shape if `data` has another
/// length than the tensor or the image; Value if two elements at one host offset differ, for a host offset below 0, and
/// for a memory of more than 2^36 bytes. Requires: not DeviceToDevice; fill of `unit` bytes.
[[nodiscard]] Result<std::vector<std::byte>> carry(const use::Transfer& transfer, const map::Layout& layout,
                                                   std::span<const std::byte> data, std::size_t unit,
                                                   std::span<const std::byte> fill);

}  // namespace vl::oracle
