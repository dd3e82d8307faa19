// Random numbers of one case: a stream that is a pure function of (seed, purpose, index), so that any single case can
// be made again, on any machine. The generator is SplitMix64, whose steps are one addition and a mix of the bits. It
// does not use the distributions of standard libraries, which differ. What is wished of the case's features goes with
// its numbers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "encodings/base/integer.h"
#include "encodings/use/feature.h"

namespace vl::use {

/// A bijection of 64-bit words that spreads every bit over all bits: the finaliser of SplitMix64.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index)
      : state_(mix(mix(mix(seed + 0x9e3779b97f4a7c15U) ^ purpose) + index)) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    return mix(state_);
  }
  /// A number of [low, high]. Requires: low <= high, high - low < 2^32.
  Index between(Index low, Index high) {
    const auto count = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<Index>(((next() >> 32) * count) >> 32);
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(between(0, static_cast<Index>(count) - 1)); }
  bool chance(Index percent) { return between(1, 100) <= percent; }
  /// Whether a sample takes a feature: as it is wished for, else so often.
  bool chance(Feature feature, Index percent) {
    if (((wishes.on | wishes.off) & bit(feature)) != 0) return wishes.has(feature);
    return chance(percent);
  }
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[below(k)]);
  }

  Wishes wishes = {};  // of none, if nothing is said

 private:
  std::uint64_t state_;
};

}  // namespace vl::use
