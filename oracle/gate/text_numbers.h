// Text numbers: the numbers of a text in a notation that is not looked at further, to change one of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::gate {

struct Token {
  std::size_t at = 0, size = 0;
  Index value = 0;
};

/// The numbers that are no part of a word, with their signs: 2, -3 and 64 of "[2, -3] fp16 x(64)".
[[nodiscard]] std::vector<Token> numbers_in(std::string_view text);
/// Without the number, and one comma beside it.
[[nodiscard]] std::string dropped(std::string_view text, const Token& token);
[[nodiscard]] std::string replaced(std::string_view text, const Token& token, Index value);

}  // namespace vl::gate
