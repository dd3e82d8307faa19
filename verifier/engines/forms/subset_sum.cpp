#include "verifier/engines/forms/subset_sum.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace vl::engines {
namespace {

using Wide = __int128;

constexpr Index kMostGapSteps = 4096;

Wide floor_wide(Wide value, Wide divisor) { return value / divisor - (value % divisor < 0 ? 1 : 0); }

class RowSearch {
 public:
  RowSearch(const Row& row, const Box& box) : offset_(row.constant) {
    for (const map::Term& term : row.terms) {
      const Range& in = box[term.input];
      const Wide c = term.coefficient;
      offset_ += c * (c < 0 ? in.high : in.low);
      if (in.high > in.low) modes_.push_back({c < 0 ? -c : c, Wide{in.high} - in.low});
    }
    std::ranges::sort(modes_, std::greater<>{}, &Mode::stride);
    after_.resize(modes_.size() + 1);
    for (std::size_t k = modes_.size(); k-- > 0;) {
      const Rest& rest = after_[k + 1];
      const Mode& mode = modes_[k];
      const Wide step = modes_.back().stride;
      after_[k] = {
          rest.reach + mode.stride * mode.most,
          static_cast<Wide>(std::gcd(static_cast<std::uint64_t>(rest.common), static_cast<std::uint64_t>(mode.stride))),
          rest.fills && mode.stride % step == 0 && mode.stride <= rest.reach + step};
    }
  }

  std::optional<bool> meets(Range target, Effort& effort) const {
    return from(0, target.low - offset_, target.high - offset_, effort);
  }

  /// Where the values end that are all taken from the smallest on, if they are all integers there.
  [[nodiscard]] Wide offset() const { return offset_; }
  [[nodiscard]] Wide reach_without_gap() const {
    Wide reach = 0;
    for (std::size_t k = modes_.size(); k-- > 0 && modes_[k].stride <= reach + 1;)
      reach += modes_[k].stride * modes_[k].most;
    return reach;
  }

 private:
  struct Mode {
    Wide stride;
    Wide most;
  };
  struct Rest {
    Wide reach = 0;
    Wide common = 0;
    bool fills = true;
  };

  std::optional<bool> from(std::size_t k, Wide low, Wide high, Effort& effort) const {
    const Rest& rest = after_[k];
    if (--effort.steps < 0) return std::nullopt;
    if (high < 0 || low > rest.reach || low > high) return false;
    if (low <= 0 || high >= rest.reach) return true;  // all zeros, or all at their most
    if (floor_wide(high, rest.common) * rest.common < low) return false;
    if (rest.fills) return true;
    const Mode& mode = modes_[k];
    const Wide most = std::min(high / mode.stride, mode.most);
    const Wide least = std::max<Wide>(0, -floor_wide(after_[k + 1].reach - low, mode.stride));
    for (Wide x = most; x >= least; --x) {
      const auto found = from(k + 1, low - x * mode.stride, high - x * mode.stride, effort);
      if (!found || *found) return found;
    }
    return false;
  }

  Wide offset_ = 0;
  std::vector<Mode> modes_;
  std::vector<Rest> after_;  // what modes k, k+1, … can do
};

}  // namespace

std::optional<bool> meets(const Row& row, const Box& box, Range target, Effort& effort) {
  return RowSearch(row, box).meets(target, effort);
}

std::optional<bool> meets_any(const Row& row, const Box& box, std::span<const Range> targets, Effort& effort) {
  const RowSearch search(row, box);
  bool known = true;
  for (const Range& target : targets) {
    const auto met = search.meets(target, effort);
    if (met && *met) return true;
    known = known && met;
  }
  return known ? std::optional(false) : std::nullopt;
}

std::optional<Index> first_gap(const Row& row, const Box& box, Index from, Index most, Effort& effort) {
  const RowSearch search(row, box);
  Wide value = from;
  for (Index steps = 0; steps < kMostGapSteps; ++steps) {
    if (value > most) return most + 1;
    // From the smallest value on, the first gap is known at once.
    if (value >= search.offset() && value <= search.offset() + search.reach_without_gap())
      value = search.offset() + search.reach_without_gap() + 1;
    if (value > most) return most + 1;
    const Index here = static_cast<Index>(value);
    const auto met = search.meets({here, here}, effort);
    if (!met) return std::nullopt;
    if (!*met) return here;
    ++value;
  }
  return std::nullopt;
}

}  // namespace vl::engines
