// HTML: a page around the SVG of a figure, with the grids as tables below for readers who cannot see the image. One
// file that is well-formed XML behind its doctype; nothing is fetched, nothing runs.
#pragma once

#include <string>

#include "verifier/report/grid.h"

namespace vl::report {

[[nodiscard]] std::string figure_to_html(const Figure& figure);

}  // namespace vl::report
