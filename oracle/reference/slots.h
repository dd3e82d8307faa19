// The slots of a layout's points, block by block: the definition (definition.h) reads its addresses from here.
//
// Each walk evaluates the map of each point anew. It uses columns (columns.h) of floats if no number of the layout is
// above 2^20, columns of doubles up to 2^49, else map::Evaluator, point by point. A caller that walks over a few small
// layouts repeatedly can keep the results of the walks (Walks).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "encodings/map/layout.h"
#include "oracle/reference/columns.h"

namespace vl::oracle {

/// The number of units of a host tensor's memory: the elements, or for a View 1 + the largest offset (0 without
/// elements).
/// Errors: Value if an offset is negative; Overflow if the largest offset leaves 64 bits.
[[nodiscard]] Result<Index> host_units(const map::Layout& layout, Host host);

/// Complete walks over small layouts: a second walk reads the results of the first.
class Walks {
 public:
  static constexpr Index kMostPoints = Index{1} << 14;

  /// Forgets all walks. Call it when layouts change: they are identified by their addresses. Keeps its memory.
  void forget() { count_ = 0; }

 private:
  friend class SlotBlocks;
  struct Walk {
    const map::Layout* layout = nullptr;
    Host host = Host::Dense;
    bool ended = false;               // at the last point, or at one without a slot
    std::vector<Index> slots, hosts;  // of the points before; no hosts where they lie in order
  };

  /// The walk over this layout, which may not have run yet; nothing if it is too large or too many others are kept.
  Walk* of(const map::Layout& layout, Host host);

  std::array<Walk, 6> walks_;
  std::size_t count_ = 0;
};

/// Walks over the points (x, r) of a layout's domain, row-major, the replicas of one element next to each other.
class SlotBlocks {
 public:
  enum class How : std::uint8_t { Floats, Doubles, Points };  // each covers the layouts of those before it, and more

  /// Starts before the first point. Keeps its memory from one layout to the next. By the first way from
  /// `from` on that the layout's numbers allow, or as the walk that `walks` has kept. Requires: host_units(); the
  /// layout outlives the walk.
  void open(const map::Layout& layout, Host host, How from = How::Floats, Walks* walks = nullptr);
  /// Goes to the next points; false if there is none. Allocates nothing.
  bool next();

  /// The number of the block's first point in the domain, and the number of points in the block.
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The number of points at the start of the block that have a slot; the next point has no slot, or is behind the
  /// block.
  [[nodiscard]] std::size_t good() const { return good_; }
  /// Whether each point's place on the host is its own number: a dense host and one replica. Then hosts() is not
  /// filled.
  [[nodiscard]] bool in_order() const { return in_order_; }
  /// The numbers of the slots of the good points, and the places of their elements on the host, in units.
  [[nodiscard]] std::span<const Index> slots() const { return {kept_ ? walk_->slots.data() : slots_.data(), good_}; }
  [[nodiscard]] std::span<const Index> hosts() const { return {kept_ ? walk_->hosts.data() : hosts_.data(), good_}; }
  [[nodiscard]] How how() const { return how_; }

 private:
  static constexpr std::size_t kMost = Columns<float>::kLanes;

  void keep();
  void evaluate_points();

  const map::Layout* layout_ = nullptr;
  Walks::Walk* walk_ = nullptr;
  bool kept_ = false;  // this walk reads what an earlier one kept in it
  How how_ = How::Points;
  bool in_order_ = false;
  Columns<float> floats_;
  Columns<double> doubles_;
  std::optional<map::Evaluator> evaluate_;
  map::Row host_row_;
  Point point_;
  Index first_ = 0;
  Index volume_ = 0;
  std::size_t count_ = 0;
  std::size_t good_ = 0;
  alignas(64) std::array<Index, kMost> slots_{};
  alignas(64) std::array<Index, kMost> hosts_{};
};

}  // namespace vl::oracle
