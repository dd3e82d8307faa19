// The definition: the meaning of pack, unpack and move, one element after the other. Every other implementation is
// compared with this one. So it also checks its own work: each element must have a slot, every write must be the first
// to its unit, and replicas must agree.
//
//   pack     device[slot(x, r)] = host[at(x)] for each element x and replica r; every other unit is the fill value
//   unpack   host[at(x)] = device[slot(x, r)], which must be the same for every r; padding is not read
//   move     unpack, then pack
//
// at(x) is x's row-major number, or its host offset in a View. In a View elements may share an offset (an expanded
// dimension): unpack then writes the first element, and the others must be equal. Host units without an element stay
// unchanged. Elements are opaque units of 1, 2, 4, 8 or 16 bytes; no bit of them is looked at.
// Example: f16[5,100,150] on (d0:100, d1:3, d2:5, d3:64): element [2,7,40], unit 31090, becomes unit 6888.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "oracle/reference/slots.h"

namespace vl::oracle {

/// Keeps its memory: the second tensor of a size needs no allocation.
///
/// Errors of all functions: Shape if a memory has another length than the layout and the unit require; Value if the
/// unit is not one of these, if a memory would have more than 2^36 bytes, or if an element has no slot or a host offset
/// below 0; the errors of each function. After an error the destination's content is unspecified.
class Definition {
 public:
  Definition() = default;
  /// Walks over each of a few layouts only once, until `walks`, which outlives this object, forgets them.
  explicit Definition(Walks& walks) : walks_(&walks) {}

  /// Error: Value if two points (x, r) share a slot; it names both and the slot. Requires: no overlap.
  std::optional<Error> pack(const map::Layout& layout, Host where, std::span<const std::byte> host, std::size_t unit,
                            std::span<const std::byte> fill, std::span<std::byte> device);

  /// Error: Value if two replicas of an element, or two elements of one host offset, differ; it names them.
  std::optional<Error> unpack(const map::Layout& layout, std::span<const std::byte> device, std::size_t unit,
                              Host where, std::span<std::byte> host);

  /// Errors: those of both; Shape if the logical extents differ.
  std::optional<Error> move(const map::Layout& from, const map::Layout& to, std::span<const std::byte> device,
                            std::size_t unit, std::span<const std::byte> fill, std::span<std::byte> moved);

  /// Whether the last error was a lack of memory; it then says nothing about the layout or the data.
  [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }

 private:
  template <class T>
  std::optional<Error> make_room(std::vector<T>& room, std::size_t count);

  SlotBlocks blocks_;
  Walks* walks_ = nullptr;
  std::vector<std::uint8_t> written_;  // one per unit of the destination
  std::vector<std::byte> tensor_;      // of move, in between
  bool lacks_memory_ = false;
};

/// The number of bytes of `units` units. Errors: Value for more than 2^36, and for a unit that is not 1, 2, 4, 8 or 16.
[[nodiscard]] Result<std::size_t> bytes_of(Index units, std::size_t unit);

/// Nothing iff a memory of `units` units has `have` bytes. Errors: those of bytes_of; Shape, naming it `what`.
[[nodiscard]] std::optional<Error> check_memory(std::string_view what, Index units, std::size_t unit, std::size_t have);

/// The same for a host tensor. Errors besides: Value for a host offset below 0 or beyond 64 bits.
[[nodiscard]] std::optional<Error> check_host(const map::Layout& layout, Host where, std::size_t unit,
                                              std::size_t have);

/// Nothing iff the extents are the same; names do not matter.
[[nodiscard]] std::optional<Error> check_same_tensor(const map::Layout& from, const map::Layout& to);

/// The error of a layout without replicas, whose elements therefore have no slot.
[[nodiscard]] std::optional<Error> check_replicas(const map::Layout& layout);

/// Every unit of a memory becomes `fill`. Requires: whole units.
void fill_units(std::span<std::byte> memory, std::span<const std::byte> fill);

}  // namespace vl::oracle
