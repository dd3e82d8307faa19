// The least width at which the bit-vector form of an obligation does not wrap: no sum, product or value of a term
// leaves it. It is computed by interval arithmetic in 128 bits.
#pragma once

#include <optional>

#include "encodings/smt/obligation.h"

namespace vl::smt {

/// Bits of a two's complement number that holds every intermediate result; nothing if one needs more than 128 bits.
/// Example: v in [0, 9] with 10·v - 42 required to be 0: the largest magnitude is 132, so 9 bits.
[[nodiscard]] std::optional<unsigned> width_of(const Obligation& obligation);

/// Whether a map of the obligation has a swizzle; it then has no form in linear integer arithmetic.
[[nodiscard]] bool has_swizzle(const Obligation& obligation);

}  // namespace vl::smt
