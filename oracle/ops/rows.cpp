#include "oracle/ops/rows.h"

#include "encodings/base/check.h"

namespace vl::oracle::ops {

std::optional<Code> reduced(const Scalar& scalar, const Tree& tree, std::span<const Term> terms, bool with_pads) {
  const std::size_t start = scalar.starts() ? 1 : 0;
  VL_CHECK(tree.leaves == terms.size() + start, "a tree of other leaves than terms");
  std::vector<std::optional<Part>> parts(tree.leaves + tree.nodes.size());
  if (start == 1) parts[0] = Part{scalar.start()};
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (with_pads || !terms[i].pad) parts[start + i] = Part{0, &terms[i]};
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const auto& [left, right] = tree.nodes[k];
    const std::optional<Part>&a = parts[left], &b = parts[right];
    // What a node does is a part of the tree: only a term that is its right child in the tree is added by fma, and not
    // one that is left alone where pads were cut out.
    if (a && b) parts[tree.leaves + k] = Part{scalar.node(*a, right < tree.leaves ? *b : Part{scalar.value(*b)})};
    else parts[tree.leaves + k] = a ? a : b;
  }
  if (!parts.back()) return std::nullopt;
  return scalar.value(*parts.back());
}

std::optional<std::size_t> place_in(const Scalar& scalar, std::span<const Term> terms, bool with_pads) {
  std::optional<std::size_t> best;
  const bool last = scalar.arithmetic().ties == Ties::Last;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].pad && !with_pads) continue;
    if (!best || (last ? !scalar.is_before(terms[*best].a, terms[i].a) : scalar.is_before(terms[i].a, terms[*best].a)))
      best = i;
  }
  return best;
}

}  // namespace vl::oracle::ops
