// PlaceForm: the places of a layout with named axes as digits, for campaigns that ask a million of them a second. A
// family makes it from the numbers of its notation, and its memory is used again.
//
//   The row-major number of an element is cut into digits by `extents`, the last one fastest. On axis a lies
//   origin[a] + Σ digit k · strides[k] over the k with on[k] = a; the swizzle then works on its own axis, `input`.
//
// Law: these are the places of the sample's map, of replica 0. It is a shortcut, and no meaning: whatever it says of an
// answer is said once more by the map for some cases (oracle/gate/lane.h), and for each answer that is not as it says.
//
// Example: S[(2,3):(1,4)] + 5 has extents {2,3}, strides {1,4}, on {0,0}, origin {5}, the axis m: 5 9 13 6 10 14.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/map/map.h"

namespace vl::use {

struct PlaceForm {
  std::vector<std::string_view> axes;  // the physical dimensions of the map, in their order; they outlive the form
  std::vector<Index> extents, strides;
  std::vector<std::size_t> on;
  std::vector<Index> origin;
  std::optional<map::Swizzle> swizzle;
  Index elements = 1, replicas = 1;
  /// The family's parts as numbers, as oracle/gate/layout_gate.h has them.
  std::vector<Index> numbers;
};

/// Whether these are the places: one row an element in row-major order, one column an axis. Requires: no place leaves
/// 64 bits, none on the swizzle's axis is negative.
[[nodiscard]] bool are_places(const PlaceForm& form, std::span<const Index> rows);

}  // namespace vl::use
