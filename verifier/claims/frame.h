// Frame: layouts in a common space, so that "the same place" is the same slot of it. Over named axes a place is a
// coordinate on each axis of either layout, 0 on one that a layout lacks; in memory it is the slot's row-major number.
//
// A Frame is the space of all places that occur: each axis begins at the lowest coordinate that there may be (never
// above 0), so a place outside a layout's own box, also a negative one, is a place like any other. Example: m in [0, 8)
// and laneid in [0, 4) of one layout, m in [-1, 3) of the other: common space m:9, laneid:4, the first layout's m
// counted from 1.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
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

/// A coordinate on each of these axes, 0 on one that the layout lacks; m is counted from `at`.
[[nodiscard]] OnAxes on_axes(const map::Layout& layout, const std::vector<std::string>& axes, Index at);
/// The slot's row-major number on the one axis m, counted from `at`. An element without a slot in the layout's own box
/// has no place. (4):(1) from 8: the row x0 + 8, on m from 8 to 12.
[[nodiscard]] OnAxes in_memory(const map::Layout& layout, Index at);

/// Why a layout does not put each element at one place of one memory; empty: it does.
[[nodiscard]] std::string not_in_one_memory(const map::Layout& layout);

/// The layout in the box that `parts` say, over its own points, or over `points` (replicas among them).
/// Errors: those of Layout::create, and Overflow.
[[nodiscard]] Result<map::Layout> within(const map::Layout& layout, OnAxes on, const std::vector<Stretch>& parts,
                                         std::optional<map::Space> points = {});

/// Two layouts in one space of all places that occur.
struct Frame {
  map::Layout a;
  map::Layout b;
  Point low;  // for each axis of the common space, what its coordinate 0 stands for

  /// The named coordinates of a slot of the common space.
  [[nodiscard]] Point place(Index number) const;
};

/// Errors: Shape for guards or for tensors of different extents; Overflow if the common space leaves 64 bits.
[[nodiscard]] Result<Frame> frame(const map::Layout& a, const map::Layout& b);

/// Two layouts whose texts say in which memories they lie: with the axis `memory` where these are different, and a note
/// that they are. Nothing where that is not known; the offer then says why.
[[nodiscard]] std::optional<std::pair<const map::Layout&, const map::Layout&>> in_their_memories(
    Offer& offer, const map::Layout& a, const use::Reading& second, const map::Layout& b);

/// Whether two layouts over named axes are the same set-valued map. `words` is the sentence for a difference: the
/// element, its place in the first layout, and its place in the second.
[[nodiscard]] Verdict same_over_axes(const map::Layout& a, const map::Layout& b, std::string_view words,
                                     Inquiry& inquiry);

}  // namespace vl::claims
