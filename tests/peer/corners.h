// The truth about a transfer with one planted fault, at any size. Requires that the transfer without the fault is
// right.
//
// Moves are affine in the iteration, so a few of them suffice. Probes are the iterations with 0, 1, last - 1 or last in
// each loop; corners are those with 0 or last.
//
//   in-bounds     offsets are largest and smallest in corners.
//   implements    the faulty nest must make the same moves as the right one, which makes each once. If it makes as
//                 many, and the same in every corner, all moves are the same. If it makes another number, or some
//                 probe's move is not a move of the right nest, or two probes make the same move, they are not.
//   covers-once   likewise for the places alone. They are also the same if the loops are the same in another order.
//                 If a loop has one iteration too many, the places of that slab must not be an element's.
//
// The few transfers that these rules do not settle are run.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/peer/moves.h"

namespace vl::test::s2 {

/// Both ways between host and device places by the rule of the layout, without tables. Requires: no replicas; host
/// strides (dma and cpu) that nest: each larger than all the smaller dims reach.
class Pairing {
 public:
  explicit Pairing(const Copy& copy) : copy_(copy), layout_(raw_layout(copy.device_size, copy.stride_map)) {}

  /// The host place of the element in a device slot.
  [[nodiscard]] std::optional<Index> host_of(Index slot) const {
    if (slot < 0 || slot >= product(copy_.device_size)) return std::nullopt;
    const Point digits = point_at(slot, copy_.device_size);
    Index offset = 0;
    for (std::size_t j = 0; j < digits.size(); ++j) offset += digits[j] * std::max<Index>(copy_.stride_map[j], 0);
    const auto x = coordinates(copy_.dma_strides, offset);
    if (!x || greedy_slot(layout_, offset) != slot) return std::nullopt;
    return copy_.storage_offset + dot(*x, copy_.cpu_strides);
  }

  /// The device slot of the element in a host place.
  [[nodiscard]] std::optional<Index> slot_of(Index host) const {
    const auto x = coordinates(copy_.cpu_strides, host - copy_.storage_offset);
    if (!x) return std::nullopt;
    return greedy_slot(layout_, dot(*x, copy_.dma_strides));
  }

  [[nodiscard]] bool is_right(const Move& move) const { return host_of(move.device) == move.host; }

  /// Whether an offset lies in the host's view, from its first to its last element.
  [[nodiscard]] bool in_host(Index host) const {
    Index last = copy_.storage_offset;
    for (std::size_t i = 0; i < copy_.size.size(); ++i) last += (copy_.size[i] - 1) * copy_.cpu_strides[i];
    return host >= copy_.storage_offset && host <= last;
  }
  [[nodiscard]] bool in_device(Index slot) const { return slot >= 0 && slot < product(copy_.device_size); }

 private:
  static Index dot(const Point& x, const std::vector<Index>& strides) {
    return std::inner_product(x.begin(), x.end(), strides.begin(), Index{0});
  }

  [[nodiscard]] std::optional<Point> coordinates(const std::vector<Index>& strides, Index offset) const {
    if (offset < 0) return std::nullopt;
    std::vector<std::size_t> order(strides.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
    Point x(strides.size(), 0);
    for (const std::size_t i : order) {
      if (copy_.size[i] == 1) continue;
      x[i] = offset / strides[i];
      offset %= strides[i];
      if (x[i] >= copy_.size[i]) return std::nullopt;
    }
    return offset == 0 ? std::optional(x) : std::nullopt;
  }

  Copy copy_;
  spyre::SpyreTensorLayout layout_;
};

/// The moves of the iterations with 0 or last in each loop, and those with 1 or last - 1 too if `probes`. Requires: at
/// least one iteration.
inline std::vector<Move> corners_of(const use::Nest& nest, use::Direction direction, bool probes = false) {
  const use::Walk& host = use::host_of(nest, direction);
  const use::Walk& device = use::device_of(nest, direction);
  std::vector<Move> out{{host.offset, device.offset}};
  for (std::size_t k = 0; k < nest.extents.size(); ++k) {
    const Index last = nest.extents[k] - 1;
    std::set<Index> values{0, last};
    if (probes && last > 0) values.insert({1, last - 1});
    std::vector<Move> longer;
    for (const Move& move : out)
      for (const Index value : values)
        longer.push_back({move.host + value * host.strides[k], move.device + value * device.strides[k]});
    out = std::move(longer);
  }
  return out;
}

/// The loops of a walk that run more than once, as (stride, extent) in ascending order: what it visits but for the
/// order.
inline std::vector<std::pair<Index, Index>> loops_of(const use::Nest& nest, const use::Walk& walk) {
  std::vector<std::pair<Index, Index>> out;
  for (std::size_t k = 0; k < nest.extents.size(); ++k)
    if (nest.extents[k] > 1) out.emplace_back(walk.strides[k], nest.extents[k]);
  std::ranges::sort(out);
  return out;
}

/// The required answers of the three claims.
struct Truth {
  bool in_bounds = true;
  bool covers_once = true;
  bool implements = true;

  bool operator==(const Truth&) const = default;
};

class Corners {
 public:
  Corners(const Pairing& pairing, const use::Transfer& right) : pairing_(pairing), right_(right) {}

  /// The truth about the right transfer with nest `n` replaced by that of `faulty`.
  [[nodiscard]] Truth truth(const use::Transfer& faulty, std::size_t n) const {
    Truth out;
    for (const use::Nest& nest : faulty.nests)
      if (product(nest.extents) > 0)
        for (const Move& move : corners_of(nest, faulty.direction))
          out.in_bounds = out.in_bounds && pairing_.in_host(move.host) && pairing_.in_device(move.device);
    const use::Nest& before = right_.nests[n];
    const use::Nest& after = faulty.nests[n];
    const Index more = product(after.extents) - product(before.extents);
    if (more != 0) {
      out.implements = false;
      out.covers_once = more > 0 && !slab_hits(before, after);
      return out;
    }
    if (corners_of(before, right_.direction) == corners_of(after, right_.direction)) return out;
    const std::vector<Move> probes = corners_of(after, right_.direction, true);
    out.implements =
        once_each(probes, [&](const Move& move) { return makes(before, move); }) && runs_as(before, after, false);
    const auto has_place = [&](const Move& move) {
      const auto right = element_at(place(move));
      return right && makes(before, *right);
    };
    out.covers_once =
        once_each(probes, has_place) && ((before.destination.offset == after.destination.offset &&
                                          loops_of(before, before.destination) == loops_of(after, after.destination)) ||
                                         runs_as(before, after, true));
    return out;
  }

 private:
  [[nodiscard]] bool to_device() const { return right_.direction == use::Direction::HostToDevice; }

  [[nodiscard]] Index place(const Move& move) const { return to_device() ? move.device : move.host; }

  // Whether all moves are good ones, and their places different.
  template <typename Good>
  [[nodiscard]] bool once_each(const std::vector<Move>& moves, Good good) const {
    std::set<Index> places;
    return std::ranges::all_of(moves,
                               [&](const Move& move) { return good(move) && places.insert(place(move)).second; });
  }

  // Whether the nests, with as many iterations, make the same moves, or only write the same places; by running, at
  // first a few iterations of each loop.
  [[nodiscard]] bool runs_as(const use::Nest& before, const use::Nest& after, bool only_places) const {
    use::Nest few = after;
    for (Index& extent : few.extents) extent = std::min<Index>(extent, 8);
    return runs_within(before, few, only_places) && runs_within(before, after, only_places);
  }

  // Whether the moves of `after` are some of those of `before`, each once.
  [[nodiscard]] bool runs_within(const use::Nest& before, const use::Nest& after, bool only_places) const {
    std::unordered_set<Index> places;
    return run(after, right_.direction, [&](const Move& move) {
      const auto right = only_places ? element_at(place(move)) : std::optional(move);
      return right && makes(before, *right) && places.insert(place(move)).second;
    });
  }

  // The right move that writes a place, if an element is kept there.
  [[nodiscard]] std::optional<Move> element_at(Index place) const {
    const auto other = to_device() ? pairing_.host_of(place) : pairing_.slot_of(place);
    if (!other) return std::nullopt;
    return to_device() ? Move{*other, place} : Move{place, *other};
  }

  // Whether the nest makes this move. Its device strides are row-major: digits are found from the outside in.
  [[nodiscard]] bool makes(const use::Nest& nest, const Move& move) const {
    const use::Walk& device = use::device_of(nest, right_.direction);
    const use::Walk& host = use::host_of(nest, right_.direction);
    Index left = move.device - device.offset;
    Index at = host.offset;
    for (std::size_t k = 0; k < nest.extents.size(); ++k) {
      if (left < 0 || left / device.strides[k] >= nest.extents[k]) return false;
      at += left / device.strides[k] * host.strides[k];
      left %= device.strides[k];
    }
    return left == 0 && at == move.host;
  }

  // Whether the iterations that one loop has too many write some element's place.
  [[nodiscard]] bool slab_hits(const use::Nest& before, const use::Nest& after) const {
    use::Nest slab = after;
    for (std::size_t k = 0; k < slab.extents.size(); ++k) {
      if (after.extents[k] == before.extents[k]) continue;
      slab.extents[k] = 1;
      for (use::Walk* walk : {&slab.source, &slab.destination}) walk->offset += before.extents[k] * walk->strides[k];
    }
    return !run(slab, right_.direction,
                [&](const Move& move) { return !element_at(to_device() ? move.device : move.host).has_value(); });
  }

  const Pairing& pairing_;
  const use::Transfer& right_;
};

/// The number of moves that write a place: loops are fixed from the largest stride on, within what the others can still
/// reach.
inline Index writers(const use::Nest& nest, std::vector<std::size_t> loops, Index left) {
  if (std::ranges::find(nest.extents, 0) != nest.extents.end()) return 0;
  const auto& strides = nest.destination.strides;
  std::ranges::sort(loops, [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  if (loops.empty()) return left == 0 ? 1 : 0;
  const std::size_t k = loops.back();
  loops.pop_back();
  if (strides[k] == 0) return nest.extents[k] * writers(nest, loops, left);
  Index low = 0;
  Index high = 0;
  for (const std::size_t l : loops) (strides[l] < 0 ? low : high) += strides[l] * (nest.extents[l] - 1);
  Index count = 0;
  // value * stride must lie in [left - high, left - low].
  const Index step = std::abs(strides[k]);
  const Index sign = strides[k] < 0 ? -1 : 1;
  const Index first = std::max<Index>(0, ceil_div(sign > 0 ? left - high : low - left, step));
  const Index last = std::min(nest.extents[k] - 1, floor_div(sign > 0 ? left - low : high - left, step));
  for (Index value = first; value <= last; ++value) count += writers(nest, loops, left - value * strides[k]);
  return count;
}

inline Index writers(const use::Transfer& transfer, Index place) {
  Index count = 0;
  for (const use::Nest& nest : transfer.nests) {
    std::vector<std::size_t> loops(nest.extents.size());
    std::iota(loops.begin(), loops.end(), std::size_t{0});
    count += writers(nest, std::move(loops), place - nest.destination.offset);
  }
  return count;
}

}  // namespace vl::test::s2
