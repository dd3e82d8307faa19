// Moves, one by one: what a transfer does, and what a layout says that it should do. Slow and literal; the judge of every
// verdict in this folder.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tests/peer/s2_generator.h"
#include "tests/support/spyre_brute.h"
#include "verifier/base/check.h"

namespace vl::test::s2 {

/// Element `host` of host memory to or from element `device` of the device's.
struct Move {
  Index host = 0;
  Index device = 0;

  bool operator==(const Move&) const = default;
};

/// Calls visit(Move) for every iteration of the nest, outermost loop slowest; stops when it returns false.
template <typename Visit>
bool run(const map::Nest& nest, map::Direction direction, Visit visit) {
  const map::Walk& host = map::host_of(nest, direction);
  const map::Walk& device = map::device_of(nest, direction);
  Index left = 1;
  for (const Index extent : nest.extents) left *= std::max<Index>(extent, 0);
  std::vector<Index> at(nest.extents.size(), 0);
  Move move{host.offset, device.offset};
  for (; left > 0; --left) {
    if (!visit(move)) return false;
    for (std::size_t k = at.size(); k-- > 0;) {
      move.host += host.strides[k];
      move.device += device.strides[k];
      if (++at[k] < nest.extents[k]) break;
      move.host -= at[k] * host.strides[k];
      move.device -= at[k] * device.strides[k];
      at[k] = 0;
    }
  }
  return true;
}

/// How many of the moves that should happen do, and how many moves happen that should not (or happen again).
struct Tally {
  Index expected = 0;
  Index right = 0;
  Index wrong = 0;

  [[nodiscard]] bool implements() const { return right == expected && wrong == 0; }
};

/// Knows the one right move of every device slot: host(x) = storage offset + Σ x·cpu stride, the slot that of the offset
/// Σ x·dma stride, all replicas. Requires: no expanded dim, so that slots have one element each.
class Judge {
 public:
  explicit Judge(const Copy& copy)
      : layout_(raw_layout(copy.device_size, copy.stride_map)),
        wants_(static_cast<std::size_t>(product(copy.device_size)), kNothing) {
    std::vector<Index> replicas = copy.device_size;
    for (std::size_t j = 0; j < replicas.size(); ++j)
      if (copy.stride_map[j] != 0) replicas[j] = 1;
    for (Index n = 0; n < product(copy.size); ++n) {
      const Point x = point_at(n, copy.size);
      Move move{copy.storage_offset, 0};
      Index offset = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        move.host += x[i] * copy.cpu_strides[i];
        offset += x[i] * copy.dma_strides[i];
      }
      const Index slot = greedy_slot(layout_, offset);
      valid_ = valid_ && slot >= 0;
      for (Index r = 0; slot >= 0 && r < product(replicas); ++r)
        want({move.host, slot + number_of(point_at(r, replicas), copy.device_size)});
    }
  }

  /// Whether every element has a slot of its own.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] Index expected() const { return expected_; }

  [[nodiscard]] bool is_right(const Move& move) const {
    return move.device >= 0 && move.device < static_cast<Index>(wants_.size()) &&
           wants_[static_cast<std::size_t>(move.device)] == move.host;
  }

  [[nodiscard]] Tally tally(const map::Transfer& transfer) const {
    Tally out{expected_, 0, 0};
    std::vector<bool> seen(wants_.size(), false);
    for (const map::Nest& nest : transfer.nests)
      run(nest, transfer.direction, [&](const Move& move) {
        const bool right = is_right(move) && !seen[static_cast<std::size_t>(move.device)];
        if (right) seen[static_cast<std::size_t>(move.device)] = true;
        ++(right ? out.right : out.wrong);
        return true;
      });
    return out;
  }

 private:
  static constexpr Index kNothing = std::numeric_limits<Index>::min();

  void want(const Move& move) {
    Index& host = wants_[static_cast<std::size_t>(move.device)];
    valid_ = valid_ && host == kNothing;
    host = move.host;
    ++expected_;
  }

  spyre::SpyreTensorLayout layout_;
  std::vector<Index> wants_;  // for every device slot, the host element that belongs there
  Index expected_ = 0;
  bool valid_ = true;
};

}  // namespace vl::test::s2
