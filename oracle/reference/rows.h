// Rows: the definition, with validity and addresses computed per segment and not per element. Along one dimension of
// the tensor the map is evaluated only at the start of a segment, for all of its n points at once, as progressions
//
//   value_i = start + i·step, 0 <= i < n
//
// which every stage turns into progressions again, after cutting n where it has to:
//   affine    Σ a·start + i·Σ a·step
//   split     by w: start = q·w + r and step = a·w + b with |b| < w, so value_i = (q + i·a)·w + (r + i·b). As long as
//             0 <= r + i·b < w, these two are the quotient and the rest, which are unique
//   swizzle   reads and changes only bits from `base` on: while value_i stays in one block of 2^base, the swizzle adds
//             the same number to each. If step is a multiple of all bits concerned, these bits are the same for each
//             value_i
// A coordinate that lies in the box at both ends of a segment lies in it everywhere; a guard that is 0 at both ends is
// 0. Then the segment is n units `step` apart on the device, and the next one starts behind it.
//
// Progressions could be a value domain of encodings/map/run.h. This is a deliberate copy of its loop: `count` belongs
// to all values together, the buffers are kept from one segment to the next, and the self-test plants faults in the
// steps.
//
// Example: f16[150] in sticks of 64: [0,64), [64,128), [128,150), each a run of the device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oracle/reference/slots.h"

namespace vl::oracle {

/// `count` units, one step apart on the host and `step` on the device.
struct Segment {
  Index host = 0;
  Index device = 0;
  Index count = 0;
  Index step = 1;
  bool compares = false;  // repeats an earlier segment's units: a replica, or an index of an expanded dimension

  bool operator==(const Segment&) const = default;
};

/// Compiled once for a layout, run for many tensors. Keeps its memory from one layout to the next.
class Rows {
 public:
  static constexpr std::size_t kMostSegments = std::size_t{1} << 22;

  /// False if there is no row version: an element has no slot, two points share a slot, a step leaves 64 bits, or there
  /// would be more than kMostSegments segments. This is not a verdict; the definition names the reason.
  [[nodiscard]] bool compile(const map::Layout& layout, Host where);

  /// As Definition::pack. Requires: compiled; memories of the box and of host_units() units of 1, 2, 4, 8 or
  /// 16 bytes; fill of `unit` bytes.
  void pack(std::span<const std::byte> host, std::size_t unit, std::span<const std::byte> fill,
            std::span<std::byte> device) const;

  /// As Definition::unpack; false if points that must agree differ, which is an error there. Requires: as pack, and
  /// unpacks().
  [[nodiscard]] bool unpack(std::span<const std::byte> device, std::size_t unit, std::span<std::byte> host) const;

  /// Whether no two elements share a host offset, except indices of an expanded dimension.
  [[nodiscard]] bool unpacks() const { return unpacks_; }
  [[nodiscard]] Index host_units() const { return host_units_; }
  /// In the order of the definition's points, except for the dimension along which they run.
  [[nodiscard]] std::span<const Segment> segments() const { return segments_; }

  struct Progression {
    Index start = 0;
    Index step = 0;
  };

 private:
  [[nodiscard]] bool walk(const map::Layout& layout, const map::Row& host, std::size_t along);
  [[nodiscard]] bool add_row(const map::Layout& layout, Index host, std::size_t along, bool compares);
  [[nodiscard]] bool evaluate(const map::Layout& layout, Index& count);
  [[nodiscard]] bool step_through(const map::Affine& affine);
  void step_through(const map::Split& split, Index& count);
  void step_through(const map::Swizzle& swizzle, Index& count);
  [[nodiscard]] bool mark(const Segment& segment);
  void append(const Segment& segment);

  std::vector<Segment> segments_;
  Index host_units_ = 0;
  Index device_units_ = 0;
  Index host_step_ = 1;
  Index units_ = 0;  // of all segments
  bool unpacks_ = true;
  Point point_;
  std::vector<Progression> values_;
  std::vector<Progression> next_;
  std::vector<std::uint8_t> device_marks_;  // one per unit
  std::vector<std::uint8_t> host_marks_;    // empty for a dense host
};

}  // namespace vl::oracle
