// Measuring the executor: it takes turns with copies of as many bytes as it writes, in the same process.
//
// A round is one call of the work and one call of each way to copy as many bytes between the same two memories: glibc's
// memcpy, a loop of non-temporal stores, `rep movsb`. The ratio is that of the least times over all rounds, so other
// work of the machine is not counted, and copies and work see the same machine. Memories begin at a multiple of 2 MiB,
// on huge pages if the system gives them, and are written to before any timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/bench/rows.h"

namespace vl::bench {

/// Memory that is mapped once and grows only.
class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// The first `bytes` bytes. What they hold is not said.
  [[nodiscard]] std::span<std::byte> first(std::size_t bytes);

 private:
  void* mapped_ = nullptr;
  std::size_t length_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// Byte i of the pattern that sources hold: 32-bit words that are all different for the first 2^30 of them,
/// and none of which is a NaN, infinite or denormal as an f32 or as half of an f64.
void fill_with_tags(std::span<std::byte> memory);
/// Σ (2i+1)·word_i over the 64-bit words, modulo 2^64, of a memory whose last word is filled up with 0.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> memory);

/// The calling thread on one processor, while this lives.
class Pinned {
 public:
  Pinned();
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<unsigned char> before_;
};

enum class Copy : std::uint8_t { Memcpy, Stream, RepMovsb };
/// Whether this processor has the instruction.
[[nodiscard]] bool has(Copy copy);
void copy_by(Copy copy, std::byte* destination, const std::byte* source, std::size_t bytes);

/// Seconds of one call, a sample a round. Copies that the processor lacks have none.
struct Times {
  std::vector<double> work;
  std::vector<double> copies[3];  // by Copy
};

enum class Clock : std::uint8_t { Thread, Wall };

/// Rounds until `seconds` are over, at least 5 (2 if a round takes longer than a second) and at most 25.
/// Work that is shorter than 0.2 ms is repeated within a round, and so are the copies.
[[nodiscard]] Times measure(const std::function<void()>& work, const std::function<void(Copy)>& copy, Clock clock,
                            double seconds = 0.8);
/// Seconds of one call, a sample a round, without copies.
[[nodiscard]] std::vector<double> measure(const std::function<void()>& work, Clock clock, double seconds = 0.4);

/// A ratio of least times, and that of each round.
struct Ratio {
  double value = 0;
  std::vector<double> rounds;
};
[[nodiscard]] Ratio to_memcpy(const Times& times);
[[nodiscard]] Ratio to_best_copy(const Times& times);

/// The row NAME in `x memcpy` and the row NAME/best-copy in `x best-copy`, where they are wanted.
void add_ratios(Rows& rows, const std::string& name, const Times& times, const std::string& threads = "");
[[nodiscard]] bool wants_ratios(const Rows& rows, const std::string& name);

}  // namespace vl::bench
