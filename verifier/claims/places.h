// Places: a layout's places as coordinates on axes that it shares with another layout, or that it counts itself, so
// that two layouts are asked about in one space. Where a layout names its axes a place is a coordinate on each, 0 on
// one that it lacks; else it is the slot's row-major number, on the one axis m. Counting may begin at another place
// than 0. Example: (4):(1) in memory from 8: the row x0 + 8, on m from 8 to 12.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "verifier/claims/claim.h"

namespace vl::claims {

/// [low, low + extent) of one axis, which a layout's box covers.
struct Stretch {
  std::string axis;
  Index low = 0;
  Index extent = 1;
};

/// A layout's outputs as one row for each axis, after `stages`; then guards.
struct OnAxes {
  std::vector<Stretch> parts;
  std::vector<map::Stage> stages;
  std::vector<map::Row> rows;
  std::size_t guards = 0;
};

/// The axes of the layouts, each once, and m as well when `memory` says so.
[[nodiscard]] std::vector<std::string> axes_of(std::initializer_list<const map::Layout*> layouts, bool memory);

/// Over these axes, or on m alone where the layout's are not named: there an element without a slot in the layout's own
/// box has no place. m is counted from `at`.
[[nodiscard]] OnAxes on_axes(const map::Layout& layout, const std::vector<std::string>& axes, Index at);

/// The layout in the box that `parts` say, over its own points, or over `points` (replicas among them).
/// Errors: those of Layout::create, and Overflow.
[[nodiscard]] Result<map::Layout> within(const map::Layout& layout, OnAxes on, const std::vector<Stretch>& parts,
                                         std::optional<map::Space> points = {});

}  // namespace vl::claims
