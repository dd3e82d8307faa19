// Texts of users for a terminal: nothing in them acts on it.
#pragma once

#include <string>
#include <string_view>

namespace vl {

/// The text with every control character written as JSON writes it: "\n", "\u001b". So are C1 controls and those that
/// turn the direction of writing (U+202A to U+202E, U+2066 to U+2069). A byte that is no UTF-8 becomes "\x9b".
/// Example: "a<ESC>[2J" is "a\u001b[2J".
[[nodiscard]] std::string printable(std::string_view text);

/// The same line by line: the ends of lines stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// The same letters without what acts, for a line with a caret below: each byte of a control character, or of what is
/// no UTF-8, becomes a space, so that all others keep their place.
[[nodiscard]] std::string blanked(std::string_view text);

}  // namespace vl
