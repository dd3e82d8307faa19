// Features: properties of a sample of a campaign, and what a campaign wishes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vl::use {

/// A property of a sample, for the distribution of a campaign and to distinguish mismatches.
enum class Feature : std::uint8_t {
  Constructed,  // by a constructor's rule
  DimMap,       // spyre's older notation
  Tiled,        // some dimension in more than one digit
  Ragged,       // some extent is not a multiple of its tiles
  Sparse,       // one element per stick
  Synthetic,    // a device dimension without a host dimension
  Permuted,     // the host's dimensions in another order
  Strided,      // the host's rows are further apart than their length
  Reversed,     // a host stride below 0
  Expanded,     // a host stride, or a stride of the shard, of 0
  Offset,       // a view offset, or an offset of the layout
  Replicated,
  Swizzled,
  Threads,  // axes besides m
  Boxed,    // declared extents of axes
  Broken,   // on purpose
  Far,      // some strides are far larger than they need to be; only where it is wished for
};
constexpr std::size_t kFeatures = static_cast<std::size_t>(Feature::Far) + 1;
[[nodiscard]] std::string_view name(Feature feature);

using Features = std::uint32_t;  // a set of them
[[nodiscard]] constexpr Features bit(Feature feature) { return Features{1} << static_cast<unsigned>(feature); }

/// Features that a sample takes wherever its family can, and features that it goes without. All others come as often as
/// the family says.
struct Wishes {
  Features on = 0, off = 0;

  [[nodiscard]] bool has(Feature feature) const { return (on & bit(feature)) != 0; }
};

}  // namespace vl::use
