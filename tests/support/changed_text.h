// One change of a layout's text: a number becomes another one, or a name does. For texts with names, which must not be
// proved and wrong.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "encodings/use/random.h"

namespace vl::test {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text with another number or name at `at`: a name of one letter becomes one of `names`; a number one more, twice,
/// or one less and at least `least`. Requires: a digit or a letter stands there. Example: "S[12:1]" at 2 may be
/// "S[13:1]", "S[24:1]" or "S[11:1]".
[[nodiscard]] inline std::string changed_at(std::string text, std::size_t at, std::string_view names, Index least,
                                            use::Random& random) {
  if (!is_digit(text[at])) {
    text[at] = names[random.below(names.size())];
    return text;
  }
  std::size_t last = at;
  while (last < text.size() && is_digit(text[last])) ++last;
  const Index was = std::stoll(text.substr(at, last - at));
  const Index is = random.chance(50) ? was + 1 : random.chance(50) ? was * 2 : std::max<Index>(was - 1, least);
  return text.replace(at, last - at, std::to_string(is));
}

}  // namespace vl::test
