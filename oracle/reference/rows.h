// Rows: the definition with validity and addresses hoisted out of the elements. Along one dimension of the tensor the
// map is evaluated at the start of a segment only, for all of its n points at once, as progressions
//
//   value_i = start + i·step, 0 <= i < n
//
// which every stage turns into progressions again, after cutting n where it has to:
//   affine    Σ a·start + i·Σ a·step
//   split     by w: start = q·w + r and step = a·w + b with |b| < w, so value_i = (q + i·a)·w + (r + i·b), and as long
//             as 0 <= r + i·b < w these two are quotient and rest, which have no other choice
//   swizzle   changes bits from `base` on, and reads only these: while value_i stays in one block of 2^base it adds the
//             same number to each. If step is a multiple of all bits concerned, they are the same for each value_i
// A coordinate that lies in the box at both ends of a segment lies in it everywhere; a guard that is 0 at both ends is
// 0. Then the segment is n units `step` apart on the device, and the next one starts behind it.
//
// Progressions would be a value domain of encodings/map/run.h; this is a copy of its loop on purpose. `count` belongs to
// all values at once, the buffers are kept from one segment to the next, and the self-test plants faults in the steps.
//
// Example: f16[150] in sticks of 64: [0,64), [64,128), [128,150), each a run of the device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oracle/reference/slots.h"

namespace vl::oracle {

/// `count` units, host_step() apart on the host and `step` on the device.
struct Segment {
  Index host = 0;
  Index device = 0;
  Index count = 0;
  Index step = 1;
  bool compares = false;  // a unit of an earlier segment: a replica, or another index of an expanded dimension

  bool operator==(const Segment&) const = default;
};

/// Compiled once for a layout, run for many tensors. Keeps its memory from one layout to the next.
class Rows {
 public:
  static constexpr std::size_t kMostSegments = std::size_t{1} << 22;

  /// False when there is no row version: an element has no slot, two points share one, a step leaves 64 bits, there
  /// would be more than kMostSegments segments. That is no verdict; the definition says what it is.
  [[nodiscard]] bool compile(const map::Layout& layout, Host where);

  /// As Definition::pack. Requires: compiled; memories of device_units() and host_units() units of 1, 2, 4, 8 or
  /// 16 bytes; fill of `unit` bytes.
  void pack(std::span<const std::byte> host, std::size_t unit, std::span<const std::byte> fill,
            std::span<std::byte> device) const;

  /// As Definition::unpack; false where that has an error: points that have to agree do not. Requires: as pack, and
  /// unpacks().
  [[nodiscard]] bool unpack(std::span<const std::byte> device, std::size_t unit, std::span<std::byte> host) const;

  /// Whether no two elements share a host offset, but for the indices of an expanded dimension.
  [[nodiscard]] bool unpacks() const { return unpacks_; }
  [[nodiscard]] Index host_units() const { return host_units_; }
  [[nodiscard]] Index device_units() const { return device_units_; }
  [[nodiscard]] Index host_step() const { return host_step_; }
  /// In the order of the definition's points, but for the dimension along which they run.
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
  std::vector<std::uint8_t> device_marks_;  // one a unit
  std::vector<std::uint8_t> host_marks_;    // empty for a dense host
};

}  // namespace vl::oracle
