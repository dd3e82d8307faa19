// Exclusive-or sums of bits: what a map is when no addition carries. Each input bit b has a column; the value is the
// constant XOR the columns of the bits that are 1. An addition is an exclusive or when its summands can never have a
// bit in common, a multiplication by 2^k shifts, any other one needs columns that have no bit in common before and
// after; a division by 2^k cuts. Everything else is rejected: (4):(3) is no such map, although 4 is a power of two.
#pragma once

#include <cstdint>

#include "verifier/checker/kernel.h"

namespace vl::checker {

struct Bits {
  std::uint64_t constant = 0;
  std::vector<std::uint64_t> columns;

  /// Contains every bit that the value may have.
  [[nodiscard]] std::uint64_t support() const;
  bool operator==(const Bits&) const = default;
};

class Columns {
 public:
  using Value = Bits;
  /// Dimension i has the least number of bits that hold its coordinates; input bits are numbered dimension by
  /// dimension, the lowest first. All bit patterns count as points, also those beyond an extent.
  explicit Columns(const Space& box);

  [[nodiscard]] const std::vector<Bits>& inputs() const { return inputs_; }
  [[nodiscard]] std::size_t bits() const { return bits_; }
  [[nodiscard]] Bits sum(const Row& row, const std::vector<Bits>& values) const;
  [[nodiscard]] std::pair<Bits, Bits> divide(const Bits& value, Wide weight) const;
  [[nodiscard]] Bits swizzle(const Bits& value, const Stage& stage) const;

 private:
  std::vector<Bits> inputs_;
  std::size_t bits_ = 0;
  mutable Held held_;  // the values that were made; whoever has them ends before
};

}  // namespace vl::checker
