// Exclusive-or forms: a value as constant ^ ⊕ (bit of an input ? column : 0). A map's outputs have such forms when no
// addition in it carries, and every split is by a power of two.
//
// No addition carries when the addends' bits cannot meet: the support of an addend is the union of its columns and its
// constant, and the supports of all addends are disjoint. Powers of two alone are not enough: (4):(3), say, has 3·3 = 9
// and 3 ^ 6 = 5. An extent that is no power of two only leaves out some values of its bits.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "encodings/map/map.h"

namespace vl::engines {

[[nodiscard]] inline bool is_power(Index value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

struct XorForm {
  std::uint64_t constant = 0;
  std::vector<std::uint64_t> columns;  // one a bit of the inputs, in the order of input_bits()

  [[nodiscard]] std::uint64_t support() const;
};

/// The forms of several values over the same bits.
using BitMatrix = std::vector<XorForm>;

struct InputBit {
  std::size_t input = 0;
  int bit = 0;
};

/// The bits that a domain's points have: bits of extent - 1, input by input, lowest first.
[[nodiscard]] std::vector<InputBit> input_bits(const map::Space& domain);

/// One form an output; nothing when the map is not known to have them.
[[nodiscard]] std::optional<BitMatrix> xor_forms(const map::Map& map);

/// A basis of the span of words, each row's leading bit in no later row; and how many there are, the rank over GF(2).
/// Of 6, 3, 5: 6 and 3; rank 2.
[[nodiscard]] std::vector<std::uint64_t> echelon(const std::vector<std::uint64_t>& words);
[[nodiscard]] int rank(const std::vector<std::uint64_t>& words);

}  // namespace vl::engines
