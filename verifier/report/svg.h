// SVG: a figure as one self-contained image: its grids beside each other (one below the other where they are wide), one
// colour each bank or owner, cells that conflict with a thick frame and "!", those that an access touches without
// conflict with a thin one, the legend, the access and the notes below. Pointing at a cell gives its title.
//
// The same figure gives the same bytes. Nothing is fetched: no script, no font, no style sheet, no link. Text is
// escaped; control characters and broken UTF-8 become "?".
//
// Of a figure with 12 cells a grid there are 12 <g class="cell"> elements a grid.
#pragma once

#include <string>
#include <string_view>

#include "verifier/report/grid.h"

namespace pugi {
class xml_node;
}

namespace vl::report {

/// More cells than these are left out, whole rows from the end, and the image says how many rows.
inline constexpr std::size_t kMostCellsInSvg = 20000;

[[nodiscard]] std::string figure_to_svg(const Figure& figure);
/// The same as a child of `parent`.
void append_svg(pugi::xml_node parent, const Figure& figure);

/// Text that XML can hold.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace vl::report
