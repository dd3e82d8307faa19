// Moves, one by one: those of a transfer, and those that its layout requires. Slow and literal; every verdict in this
// folder is compared with them.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "encodings/base/check.h"
#include "tests/peer/s2_generator.h"
#include "tests/support/spyre_brute.h"

namespace vl::test::s2 {

/// Element `host` of host memory to or from element `device` of the device's.
struct Move {
  Index host = 0;
  Index device = 0;

  bool operator==(const Move&) const = default;
};

/// Calls visit(Move) for every iteration of the nest, outermost loop slowest; stops when it returns false.
template <typename Visit>
bool run(const use::Nest& nest, use::Direction direction, Visit visit) {
  const use::Walk& host = use::host_of(nest, direction);
  const use::Walk& device = use::device_of(nest, direction);
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

/// The number of required moves that happen, and of moves that should not happen (or happen again).
struct Tally {
  Index expected = 0;
  Index right = 0;
  Index wrong = 0;

  [[nodiscard]] bool implements() const { return right == expected && wrong == 0; }
};

/// An element whose place is not written once.
struct Unserved {
  Point element;
  Index place = 0;
  Index times = 0;
};

/// The errors of a transfer, the first of each kind. A move is a point: nest, then iteration.
struct Finding {
  std::optional<Point> leaves;                         // a move outside of one of the memories
  std::optional<Point> stray;                          // a move that is none of the layout's
  std::optional<Unserved> unserved;                    // by element, then replica
  std::optional<std::pair<Point, Point>> overwritten;  // two moves that write one place

  [[nodiscard]] bool implements() const { return !stray && !unserved; }
};

/// Knows the one right move of every device slot: host(x) = storage offset + Σ x·cpu stride, the slot that of the
/// offset Σ x·dma stride, all replicas. Requires: no expanded dim, so that slots have one element each.
class Judge {
 public:
  explicit Judge(const Copy& copy)
      : copy_(copy), wants_(static_cast<std::size_t>(product(copy.device_size)), kNothing) {
    const spyre::SpyreTensorLayout layout = raw_layout(copy.device_size, copy.stride_map);
    std::vector<Index> replicas = copy.device_size;
    for (std::size_t j = 0; j < replicas.size(); ++j)
      if (copy.stride_map[j] != 0) replicas[j] = 1;
    for (Index r = 0; r < product(replicas); ++r)
      replicas_.push_back(number_of(point_at(r, replicas), copy.device_size));
    for (Index n = 0; n < product(copy.size); ++n) {
      const Point x = point_at(n, copy.size);
      Move move{copy.storage_offset, 0};
      Index offset = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        move.host += x[i] * copy.cpu_strides[i];
        offset += x[i] * copy.dma_strides[i];
      }
      move.device = greedy_slot(layout, offset);
      place(move);
    }
  }

  /// Whether every element has a slot of its own.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] Index expected() const { return static_cast<Index>(elements_.size() * replicas_.size()); }

  [[nodiscard]] bool is_right(const Move& move) const {
    return move.device >= 0 && move.device < static_cast<Index>(wants_.size()) &&
           wants_[static_cast<std::size_t>(move.device)] == move.host;
  }

  [[nodiscard]] Tally tally(const use::Transfer& transfer) const {
    Tally out{expected(), 0, 0};
    std::vector<bool> seen(wants_.size(), false);
    for (const use::Nest& nest : transfer.nests)
      run(nest, transfer.direction, [&](const Move& move) {
        const bool right = is_right(move) && !seen[static_cast<std::size_t>(move.device)];
        if (right) seen[static_cast<std::size_t>(move.device)] = true;
        ++(right ? out.right : out.wrong);
        return true;
      });
    return out;
  }

  /// Requires: valid().
  [[nodiscard]] Finding look(const use::Transfer& transfer) const {
    const bool to_device = transfer.direction == use::Direction::HostToDevice;
    Finding out;
    std::unordered_map<Index, Written> written;
    for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
      const use::Nest& nest = transfer.nests[n];
      const auto number = static_cast<Index>(n);
      Index at = 0;
      run(nest, transfer.direction, [&](const Move& move) {
        const auto here = [&] { return numbered(number, at, nest); };
        if (!out.leaves && leaves(move)) out.leaves = here();
        if (!out.stray && !is_right(move)) out.stray = here();
        Written& place = written[to_device ? move.device : move.host];
        if (place.times++ == 0) {
          place.nest = number;
          place.iteration = at;
        } else if (place.times == 2) {
          const auto& first = transfer.nests[static_cast<std::size_t>(place.nest)];
          std::pair both{numbered(place.nest, place.iteration, first), here()};
          if (!out.overwritten || both < *out.overwritten) out.overwritten = std::move(both);
        }
        ++at;
        return true;
      });
    }
    out.unserved = first_unserved(written, to_device);
    return out;
  }

 private:
  static constexpr Index kNothing = std::numeric_limits<Index>::min();

  // The writes to one place: their number, and the first writer.
  struct Written {
    Index times = 0;
    Index nest = 0;
    Index iteration = 0;
  };

  static Point numbered(Index nest_number, Index iteration, const use::Nest& nest) {
    Point move = point_at(iteration, nest.extents);
    move.insert(move.begin(), nest_number);
    return move;
  }

  void place(const Move& element) {
    valid_ = valid_ && element.device >= 0;
    elements_.push_back(element);
    lowest_ = std::min(lowest_, element.host);
    highest_ = std::max(highest_, element.host);
    if (element.device < 0) return;
    for (const Index replica : replicas_) {
      Index& host = wants_[static_cast<std::size_t>(element.device + replica)];
      valid_ = valid_ && host == kNothing;
      host = element.host;
    }
  }

  [[nodiscard]] bool leaves(const Move& move) const {
    return move.device < 0 || move.device >= static_cast<Index>(wants_.size()) || move.host < lowest_ ||
           move.host > highest_;
  }

  [[nodiscard]] std::optional<Unserved> first_unserved(const std::unordered_map<Index, Written>& written,
                                                       bool to_device) const {
    for (std::size_t n = 0; n < elements_.size(); ++n)
      for (const Index replica : replicas_) {
        const Index place = to_device ? elements_[n].device + replica : elements_[n].host;
        const auto at = written.find(place);
        const Index times = at == written.end() ? 0 : at->second.times;
        if (times != 1) return Unserved{point_at(static_cast<Index>(n), copy_.size), place, times};
      }
    return std::nullopt;
  }

  Copy copy_;
  std::vector<Index> wants_;     // for every device slot, the host element that belongs there
  std::vector<Index> replicas_;  // what each replica adds to the number of a slot
  std::vector<Move> elements_;   // in row-major order, in replica 0
  Index lowest_ = std::numeric_limits<Index>::max();
  Index highest_ = std::numeric_limits<Index>::min();
  bool valid_ = true;
};

}  // namespace vl::test::s2
