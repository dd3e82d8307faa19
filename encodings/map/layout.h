// Layout: where each element of a logical tensor lives in a physical space, and which slots are padding.
//
//   map     logical ++ replicas -> physical ++ guards. An element x and a replica r have the slot map(x, r) if every
//           guard is 0 and the physical coordinates lie in the box; else x has no slot. A replica dimension is a free
//           input: the element lives in one slot per value.
//   decode  physical -> logical ++ replicas ++ guards, the way back. A slot s is *valid* (it holds data) iff decode(s)
//           has guards 0 and a point (x, r) in the domain, and map(x, r) = s. A range check alone does not suffice: a
//           slot can decode to an element that lives elsewhere, and is then padding. Encode again and compare.
//           Without a decode map (a host whose offsets do not nest), the valid slots are the image by definition, or
//           all slots of a box that the family states (`filled`).
//
// The map goes from elements to slots because every element must have a slot, but not every slot has an element.
//
// Example: f16[5,100,150], physical (d0:100, d1:3, d2:5, d3:64). Element [2,7,40] has slot [7,0,2,40]. Slot [0,2,0,22]
// decodes to element [0,1,0], whose slot is [1,0,0,0]: padding.
#pragma once

#include <optional>

#include "encodings/map/map.h"

namespace vl::map {

/// An identity that a family's document states between the two sides: slot(s) = element(x) for every element x and
/// each of its slots s. Spyre: dot(device coordinates, stride_map) = dot(x, host strides).
struct OffsetIdentity {
  Row slot;     // over the physical dimensions
  Row element;  // over the logical dimensions

  bool operator==(const OffsetIdentity&) const = default;
};

/// The name of the memory among named axes.
inline constexpr std::string_view kMemoryAxis = "m";

/// The parts of a layout, before they are checked.
struct LayoutParts {
  Space logical;
  Space replicas;
  Space physical;
  std::vector<Stage> map;
  std::size_t guards = 0;
  std::optional<std::vector<Stage>> decode;
  std::size_t decode_guards = 0;
  std::optional<OffsetIdentity> identity;
  Row host_offset;  // the place of an element in host memory, in elements: storage offset + Σ x·stride
  /// The valid slots, if a family states them as a box at the origin and has no decode map. Same names as `physical`.
  std::optional<Space> filled = std::nullopt;
  /// Physical dimensions are named axes, and another layout may have other axes: an axis that a layout lacks has
  /// coordinate 0. Else places are compared by their row-major number. The axis that counts the elements of a memory is
  /// called kMemoryAxis in every family: certificates and the checker know it by that name.
  bool named_axes = false;
};

class Layout {
 public:
  /// Errors: those of Map::create and Space::create; Shape if the parts do not fit together; Overflow if an offset row
  /// leaves 64 bits somewhere in its space.
  static Result<Layout> create(LayoutParts parts);

  [[nodiscard]] const Space& logical() const { return logical_; }
  [[nodiscard]] const Space& replicas() const { return replicas_; }
  [[nodiscard]] const Space& physical() const { return physical_; }
  /// logical ++ replicas, the map's domain.
  [[nodiscard]] const Space& domain() const { return map_.domain(); }
  [[nodiscard]] const Map& map() const { return map_; }
  [[nodiscard]] std::size_t guards() const { return map_.outputs() - physical_.rank(); }
  [[nodiscard]] const std::optional<Map>& decode() const { return decode_; }
  [[nodiscard]] const std::optional<OffsetIdentity>& identity() const { return identity_; }
  [[nodiscard]] const Row& host_offset() const { return host_offset_; }
  [[nodiscard]] const std::optional<Space>& filled() const { return filled_; }
  [[nodiscard]] bool named_axes() const { return named_axes_; }

  /// Whether outputs of the map (physical ++ guards) are a slot.
  [[nodiscard]] bool is_slot(std::span<const Index> outputs) const;
  /// The slot's place in memory, its row-major number; nothing if the outputs are not a slot. [7, 0, 2, 40] of the
  /// layout above: 6888.
  [[nodiscard]] std::optional<Index> slot_number(std::span<const Index> outputs) const;

 private:
  explicit Layout(Map map) : map_(std::move(map)) {}

  Space logical_;
  Space replicas_;
  Space physical_;
  Map map_;
  std::optional<Map> decode_;
  std::optional<OffsetIdentity> identity_;
  Row host_offset_;
  std::optional<Space> filled_;
  bool named_axes_ = false;
};

/// The physical dimension that is the memory of a layout with named axes; nothing if there is no such axis.
[[nodiscard]] std::optional<std::size_t> memory_axis(const Layout& layout);

/// The same map into another box: the parts of a layout without decode, identity and filled, for Layout::create.
[[nodiscard]] LayoutParts parts_in(const Layout& layout, Space physical);

/// The row-major number of a space's points as a row over its dimensions: 15000·x0 + 150·x1 + x2 of (x0:5, x1:100,
/// x2:150).
[[nodiscard]] Row row_major_number(const Space& space);

/// The value of a row at a point; nothing if it leaves 64 bits.
[[nodiscard]] std::optional<Index> value(const Row& row, std::span<const Index> point);

/// The use of one physical slot.
struct SlotUse {
  bool in_range = false;        // decode gives a point of the domain with guards 0: every range check passes
  bool valid = false;           // and that point lives here
  Point point;                  // (x, r), to which it decodes; empty unless in_range
  std::vector<Index> lives_at;  // map outputs of that point; empty unless in_range
};

/// Decodes a slot and encodes it again. Requires: layout.decode() and physical().contains(slot).
[[nodiscard]] SlotUse use_of(const Layout& layout, std::span<const Index> slot);

/// The map's outputs for (element, replica). Requires: both lie in their spaces.
[[nodiscard]] Point outputs_at(const Layout& layout, std::span<const Index> element, std::span<const Index> replica);

}  // namespace vl::map
