// Data of campaigns: the content of tensors, the memories to which they are sent, and hashes of the results.
//
// A plan moves opaque units, so one run on units that are all different shows the place of every unit. There are only
// 256 bytes, so a run on bytes shows one byte plane of the number. Other patterns are for moves that are not opaque: a
// float load and store may quiet a signalling NaN, flush a denormal or lose the sign of a zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

constexpr std::size_t kMostUnits = std::size_t{1} << 19;  // of any memory of a trial

/// The tensors' content, made once, so that a case only reads it.
class Pools {
 public:
  [[nodiscard]] static const Pools& get();
  /// `units` units of the tensor's pattern; `data` selects one of several. Many units are tags for every pattern.
  /// Requires: units <= kMostUnits.
  [[nodiscard]] std::span<const std::byte> units(const Tensor& tensor, std::size_t units) const;
  /// Stays the same unless a unit was changed.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  Pools();
  std::array<std::array<std::vector<std::byte>, kPatterns + 1>, 4> pools_;  // of units of 1, 2, 4, 8 bytes
};

/// A destination of a trial: sentinels everywhere, canaries before and behind.
class Memory {
 public:
  /// `bytes` bytes of 0xEE, `shift` bytes behind a cache line's start. Valid until the next call.
  std::span<std::byte> open(std::size_t bytes, std::size_t shift);
  /// The same with any content, for a level that must write nothing: only the canaries are compared.
  std::span<std::byte> open_canaries(std::size_t bytes);
  [[nodiscard]] std::span<std::byte> content() { return {store_.data() + at_, bytes_}; }
  [[nodiscard]] std::span<const std::byte> content() const { return {store_.data() + at_, bytes_}; }
  [[nodiscard]] bool intact() const;
  static constexpr std::byte kSentinel{0xee};

 private:
  static constexpr std::size_t kCanary = 64;

  std::span<std::byte> place(std::size_t bytes, std::size_t shift);

  std::vector<std::byte> store_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
};

/// A number that depends on every byte, the same on every machine: XXH3.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes);

[[nodiscard]] bool same(std::span<const std::byte> a, std::span<const std::byte> b);

/// The first difference of two memories: "unit 37 of 96 is 0025, not eeee".
[[nodiscard]] std::string difference(std::span<const std::byte> have, std::span<const std::byte> want,
                                     std::size_t unit);

}  // namespace vl::oracle
