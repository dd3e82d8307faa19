// Equations over GF(2) on the bits of a number, and what exclusive-or forms (xor_form.h) take over their solutions.
//
// Example: the form with columns 2, 4 and constant 1 takes 1, 3, 5, 7 over two bits; where bit 1 of it is 0, bit 0 of
// the number is 0 and the largest value is 5.
#pragma once

#include <functional>

#include "verifier/engines/bits/xor_form.h"

namespace vl::engines {

using Word = std::uint64_t;

constexpr int kMostBits = 62;  // of a form

/// parity(number & mask) = value.
struct Equation {
  Word mask = 0;
  bool value = false;
};

/// The numbers of so many bits that satisfy equations.
class Solutions {
 public:
  explicit Solutions(int bits) : bits_(bits) {}

  void require(Equation equation);
  [[nodiscard]] Solutions with(const Equation& equation) const;
  [[nodiscard]] bool exist() const { return exist_; }
  /// Of the equations.
  [[nodiscard]] int rank() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] int bits() const { return bits_; }

 private:
  int bits_;
  std::vector<Equation> rows_;  // each one's leading bit is in no later row
  bool exist_ = true;
};

/// Whether a set that is not empty contains a number with some property.
using Accepts = std::function<bool(const Solutions&)>;

/// The smallest number with a property. Requires: `set` contains one.
[[nodiscard]] Word smallest(Solutions set, const Accepts& somewhere);

/// That bit of the form, as a condition on the number.
[[nodiscard]] Equation bit_is(const XorForm& form, int bit, bool value);
/// Whether some form is not 0 at some number of the set.
[[nodiscard]] bool not_zero(const BitMatrix& forms, const Solutions& set);
/// The largest value of a form over the set. Requires: the set is not empty.
[[nodiscard]] Index largest(const XorForm& form, Solutions set);

/// One form an output, over the bits of the point's row-major number, lowest first. Requires: extents of powers of two.
[[nodiscard]] std::optional<BitMatrix> forms_by_number(const map::Map& map);
/// outer after inner, over the inner forms' `columns` bits; bits[i] names the bit of the inner forms that is the outer
/// one's bit i. Bits without a name count as 0.
[[nodiscard]] XorForm composed(const XorForm& outer, const std::vector<InputBit>& bits, const BitMatrix& inner,
                               std::size_t columns);
[[nodiscard]] XorForm difference(const XorForm& a, const XorForm& b);

}  // namespace vl::engines
