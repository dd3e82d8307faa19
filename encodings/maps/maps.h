// Maps: the canonical text of this program's own maps (encodings/map/text.h), which certificates print, as a notation
// of layouts. So a system needs no family of its own to have a layout judged: it prints where each element lies.
//
//   layout = map [ "->" box ]
//   map    = space { "->" stage }, as in encodings/map/text.h
//   box    = space
//
//   Domain    the tensor's dimensions, then the replicas: the last dimensions whose names are r0, r1, … A tensor of
//             another shape with as many elements is counted row-major, last dimension fastest, and so are the domain's
//             elements.
//   Outputs   the coordinates on the box's dimensions. Dimensions d0, d1, … are the coordinates in one memory, which
//             counts them row-major; further outputs are then guards, 0 where an element has a slot. Any other names
//             are axes, and a coordinate on m is a place in memory.
//   No box    the map has one output and no swizzle; the output is on the axis m, and the box goes as far as the values
//             reach by intervals, stage by stage.
//
// Worked example: (x0:2, x1:3) -> affine(3*x0 + x1) -> split(0; 2, 1) -> (d0:3, d1:2). Element [1, 2] is number 5, and
// lies at [2, 1]: place 5 of the memory.
#pragma once

#include <string>
#include <string_view>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"
#include "encodings/use/family.h"

namespace vl::maps {

struct Layout {
  map::Map map;
  std::size_t logical = 0;  // how many of the domain's dimensions are the element's
  map::Space box;
  bool has_box = true;  // the text says it; else it goes as far as the values

  /// The number of elements.
  [[nodiscard]] Index elements() const;
};

/// Errors: those of map::parse and of spaces; Shape where outputs and box do not fit together; Value for several
/// outputs or a swizzle without a box.
[[nodiscard]] Result<Layout> parse(std::string_view text);
/// With its box: parse(print(l)) has the same parts.
[[nodiscard]] std::string print(const Layout& layout);
/// Errors: Shape for another number of elements, Box for a declared box, Value, Overflow.
[[nodiscard]] Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor);

}  // namespace vl::maps
