// The script and the style sheet of the explorer: explorer.js and explorer.css, compiled in (cmake/explorer.cmake).
#pragma once

#include <string_view>

namespace vl::report {

[[nodiscard]] std::string_view explorer_script();
[[nodiscard]] std::string_view explorer_style();

}  // namespace vl::report
