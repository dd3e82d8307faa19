// Words for readers.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl {

/// "1 case", "3 cases".
[[nodiscard]] inline std::string plural(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The words of "wormhole dram read", between blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// The word of a list that is nearest to `word`: fewest letters to insert, leave out, replace or exchange with their
/// neighbour, and at most a third of the longer word, rounded up. Empty if none is so near; of several, the first.
/// Upper and lower case are alike. "injectiv" of {onto, injective}: injective, one letter off.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

/// "did you mean 'injective'? expected one of onto, injective", without the question where no word is near.
[[nodiscard]] std::string one_of(std::string_view word, std::span<const std::string_view> words);
/// The same for words that are kept as strings.
[[nodiscard]] std::string one_of(std::string_view word, const std::vector<std::string>& words);

}  // namespace vl
