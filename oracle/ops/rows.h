// Rows: an operation on the terms of one result element, in an explicit order, with the pads among the terms and
// without them. The run without them has the induced order (order.h).
//
// Worked example, f16 sum by seq: the terms 0x8000 (-0) and a pad 0x0000. With the pad (-0) + (+0) = +0, without it the
// tree is its one leaf: -0.
#pragma once

#include <span>

#include "oracle/ops/order.h"
#include "oracle/ops/scalar.h"

namespace vl::oracle::ops {

/// The root of a reduction's tree, a code of the accumulator (of any and all 0 or 1); nothing if no leaf is left. If
/// the arithmetic is fused, each node whose right child in the tree is a term adds it by fma, and no other, with pads
/// and without. If it has a start, leaf 0 of the tree is the start, and leaf i the term i - 1. Requires: a reduction; a
/// tree with a leaf per term, and one more for a start.
[[nodiscard]] std::optional<Code> reduced(const Scalar& scalar, const Tree& tree, std::span<const Term> terms,
                                          bool with_pads);

/// Of ArgMax and ArgMin: the place of the element in the row, counted with pads; nothing if no element is left.
[[nodiscard]] std::optional<std::size_t> place_in(const Scalar& scalar, std::span<const Term> terms, bool with_pads);

}  // namespace vl::oracle::ops
