// "No iteration of this nest writes place d" is a negated existential. It becomes a formula without a quantifier where
// the nest's strides nest: sorted by |stride|, each exceeds what the smaller ones reach together. Then at most one
// choice of the loops gives d, the greedy digits of d - lowest by the |stride|s (a loop of negative stride counts
// backwards), and the nest writes d iff the rest is 0 and every digit is below its extent.
//
// Proof: let d - lowest = Σ d_k·w_k with 0 <= d_k < extent_k. The smaller terms sum to less than w_k, hence d_k is the
// quotient and they are the rest, for each k in turn. The other direction is the digits' own sum.
//
// Example: extents [3,2], strides [64,-1] from 1: lowest 0, w = 64, 1. d = 64 has digits 1, 0, 0: written, by iteration
// [1,1]. d = 66 has digits 1, 2: not written.
#pragma once

#include <optional>
#include <vector>

#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"
#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {

/// The loops of `among` with extent > 1 and a stride that is not 0, by descending |stride|; nothing when they do not
/// nest.
[[nodiscard]] std::optional<std::vector<std::size_t>> nested(const use::Nest& nest, const use::Walk& walk,
                                                             const std::vector<std::size_t>& among);

/// Whether the offsets tell a nest's iterations apart because they nest: what is written, or (`reading`) what is
/// written and read. False says nothing. Loops of extent 1 never matter.
[[nodiscard]] bool tells_iterations(const use::Nest& nest, bool reading);

/// Nests whose strides nest and that make the same moves as this one, each at least once: itself, or the slices in
/// which the loops that break the nesting stand at each of their values. Nothing when those are more than `most`. With
/// `reading`, loops whose destination stands still have to nest by what they read.
[[nodiscard]] std::optional<std::vector<use::Nest>> nested_slices(const use::Nest& nest, bool reading,
                                                                  std::size_t most);

/// A memory's offset inside an obligation: base + number, the number a variable in [0, volume).
struct OffsetTerm {
  const use::Memory* memory = nullptr;
  smt::TermId number = 0;
};

/// No iteration of the nest writes `written` and, where it is given, reads `read`. Requires: one of nested_slices().
/// Nothing when numbers leave 64 bits.
[[nodiscard]] std::optional<smt::Formula> unmoved(smt::Obligation& obligation, const use::Nest& nest,
                                                  const OffsetTerm& written, const std::optional<OffsetTerm>& read);

}  // namespace vl::engines
