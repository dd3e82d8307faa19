#include "tests/bench/exec_measure.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "encodings/base/check.h"

namespace vl::bench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::Thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work, std::size_t times, Clock clock) {
  const double start = now(clock);
  for (std::size_t i = 0; i < times; ++i) work();
  return (now(clock) - start) / static_cast<double>(times);
}

// The number of calls that make a sample of 0.2 ms. These are also the first calls, which are not measured.
std::size_t calls_of(const std::function<void()>& work, Clock clock) {
  constexpr double kSample = 2e-4;
  work();
  std::size_t times = 1;
  while (times < 10'000'000 && seconds_of(work, times, clock) * static_cast<double>(times) < kSample) times *= 2;
  return times;
}

// Calls round() until the time is over.
void rounds(double seconds, const std::function<void()>& round) {
  const double start = now(Clock::Wall);
  for (std::size_t done = 1;; ++done) {
    round();
    const double spent = now(Clock::Wall) - start;
    const std::size_t least = spent / static_cast<double>(done) > 1 ? 2 : 5;
    if (done >= 25 || (done >= least && spent > seconds)) return;
  }
}

#if defined(__x86_64__)
// Intrinsics and assembly keep the compiler from making calls of memcpy.
__attribute__((target("avx512f"))) void stream_512(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  _mm_sfence();
  std::memcpy(to + i, from + i, bytes - i);
}

void stream_128(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t i = 0;
  for (; i + 16 <= bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();
  std::memcpy(to + i, from + i, bytes - i);
}

void rep_movsb(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

// Through a pointer that the compiler cannot see through: a call of the library's memcpy.
void* (*volatile the_memcpy)(void*, const void*, std::size_t) = std::memcpy;

double least(const std::vector<double>& samples) { return *std::ranges::min_element(samples); }

}  // namespace

Memory::~Memory() {
  if (mapped_ != nullptr) munmap(mapped_, length_);
}

std::span<std::byte> Memory::first(std::size_t bytes) {
  if (bytes > size_) {
    if (mapped_ != nullptr) munmap(mapped_, length_);
    size_ = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    length_ = size_ + kHugePage;
    mapped_ = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    VL_CHECK(mapped_ != MAP_FAILED, "no memory for the benchmark");
    const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
    begin_ = static_cast<std::byte*>(mapped_) + (kHugePage - address % kHugePage) % kHugePage;
    madvise(begin_, size_, MADV_HUGEPAGE);  // a wish: 4 KiB pages cost up to a tenth
    std::memset(begin_, 0xEE, size_);
  }
  return {begin_, bytes};
}

void fill_with_tags(std::span<std::byte> memory) {
  constexpr std::uint32_t kBits30 = (1U << 30) - 1;
  for (std::size_t i = 0; i * 4 < memory.size(); ++i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) & kBits30;  // each step is a bijection of 30 bits
    h = h * 0x2C1B3C6DU & kBits30;
    h ^= h >> 15;
    h = h * 0x297A2D39U & kBits30;
    h ^= h >> 14;
    const std::uint32_t word = (h & 0x1FFFFFFFU) | (h >> 29 << 31) | 0x20000000U;
    std::memcpy(memory.data() + 4 * i, &word, std::min<std::size_t>(4, memory.size() - 4 * i));
  }
}

std::uint64_t digest_of(std::span<const std::byte> memory) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i * 8 < memory.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory.data() + 8 * i, std::min<std::size_t>(8, memory.size() - 8 * i));
    sum += word * (2 * i + 1);
  }
  return sum;
}

Pinned::Pinned() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  before_.resize(sizeof set);
  std::memcpy(before_.data(), &set, sizeof set);
  const int here = sched_getcpu();
  if (here < 0) return;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(here), &set);
  sched_setaffinity(0, sizeof set, &set);
}

Pinned::~Pinned() {
  cpu_set_t set;
  if (before_.size() != sizeof set) return;
  std::memcpy(&set, before_.data(), sizeof set);
  sched_setaffinity(0, sizeof set, &set);
}

bool has([[maybe_unused]] Copy copy) {
#if defined(__x86_64__)
  return true;
#else
  return copy == Copy::Memcpy;
#endif
}

void copy_by(Copy copy, std::byte* destination, const std::byte* source, std::size_t bytes) {
  switch (copy) {
    case Copy::Memcpy: the_memcpy(destination, source, bytes); return;
#if defined(__x86_64__)
    case Copy::Stream:
      __builtin_cpu_supports("avx512f") ? stream_512(destination, source, bytes)
                                        : stream_128(destination, source, bytes);
      return;
    case Copy::RepMovsb: rep_movsb(destination, source, bytes); return;
#else
    case Copy::Stream:
    case Copy::RepMovsb: break;
#endif
  }
  VL_CHECK(false, "a copy that this processor does not have");
}

Times measure(const std::function<void()>& work, const std::function<void(Copy)>& copy, Clock clock, double seconds) {
  struct Contender {
    std::function<void()> call;
    std::vector<double>* samples = nullptr;
    std::size_t calls = 1;
  };
  Times out;
  std::vector<Contender> contenders{{work, &out.work}};
  for (const Copy one : {Copy::Memcpy, Copy::Stream, Copy::RepMovsb})
    if (has(one)) contenders.push_back({[&copy, one] { copy(one); }, &out.copies[static_cast<std::size_t>(one)]});
  for (Contender& one : contenders) one.calls = calls_of(one.call, clock);
  rounds(seconds, [&] {
    for (Contender& one : contenders) one.samples->push_back(seconds_of(one.call, one.calls, clock));
  });
  return out;
}

std::vector<double> measure(const std::function<void()>& work, Clock clock, double seconds) {
  std::vector<double> out;
  const std::size_t calls = calls_of(work, clock);
  rounds(seconds, [&] { out.push_back(seconds_of(work, calls, clock)); });
  return out;
}

Ratio to_memcpy(const Times& times) {
  const std::vector<double>& copies = times.copies[static_cast<std::size_t>(Copy::Memcpy)];
  Ratio out{least(copies) / least(times.work), {}};
  for (std::size_t i = 0; i < times.work.size(); ++i) out.rounds.push_back(copies[i] / times.work[i]);
  return out;
}

Ratio to_best_copy(const Times& times) {
  std::vector<double> best(times.work.size(), 1e300);
  for (const std::vector<double>& copies : times.copies)
    for (std::size_t i = 0; i < copies.size(); ++i) best[i] = std::min(best[i], copies[i]);
  Ratio out{least(best) / least(times.work), {}};
  for (std::size_t i = 0; i < best.size(); ++i) out.rounds.push_back(best[i] / times.work[i]);
  return out;
}

void add_ratios(Rows& rows, const std::string& name, const Times& times, const std::string& threads) {
  const Ratio memcpy = to_memcpy(times);
  const Ratio best = to_best_copy(times);
  rows.add_value(name, "x " + threads + "memcpy", memcpy.value, memcpy.rounds);
  rows.add_value(name + "/best-copy", "x " + threads + "best-copy", best.value, best.rounds);
}

bool wants_ratios(const Rows& rows, const std::string& name) {
  return rows.wants(name) || rows.wants(name + "/best-copy");
}

}  // namespace vl::bench
