// Steps by the definition, one byte at a time, and memories that show every wrong byte: each source byte has its own
// number, in two planes; destinations begin as 0xEE between canaries, at any alignment.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "oracle/kernels/kernels.h"
#include "tests/support/property.h"

namespace vl::oracle::tests {

constexpr Index kCanary = 192;
using Random = test::Engine;

inline Index between(Random& random, Index low, Index high) { return test::roll(random, low, high); }

/// Calls body(source, destination) for each iteration of a step, before swizzles.
inline void each(const Step& step, const std::function<void(Index, Index)>& body) {
  const std::function<void(std::size_t, Index, Index)> loop = [&](std::size_t k, Index source, Index destination) {
    if (k == step.rank) return body(source, destination);
    for (Index i = 0; i < step.loops[k].extent; ++i)
      loop(k + 1, source + i * step.loops[k].source, destination + i * step.loops[k].destination);
  };
  loop(0, step.source, step.destination);
}

/// The definition of a swizzle, bit by bit.
inline Index moved(const ByteSwizzle& s, Index address) {
  Index result = address;
  for (int bit = 0; bit < s.bits; ++bit) {
    const int low = s.base + bit;
    const int high = s.base + s.shift + bit;
    const Index set = (address >> (s.up ? low : high)) & 1;
    result ^= set << (s.up ? high : low);
  }
  return result;
}

constexpr Index kUntouched = -1;
constexpr Index kFilled = -2;  // and -2 - k: with byte k of the fill value

/// For each destination byte the source byte that goes there. Reports bytes that are written twice or lie outside.
inline std::vector<Index> pairs_of(const std::vector<Step>& steps, Index bytes, Index unit) {
  std::vector<Index> pairs(static_cast<std::size_t>(bytes), kUntouched);
  const auto put = [&](Index destination, Index what) {
    ASSERT_TRUE(destination >= 0 && destination < bytes) << destination;
    ASSERT_EQ(pairs[static_cast<std::size_t>(destination)], kUntouched) << destination;
    pairs[static_cast<std::size_t>(destination)] = what;
  };
  for (const Step& step : steps)
    each(step, [&](Index source, Index destination) {
      const Index to = moved(step.destination_swizzle, destination);
      const Index from = moved(step.source_swizzle, source);
      for (Index k = 0; k < step.run; ++k) put(to + k, step.kernel == Kernel::Fill ? kFilled - k % unit : from + k);
      for (Index k = 0; k < step.fill; ++k) put(to + step.run + k, kFilled - k % unit);
    });
  return pairs;
}

/// A source whose bytes are their numbers (plane 0: the low byte, plane 1: the next one), a destination somewhere.
struct Arena {
  std::vector<std::byte> source;
  std::vector<std::byte> memory;
  Index bytes;
  Index alignment;
  Index unit;

  Arena(Index source_bytes, Index destination_bytes, Index aligned, Index unit_bytes)
      : source(static_cast<std::size_t>(source_bytes)),
        memory(static_cast<std::size_t>(destination_bytes + 2 * kCanary + 64)),
        bytes(destination_bytes),
        alignment(aligned),
        unit(unit_bytes) {}

  std::byte* destination() {
    const auto base = reinterpret_cast<std::uintptr_t>(memory.data() + kCanary);
    return memory.data() + kCanary + ((64 - base % 64) % 64 + static_cast<std::uintptr_t>(alignment)) % 64;
  }

  /// Runs `work` on both planes and compares all of the memory. The first difference, or "".
  std::string difference(const std::vector<Index>& pairs, const std::function<void(const Buffers&)>& work) {
    for (int plane = 0; plane < 2; ++plane) {
      for (std::size_t k = 0; k < source.size(); ++k) source[k] = static_cast<std::byte>((k >> (8 * plane)) & 0xff);
      std::fill(memory.begin(), memory.end(), std::byte{0xEE});
      Buffers buffers{source.data(), destination(), {}};
      for (std::size_t k = 0; k < buffers.fill.size(); ++k)
        buffers.fill[k] = static_cast<std::byte>(0xA0 + static_cast<Index>(k) % unit);
      work(buffers);
      for (std::size_t k = 0; k < memory.size(); ++k) {
        const Index at = &memory[k] - destination();
        const Index pair = at >= 0 && at < bytes ? pairs[static_cast<std::size_t>(at)] : kUntouched;
        const Index expected = pair == kUntouched ? 0xEE
                               : pair <= kFilled  ? 0xA0 + kFilled - pair
                                                  : (pair >> (8 * plane)) & 0xff;
        if (memory[k] != static_cast<std::byte>(expected))
          return "byte " + std::to_string(at) + " of " + std::to_string(bytes) + " is " +
                 std::to_string(static_cast<int>(memory[k])) + ", not " + std::to_string(expected);
      }
    }
    return "";
  }
};

inline Step step_of(Kernel kernel, std::vector<Loop> loops, Index run, Index fill = 0) {
  Step step;
  step.kernel = kernel;
  step.rank = static_cast<std::uint8_t>(loops.size());
  std::copy(loops.begin(), loops.end(), step.loops.begin());
  step.run = run;
  step.fill = fill;
  return step;
}

}  // namespace vl::oracle::tests
