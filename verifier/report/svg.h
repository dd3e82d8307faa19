// SVG: a figure as one self-contained image. Its grids are beside each other (below each other if they are wide), with
// one colour per bank or owner. A cell with a conflict has a thick frame and "!"; a cell that an access touches without
// a conflict has a thin frame. The legend, the access and the notes are below. A pointer on a cell shows its title.
//
// The same figure gives the same bytes. The image has no script, font, style sheet or link. Text is escaped; control
// characters and broken UTF-8 become "?".
//
// A figure with 12 cells per grid has 12 <g class="cell"> elements per grid.
#pragma once

#include <string>
#include <string_view>

#include "verifier/report/grid.h"

namespace pugi {
class xml_node;
}

namespace vl::report {

/// The most cells of an image. Whole rows beyond that are left out, from the end, and the image states their number.
inline constexpr std::size_t kMostCellsInSvg = 20000;

[[nodiscard]] std::string figure_to_svg(const Figure& figure);
/// The same as a child of `parent`.
void append_svg(pugi::xml_node parent, const Figure& figure);

/// Text that XML can hold.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace vl::report
