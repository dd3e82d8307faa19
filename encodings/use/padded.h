// Padded: a layout continued beyond its tensor. Hardware iterates over whole sticks, tiles or shards, so an index of an
// operation's dimension can lie beyond the tensor's extent. The continuation says where such an index lands: it is a
// map E over a larger box P that has the places of the layout L at every x < N.
//
//   pad       E(x) is a slot that holds no element
//   alias     E(x) is the slot of some element: the hardware reads valid data a second time
//   outside   E(x) is no slot
//
// A *region* is a set of dimensions, not empty: the indices of P that are beyond N in these dimensions and in no other.
// *Holes* are the slots that E does not reach, whatever P is.
//
// E comes from one of three sources, the first that there is:
//   stated    the layout's text, read for the padded tensor that the user states
//   shards    the array of all cores' shards (shards.h), whose map goes on as it is
//   digits    each device coordinate as a sum of digits of one input (map/digits.h); the digits go on. A device program
//             walks over device coordinates: in f16[5,100,150] on device_size [100,3,5,64] x2 = 150 is lane 22 of stick
//             2, although its host offset is that of the next row.
//
// Worked example: f16[55,67], device_size [2,55,64]: the lane is x1 mod 64, so the granule of x1 is 64, and of x0 it is
// 1. P = [55,128]: the 55·61 indices of region {x1} are pads. x0 = 55 is outside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/use/family.h"
#include "encodings/use/shards.h"

namespace vl::use {

/// A set of dimensions of a tensor, dimension d as bit d.
using Region = std::uint64_t;

/// A layout with what its continuation is made from.
struct Continued {
  map::Layout layout;          // L over N, in the box in which it goes on: a device's, or the array of shards
  std::vector<Index> granule;  // of each dimension: hardware iterates over whole ones
  std::vector<Index> whole;    // N in whole granules, or the size that the user states
  std::string values;          // Reading::values
  bool ends = false;           // it is stated, and nothing is known beyond `whole`
  /// Positions of the box's last dimension that share an exponent, 16 of a block format; 0: it is no such format.
  Index group = 0;
  /// Dimensions along which tiles have positions that no index reaches, since cores take shares that end inside of a
  /// tile, or joined dimensions do. Hardware reads these holes with their tiles.
  Region ragged = 0;
  /// A dimension of size 1 that may lie along the lanes of a stick or not; the text does not tell. Granule 1.
  std::optional<std::size_t> doubtful = {};
  std::optional<Shards> shards = {};
  std::optional<std::vector<map::Stage>> stages = {};  // of E, by shards or stated; absent: by digits
};

/// Errors: Value where there is none of the three sources, with the reason.
/// Requires: the reading has a layout, and is of this text and tensor.
[[nodiscard]] Result<Continued> continued(const Family& family, std::string_view text, const map::Tensor& tensor,
                                          const Reading& reading);
/// The first source. `reading` is of the padded tensor. Errors: Shape for another rank or a smaller size.
[[nodiscard]] Result<Continued> continued_to(const map::Tensor& tensor, const map::Tensor& padded,
                                             const Reading& reading);

/// E over the box P. Errors: Shape if P is smaller than N or has another rank, or mixes dimensions in one coordinate;
/// Value if P is larger than what is stated; Overflow.
[[nodiscard]] Result<map::Layout> padded(const Continued& from, std::span<const Index> size);

/// E over one region of P, or over the elements themselves (region 0): point 0 of a dimension of the region is index N
/// there. Errors: those of Layout::create. Requires: `over` is padded(from, P).
[[nodiscard]] Result<map::Layout> over_region(const Continued& from, const map::Layout& over, Region region);

/// The regions of P that have an index, ascending. P = [55,128] of N = [55,67]: {x1} alone, 2.
[[nodiscard]] std::vector<Region> regions_of(std::span<const Index> valid, std::span<const Index> size);
/// The number of its indices. Requires: P has at most 2^63 - 1 points.
[[nodiscard]] Index count_of(Region region, std::span<const Index> valid, std::span<const Index> size);

/// A slot as the hardware names it: "stick [1, 3], lane 5"; "tile [0, 1], face [0, 0], row 0, lane 1", of several cores
/// "core [2, 0]" in front; over named axes "laneid 3, m 4". Requires: the slot lies in the box of from.layout.
[[nodiscard]] std::string in_words(const Continued& from, std::span<const Index> slot);

}  // namespace vl::use
