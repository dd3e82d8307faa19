// Points with equal rows as systems of equations.
#include <algorithm>
#include <limits>
#include <numeric>

#include "verifier/engines/linear/linear_equations.h"

namespace vl::engines {
namespace {

using Wide = __int128;

Wide size(Index a) { return a < 0 ? -Wide{a} : Wide{a}; }

// Large strides first: they leave the others little to make up for.
std::vector<std::size_t> by_size(const std::vector<std::vector<Index>>& rows, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto largest = [&](std::size_t i) {
    Wide most = 0;
    for (const auto& row : rows) most = std::max(most, size(row[i]));
    return most;
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return largest(a) > largest(b); });
  return order;
}

// The differences d of which order[k] is the first that is not 0, and positive: coordinates d - 1, then d + extent - 1.
std::optional<LinearSystem> differences(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
                                        const std::vector<std::size_t>& order, std::size_t k) {
  LinearSystem system;
  for (std::size_t c = k; c < order.size(); ++c) {
    const Index extent = extents[order[c]];
    if (extent > std::numeric_limits<Index>::max() / 2) return std::nullopt;
    system.extents.push_back(c == k ? extent - 1 : 2 * extent - 1);
  }
  for (const auto& row : rows) {
    system.rows.emplace_back();
    Index right = 0;
    bool fits = accumulate(right, row[order[k]], -1);
    for (std::size_t c = k; c < order.size(); ++c) {
      system.rows.back().push_back(row[order[c]]);
      if (c > k) fits = fits && accumulate(right, row[order[c]], extents[order[c]] - 1);
    }
    if (!fits) return std::nullopt;
    system.right.push_back(right);
  }
  return system;
}

}  // namespace

OneToOne one_to_one(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
                    LinearEffort& effort) {
  OneToOne out{Unsolvable{}, by_size(rows, extents.size()), {}};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto system = differences(rows, extents, out.order, k);
    LinearAnswer answer = system ? solve(*system, effort) : LinearAnswer(Unsolved{});
    if (auto* none = std::get_if<Unsolvable>(&answer)) {
      out.first.push_back(std::move(none->proof));
      continue;
    }
    const auto* solved = std::get_if<Solution>(&answer);
    if (solved == nullptr) return {Unsolved{}, {}, {}};
    Point delta(extents.size(), 0);
    for (std::size_t c = k; c < extents.size(); ++c)
      delta[out.order[c]] = c == k ? solved->x[0] + 1 : solved->x[c - k] - (extents[out.order[c]] - 1);
    return {Solution{std::move(delta)}, {}, {}};
  }
  return out;
}

}  // namespace vl::engines
