// Evaluations of a reduction, drawn: any tree over its terms in any order, or from left to right.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/property.h"
#include "verifier/neutral/question.h"

namespace vl::test {

/// A term of both runs, or the start.
struct Leaf {
  bool start = false, pad = false;
  neutral::Term padded, reference;
};

inline std::optional<values::Code> tree(const neutral::Question& question, std::span<const Leaf> leaves,
                                        WideEngine& random, bool with_pads) {
  if (leaves.size() == 1) {
    if (leaves[0].pad && !with_pads) return std::nullopt;
    if (leaves[0].start) return start_of(question);
    return neutral::leaf(question, with_pads ? leaves[0].padded : leaves[0].reference);
  }
  const std::size_t cut = 1 + random.below(leaves.size() - 1);
  const auto a = tree(question, leaves.first(cut), random, with_pads);
  const auto b = tree(question, leaves.subspan(cut), random, with_pads);
  return a && b ? std::optional(combined(question, *a, *b)) : a ? a : b;
}

/// The result with the pads or without them; the same `order` draws the same evaluation.
inline values::Code evaluated(const neutral::Question& question, std::vector<Leaf> leaves, std::uint64_t order,
                              bool with_pads) {
  WideEngine random(order);
  const bool sequential = question.tree == neutral::Tree::Sequential;
  if (!sequential) std::ranges::shuffle(leaves, random);
  if (question.start != neutral::Start::First)
    leaves.insert(leaves.begin() + (sequential ? 0 : static_cast<std::ptrdiff_t>(random.below(leaves.size() + 1))),
                  {true, false, {}, {}});
  if (!sequential) return *tree(question, leaves, random, with_pads);
  std::optional<values::Code> out;
  for (const Leaf& leaf : leaves) {
    if (leaf.pad && !with_pads) continue;
    const neutral::Term& term = with_pads ? leaf.padded : leaf.reference;
    if (leaf.start) out = start_of(question);
    else out = out ? next(question, *out, term) : neutral::leaf(question, term);
  }
  return *out;
}

}  // namespace vl::test
