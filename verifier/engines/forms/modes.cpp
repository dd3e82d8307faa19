#include "verifier/engines/forms/modes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace vl::engines {
namespace {

using Wide = __int128;  // each product is below 2^64: the caller's range check bounds the offsets

Wide size_of(Index stride) { return stride < 0 ? -Wide{stride} : Wide{stride}; }

Index gcd_of(Index a, Index b) {
  return static_cast<Index>(std::gcd(static_cast<std::uint64_t>(size_of(a)), static_cast<std::uint64_t>(size_of(b))));
}

// The rank-2 criterion on modes i and j; the collision it gives when it fails.
std::optional<std::vector<Index>> pair_collision(std::span<const Mode> modes, std::size_t i, std::size_t j) {
  const Index g = gcd_of(modes[i].stride, modes[j].stride);
  const Wide steps_i = size_of(modes[j].stride) / g;
  const Wide steps_j = size_of(modes[i].stride) / g;
  if (steps_i >= modes[i].extent || steps_j >= modes[j].extent) return std::nullopt;
  std::vector<Index> delta(modes.size(), 0);
  delta[i] = static_cast<Index>(steps_i);
  delta[j] = static_cast<Index>((modes[i].stride < 0) == (modes[j].stride < 0) ? -steps_j : steps_j);
  return delta;
}

// Whether mode k of `alive` can take part in no collision with the others.
bool peels(std::span<const Mode> modes, const std::vector<std::size_t>& alive, std::size_t k) {
  Wide reach = 0;
  Index common = 0;
  for (const std::size_t j : alive) {
    if (j == k) continue;
    reach += size_of(modes[j].stride) * (modes[j].extent - 1);
    common = gcd_of(common, modes[j].stride);
  }
  return size_of(modes[k].stride) > reach || common / gcd_of(common, modes[k].stride) >= modes[k].extent;
}

}  // namespace

std::optional<RowModes> modes_of(const Row& row, const Box& box) {
  RowModes out{row.constant, {}};
  for (const map::Term& term : row.terms) {
    const Range& range = box[term.input];
    if (!accumulate(out.offset, term.coefficient, range.low)) return std::nullopt;
    out.modes.push_back({range.high - range.low + 1, term.coefficient});
  }
  return out;
}

Injectivity injectivity(std::span<const Mode> modes) {
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].extent <= 1) continue;
    if (modes[i].stride == 0) {
      Colliding colliding{std::vector<Index>(modes.size(), 0)};
      colliding.delta[i] = 1;
      return colliding;
    }
    alive.push_back(i);
  }
  if (alive.size() > 63) return Undetermined{};  // more than 2^63 points; a 64-bit box cannot hold them apart anyway
  for (std::size_t a = 0; a < alive.size(); ++a)
    for (std::size_t b = a + 1; b < alive.size(); ++b)
      if (auto delta = pair_collision(modes, alive[a], alive[b])) return Colliding{std::move(*delta)};
  while (alive.size() > 2) {
    const auto peeled = std::ranges::find_if(alive, [&](std::size_t k) { return peels(modes, alive, k); });
    if (peeled == alive.end()) return Undetermined{};
    alive.erase(peeled);
  }
  return Injective{};
}

std::optional<Filling> progression(Index offset, std::span<const Mode> modes) {
  std::vector<Mode> sorted;
  Filling result{offset, 1, 1};
  for (const Mode& mode : modes) {
    if (mode.extent <= 1 || mode.stride == 0) continue;
    if (mode.stride == std::numeric_limits<Index>::min()) return std::nullopt;
    if (mode.stride < 0 && !accumulate(result.base, mode.stride, mode.extent - 1)) return std::nullopt;
    sorted.push_back({mode.extent, std::abs(mode.stride)});
  }
  if (sorted.empty()) return result;
  std::ranges::sort(sorted, {}, &Mode::stride);
  result.step = sorted.front().stride;
  Index reach = 0;  // the largest offset so far, in steps
  for (const Mode& mode : sorted) {
    if (reach == std::numeric_limits<Index>::max()) return std::nullopt;
    if (mode.stride % result.step != 0 || mode.stride / result.step > reach + 1) return std::nullopt;
    if (!accumulate(reach, mode.stride / result.step, mode.extent - 1)) return std::nullopt;
  }
  Index last = result.base;
  if (!accumulate(last, result.step, reach) || last == std::numeric_limits<Index>::max()) return std::nullopt;
  result.count = reach + 1;
  return result;
}

}  // namespace vl::engines
