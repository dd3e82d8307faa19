// Where slots are, and where the elements come from that a line only moves.
#pragma once

#include <optional>

#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// The number of a slot in row-major order of the padded sizes.
[[nodiscard]] Index place_of(const Node& node, const Point& index);
/// The region of an index: the dimensions in which it is past the size.
[[nodiscard]] Region region_at(const Node& node, const Point& index);

struct Source {
  std::size_t node = 0;
  Point index;
};
/// The slot that a slot of a transpose, reshape, concat, slice or broadcast is a copy of; nothing: it is unwritten.
/// Example: slice over 0 at 2..5: [1] is a copy of [3].
[[nodiscard]] std::optional<Source> source_of(const Program& program, const Node& node, const Point& index);

}  // namespace vl::neutral::program
