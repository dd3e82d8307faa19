#include "verifier/engines/forms/greedy.h"

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::engines {

GreedyCounter::GreedyCounter(std::span<const Level> levels) : levels_(levels.begin(), levels.end()) {
  VL_CHECK(!levels_.empty() && levels_.back().weight == 1, "greedy levels must end in weight 1");
  full_.resize(levels_.size());
  for (std::size_t k = levels_.size(); k-- > 0;) full_[k] = below(levels_[k].weight, k + 1);
}

Index GreedyCounter::within(Index first, Index last) const {
  const Index low = std::max<Index>(first, 0);
  return low > last ? 0 : below(last + 1) - below(low);
}

Index GreedyCounter::below(Index bound, std::size_t level) const {
  Index count = 0;
  for (std::size_t k = level; k < levels_.size(); ++k) {
    const Level& here = levels_[k];
    const Index top = bound / here.weight;  // the digits 0 … top-1 occur with every remainder
    const Index allowed = std::min(top - 1, here.high) - here.low + 1;
    if (allowed > 0) count += allowed * full_[k];
    if (top < here.low || top > here.high) return count;
    bound %= here.weight;
  }
  return count + (bound > 0 ? 1 : 0);  // reached with bound 0 after the last weight 1, or with no level at all
}

}  // namespace vl::engines
