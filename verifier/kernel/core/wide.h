// Wide: integers that never wrap. 128 bits, every operation checked; what leaves them rejects the certificate.
#pragma once

#include <compare>
#include <stdexcept>
#include <utility>

namespace vl::kernel {

/// Why a certificate is no proof. require() throws it, check() catches it: nobody can forget to pass a failure on.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char* why) {
  if (!holds) throw Rejected(why);
}

class Wide {
 public:
  constexpr Wide(long long value = 0) : value_(value) {}  // implicit: literals are numbers too

  friend Wide operator+(Wide a, Wide b) { return checked(__builtin_add_overflow(a.value_, b.value_, &a.value_), a); }
  friend Wide operator-(Wide a, Wide b) { return checked(__builtin_sub_overflow(a.value_, b.value_, &a.value_), a); }
  friend Wide operator*(Wide a, Wide b) { return checked(__builtin_mul_overflow(a.value_, b.value_, &a.value_), a); }
  /// Towards minus infinity. Requires: b > 0.
  friend Wide operator/(Wide a, Wide b) {
    require(b.value_ > 0, "a divisor that is not positive");
    const auto small = static_cast<unsigned long long>(a.value_), by = static_cast<unsigned long long>(b.value_);
    if (a.value_ == small && b.value_ == by) return of(small / by);  // many times faster
    return of(a.value_ / b.value_ - (a.value_ % b.value_ < 0 ? 1 : 0));
  }
  friend Wide operator%(Wide a, Wide b) { return a - a / b * b; }
  Wide& operator+=(Wide b) { return *this = *this + b; }
  auto operator<=>(const Wide&) const = default;  // NOLINT(modernize-use-nullptr): it means the 0 of a comparison

  [[nodiscard]] Wide abs() const { return value_ < 0 ? Wide(0) - *this : *this; }
  /// The value, when it is one of 64 bits.
  [[nodiscard]] long long narrow() const {
    require(value_ == static_cast<long long>(value_), "a number beyond 64 bits");
    return static_cast<long long>(value_);
  }

 private:
  static Wide of(__int128 value) {
    Wide out;
    out.value_ = value;
    return out;
  }
  static Wide checked(bool overflow, const Wide& value) {  // by reference: it is written in the same call
    require(!overflow, "a number beyond 128 bits");
    return value;
  }

  __int128 value_;
};

// What cells ask of a scalar. Whether it is >= 0; of names, at all sizes, by its coefficients.
inline bool is_shown(const Wide& not_negative) { return not_negative >= 0; }
// Terms, all below 0, that leave it >= 0 when they are taken away.
inline Wide below_zero(const Wide& value) { return value < 0 ? value : Wide(0); }
// What is tried for the quotient of a coefficient: what is left by it has to be shown.
inline Wide share(const Wide& value, const Wide& weight) { return value % weight == 0 ? value / weight : Wide(0); }
// The same of a constant.
inline Wide floor_of(const Wide& value, const Wide& weight) { return value / weight; }
// How many blocks take a range; of names where they fit.
inline Wide blocks_of(const Wide& extent, const Wide& size) { return (extent + size - 1) / size; }
inline Wide rest_of(const Wide& value, const Wide& m) { return value % m; }
inline Wide number_of(const Wide& value) { return value; }
/// What it takes where it is kept.
inline std::size_t bytes_of(const Wide& value) { return sizeof(value); }

inline Wide gcd(Wide a, Wide b) {
  a = a.abs(), b = b.abs();
  while (b != 0) a = a % b, std::swap(a, b);
  return a;
}

}  // namespace vl::kernel
