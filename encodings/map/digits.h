// Digits: each output of a map as a sum of digits of single inputs, if the map keeps its inputs apart.
//
//   output = constant + Σ coefficient · floor(((x_input + offset) mod modulus) / divisor)        modulus 0: no mod
//
// In this form one sees which loop drives which coordinate: the lane of a stick is "x2 mod 64", its tile "x2 div 64".
// A split of Σ a·digit by the weight w keeps the form when no carry passes from one input to another: terms with w | a
// go to the quotient, a digit whose coefficient divides w is itself split, and what remains must stay below w. Where
// that fails (two inputs folded into one digit) only the set of inputs is known. Where a constant carries into a digit,
// digits_of() knows no more than that either, and shifted_digits_of() has a digit with an offset.
//
// Every digit takes more than one value over the map's domain. So a sum depends on exactly the inputs of its digits,
// but for several digits of one input with an offset: of 0 <= x < 2, 149·((x + 149) div 150) + (x + 149) mod 150 is
// 149.
//
// Example: f16[5,100,150] on device_size [100,3,5,64], stride_map [150,64,15000,1] has the outputs
//   x1, x2 div 64, x0, x2 mod 64.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

struct Digit {
  std::size_t input = 0;
  Index coefficient = 1;  // > 0
  Index divisor = 1;      // > 0
  Index modulus = 0;      // 0: none; else a multiple of the divisor
  Index offset = 0;       // >= 0

  bool operator==(const Digit&) const = default;
};

struct DigitSum {
  Index constant = 0;  // >= 0
  std::vector<Digit> digits;

  bool operator==(const DigitSum&) const = default;
};

/// An output that is not a sum of digits: the inputs on which it may depend, ascending.
struct Mixture {
  std::vector<std::size_t> inputs;

  bool operator==(const Mixture&) const = default;
};

using Coordinate = std::variant<DigitSum, Mixture>;

/// floor(((x + offset) mod modulus) / divisor). Requires: x >= 0.
[[nodiscard]] Index value(const Digit& digit, Index x);

/// The largest such value over 0 <= x < extent; the smallest is 0. Requires: extent > 0, no offset.
[[nodiscard]] Index largest(const Digit& digit, Index extent);

/// One coordinate per output of the map. For each point of the domain a DigitSum has the output's value; a Mixture
/// names every input that the output depends on, and maybe more.
[[nodiscard]] std::vector<Coordinate> digits_of(const Map& map);
/// The same with offsets, and sums that have negative parts only on the way: (x + 32) div 64 and (x + 32) mod 64 are
/// sums, too.
[[nodiscard]] std::vector<Coordinate> shifted_digits_of(const Map& map);

/// The inputs that a coordinate names, ascending and each once.
[[nodiscard]] std::vector<std::size_t> inputs_of(const Coordinate& coordinate);

/// Does output `output` of the map depend on input `input`: are there two points of the domain that differ only there
/// and have different outputs? Exact. Nothing if the digits do not decide it and `steps`, the number of pairs of
/// neighbours that may still be compared, becomes 0; each comparison decrements it.
[[nodiscard]] std::optional<bool> depends(const Map& map, const Coordinate& coordinate, std::size_t output,
                                          std::size_t input, Index& steps);

}  // namespace vl::map
