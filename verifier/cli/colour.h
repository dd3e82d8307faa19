// Colours of the terminal: --color, then NO_COLOR and FORCE_COLOR, then whether the output is a terminal.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace vl::cli {

enum class Colour { Auto, Always, Never };

/// Whether the output on stdout has colours. A variable that is empty is not set; FORCE_COLOR=0 is no.
/// --color=always with NO_COLOR=1: yes.
[[nodiscard]] inline bool wants_colour(Colour asked) {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::string_view(text) : std::string_view();
  };
  if (asked != Colour::Auto) return asked == Colour::Always;
  if (!value("NO_COLOR").empty()) return false;
  if (const std::string_view force = value("FORCE_COLOR"); !force.empty()) return force != "0";
  return ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace vl::cli
