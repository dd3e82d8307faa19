// HTML: a page around the SVG of a figure, with the grids as tables below for readers who cannot see the image. The
// file is well-formed XML behind its doctype. It fetches nothing and has no scripts.
#pragma once

#include <string>

#include "verifier/report/grid.h"

namespace vl::report {

[[nodiscard]] std::string figure_to_html(const Figure& figure);

}  // namespace vl::report
