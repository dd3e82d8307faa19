// Candidates: sizes of a rule at which an instance is likely to fail, if one does. The search of a refutation for all
// sizes (instances.h) goes through them in order, so the first that fails is small.
//
//   small   every combination of small sizes, and all of a small sum
//   edges   just below, at and above the numbers of the rule: where a last tile is ragged, full or alone. Of a grid
//   <4xH>
//           and tiles of 32 by 32 that is M = 1, N = 33, H = 1; of many symbols one or two at an edge, the others least
//   leaves  some sizes of each leaf that is not shown to hold
#pragma once

#include "encodings/use/rule_nests.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::session {

// The order of sizes: elements, sum, then by symbol.
struct Candidate {
  Index elements = 0;
  Index sum = 0;
  std::vector<Index> numbers;
  map::Sizes sizes;

  [[nodiscard]] bool operator<(const Candidate& other) const {
    return std::tie(elements, sum, numbers) < std::tie(other.elements, other.sum, other.numbers);
  }
  [[nodiscard]] bool operator==(const Candidate& other) const { return numbers == other.numbers; }
};

/// How many numbers of each symbol are tried, so that all combinations are few.
[[nodiscard]] Index tried_each(std::size_t symbols);

/// By how much the sizes exceed their lower bounds together. Sizes of a smaller sum each exceed theirs by less.
[[nodiscard]] Index above_bounds(const map::Rule& rule, const Candidate& candidate);

/// At most 6000 candidates, ascending. `nests` may be null.
[[nodiscard]] std::vector<Candidate> candidates(const map::Rule& rule, const use::RuleTransfer* nests,
                                                const engines::Leaves& leaves);

}  // namespace vl::session
