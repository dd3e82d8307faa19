// Work: one budget of work and of memory for everything that a check does, whichever loop does it, reading of JSON and
// CBOR included. A certificate is data from anywhere: a few hundred bytes can name 2^40 points, or polynomials of a
// thousand terms to multiply. Each loop charges what it does before it does it, so that no certificate costs more than
// about a second and 256 MiB.
//
// A unit is a few operations on wide integers, some four to ten nanoseconds: one term of a row at one point, one
// coefficient of a form. A polynomial's term takes eight, because it is sorted. Counts do not depend on the machine or
// its load. Memory is counted by what is kept, at least: values of JSON 160 bytes each, for the parser's tree, the one
// of the digest and the plain values.
//
// The budget is a fixed one and not one for each byte. Of the 29,660 certificates of the corpus (25.5 MB) the greatest
// takes 34 million units: it walks over every point, and says so in 678 bytes. All together take 276 million.
//
// The budget belongs to the thread. Without a Metered nothing is limited: the makers of certificates run the same code.
// Example: a walk over 2^22 points of an affine map of two terms takes some 2^24 units.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "verifier/kernel/core/wide.h"

namespace vl::kernel {

/// What one check may do: about a second, and 256 MiB.
constexpr long long kMostWork = 200'000'000, kMostBytes = 256LL << 20;

/// Why a check was ended. It is a refusal like any other, and says so.
struct OverBudget : Rejected {
  using Rejected::Rejected;
};

struct WorkLeft {
  long long work = std::numeric_limits<long long>::max();
  long long bytes = std::numeric_limits<long long>::max();
};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of this thread; only Metered and charges touch it
inline thread_local constinit WorkLeft work_of_thread{};

[[noreturn]] void needs_more_work();
[[noreturn]] void needs_more_memory();

/// What is left; differences count the work that was done between.
[[nodiscard]] inline long long work_left() { return work_of_thread.work; }

/// Takes units of work. Requires: units >= 0, below 2^62.
inline void charge(long long units) {
  if ((work_of_thread.work -= units) < 0) needs_more_work();
}
inline void charge(std::size_t units) { charge(static_cast<long long>(units)); }
/// The same of a number that a certificate names: also one that has no 64 bits is more than there is.
void charge(const Wide& units);

/// Takes bytes of memory, and gives them back.
inline void hold(long long bytes) {
  if ((work_of_thread.bytes -= bytes) < 0) needs_more_memory();
}
inline void hold(std::size_t bytes) { hold(static_cast<long long>(bytes)); }
inline void release(long long bytes) { work_of_thread.bytes += bytes; }
inline void release(std::size_t bytes) { release(static_cast<long long>(bytes)); }

/// Memory that is given back when its owner ends.
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { release(bytes_); }
  void take(std::size_t bytes) { hold(bytes), bytes_ += static_cast<long long>(bytes); }

 private:
  long long bytes_ = 0;
};

/// Adds to a list, whose memory counts: at each growth all that it holds then. `each`: the bytes of an item.
template <class T>
void keep(std::vector<T>& list, T item, std::size_t each = sizeof(T)) {
  charge(2LL);
  if (list.size() == list.capacity()) {
    const std::size_t more = std::max<std::size_t>(16, 2 * list.capacity());
    hold(more * each);  // the old list lies beside the new one, and is not counted as freed
    list.reserve(more);
  }
  list.push_back(std::move(item));
}

/// Sorting n items.
inline void charge_sorting(std::size_t n) {
  long long bits = 1;
  while (n >> bits != 0) ++bits;
  charge(static_cast<long long>(n) * bits);
}

/// The budget of this thread until it goes out of scope. Within another one it takes no more than that one has left,
/// and its work counts there too.
class Metered {
 public:
  explicit Metered(long long work = kMostWork, long long bytes = kMostBytes)
      : before_(work_of_thread), given_{std::min(work, before_.work), std::min(bytes, before_.bytes)} {
    work_of_thread = given_;
  }
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;
  ~Metered() { work_of_thread = {before_.work - (given_.work - work_of_thread.work), before_.bytes}; }

  /// The units taken so far.
  [[nodiscard]] long long done() const { return given_.work - work_of_thread.work; }

 private:
  WorkLeft before_, given_;
};

}  // namespace vl::kernel
