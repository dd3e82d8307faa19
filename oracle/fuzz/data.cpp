#include "oracle/fuzz/data.h"

#include <fmt/format.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>  // the same function with the widest vectors
#else
#include <xxhash.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "encodings/base/check.h"

namespace vl::oracle {
namespace {

constexpr std::size_t kFewUnits = std::size_t{1} << 15;  // the most units of patterns other than tags
constexpr std::size_t kOffsets = 64;                     // a tensor starts at one of that many units of its pool
constexpr std::size_t kSecondPlane = kPatterns;

// Exponent and mantissa bits of the float with that many bytes: f8e4m3, f16, f32, f64.
struct Float {
  int exponent, mantissa;
};
constexpr std::array<Float, 4> kFloats = {{{4, 3}, {5, 10}, {8, 23}, {11, 52}}};

std::uint64_t unit_of(Pattern pattern, std::size_t log, std::uint64_t number) {
  if (pattern == Pattern::Tags) return number;
  const std::uint64_t bits = mix(number * 4 + log);
  const Float f = kFloats[log];
  const std::uint64_t mantissa = (std::uint64_t{1} << f.mantissa) - 1;
  const std::uint64_t sign = (bits >> 63) << (f.exponent + f.mantissa);
  switch (pattern) {
    case Pattern::Tags: break;
    case Pattern::Random: return bits;
    case Pattern::Nan: {  // the quiet bit, the mantissa's highest, is 0; the payload is not
      const std::uint64_t payload = bits & (mantissa >> 1);
      return sign | ((std::uint64_t{1} << f.exponent) - 1) << f.mantissa | (payload == 0 ? 1 : payload);
    }
    case Pattern::Denormal: return sign | (number % 3 == 0 ? 0 : bits & mantissa);
  }
  VL_CHECK(false, "an unknown pattern");
}

// `units` units of a pattern, little-endian, each without its lowest `plane` bits.
template <class Unit>
std::vector<std::byte> made(Pattern pattern, std::size_t log, std::size_t units, std::size_t plane) {
  std::vector<std::byte> out(units * sizeof(Unit));
  for (std::size_t k = 0; k < units; ++k) {
    const auto unit = static_cast<Unit>(unit_of(pattern, log, k) >> plane);
    std::memcpy(out.data() + k * sizeof unit, &unit, sizeof unit);
  }
  return out;
}

std::string show(std::span<const std::byte> unit) {
  std::string out;
  for (std::size_t k = unit.size(); k-- > 0;) out += fmt::format("{:02x}", static_cast<unsigned>(unit[k]));
  return out;
}

}  // namespace

Pools::Pools() {
  for (std::size_t log = 0; log < 4; ++log)
    for (std::size_t kind = 0; kind <= kPatterns; ++kind) {
      const auto pattern = kind == kSecondPlane ? Pattern::Tags : static_cast<Pattern>(kind);
      if (kind == kSecondPlane && log > 0) continue;
      const std::size_t units = (pattern == Pattern::Tags ? kMostUnits : kFewUnits) + kOffsets;
      const std::size_t plane = kind == kSecondPlane ? 8 : 0;
      if (log == 0) pools_[log][kind] = made<std::uint8_t>(pattern, log, units, plane);
      if (log == 1) pools_[log][kind] = made<std::uint16_t>(pattern, log, units, plane);
      if (log == 2) pools_[log][kind] = made<std::uint32_t>(pattern, log, units, plane);
      if (log == 3) pools_[log][kind] = made<std::uint64_t>(pattern, log, units, plane);
    }
}

const Pools& Pools::get() {
  static const Pools pools;
  return pools;
}

std::span<const std::byte> Pools::units(const Tensor& tensor, std::size_t units) const {
  VL_CHECK(units <= kMostUnits && std::has_single_bit(tensor.unit) && tensor.unit <= 8, "a tensor beyond the pools");
  const auto log = static_cast<std::size_t>(std::countr_zero(tensor.unit));
  // Only for bytes does the second plane show more than the first one.
  const Pattern pattern = units > kFewUnits ? Pattern::Tags : tensor.pattern;
  const bool second = pattern == Pattern::Tags && tensor.unit == 1 && (tensor.data & 1) != 0;
  const std::vector<std::byte>& pool = pools_[log][second ? kSecondPlane : static_cast<std::size_t>(pattern)];
  const std::size_t start = (tensor.data >> 1) % kOffsets;
  return std::span(pool).subspan(start * tensor.unit, units * tensor.unit);
}

std::uint64_t Pools::hash() const {
  std::uint64_t out = 0;
  for (const auto& of_unit : pools_)
    for (const std::vector<std::byte>& pool : of_unit) out = mix(out ^ hash_of(pool));
  return out;
}

std::span<std::byte> Memory::place(std::size_t bytes, std::size_t shift) {
  const std::size_t needed = bytes + shift + 3 * kCanary;
  if (store_.size() < needed) store_.resize(needed * 2);
  const auto address = reinterpret_cast<std::uintptr_t>(store_.data());
  at_ = (64 - address % 64) % 64 + kCanary + shift % 64;
  bytes_ = bytes;
  return content();
}

std::span<std::byte> Memory::open(std::size_t bytes, std::size_t shift) {
  place(bytes, shift);
  std::memset(store_.data() + at_ - kCanary, static_cast<int>(kSentinel), bytes + 2 * kCanary);
  return content();
}

std::span<std::byte> Memory::open_canaries(std::size_t bytes) {
  place(bytes, 0);
  std::memset(store_.data() + at_ - kCanary, static_cast<int>(kSentinel), kCanary);
  std::memset(store_.data() + at_ + bytes, static_cast<int>(kSentinel), kCanary);
  return content();
}

bool Memory::intact() const {
  std::array<std::byte, kCanary> expected;
  expected.fill(kSentinel);
  return std::memcmp(store_.data() + at_ - kCanary, expected.data(), kCanary) == 0 &&
         std::memcmp(store_.data() + at_ + bytes_, expected.data(), kCanary) == 0;
}

std::uint64_t hash_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

std::string difference(std::span<const std::byte> have, std::span<const std::byte> want, std::size_t unit) {
  for (std::size_t k = 0; k + unit <= std::min(have.size(), want.size()); k += unit)
    if (!same(have.subspan(k, unit), want.subspan(k, unit)))
      return fmt::format("unit {} of {} is {}, not {}", k / unit, have.size() / unit, show(have.subspan(k, unit)),
                         show(want.subspan(k, unit)));
  return fmt::format("{} bytes, not {}", have.size(), want.size());
}

}  // namespace vl::oracle
