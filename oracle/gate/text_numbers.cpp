#include "oracle/gate/text_numbers.h"

#include <fmt/format.h>

#include "oracle/gate/json.h"

namespace vl::gate {

std::vector<Token> numbers_in(std::string_view text) {
  std::vector<Token> out;
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const auto number = parse_json(text.substr(at, end - at));
    if (number && number->integer() != nullptr) {
      const bool minus = at > 0 && text[at - 1] == '-';
      const std::size_t begin = minus ? at - 1 : at;
      out.push_back({begin, end - begin, minus ? -*number->integer() : *number->integer()});
    }
    at = end;
  }
  return out;
}

std::string dropped(std::string_view text, const Token& token) {
  std::size_t begin = token.at, end = token.at + token.size;
  if (end < text.size() && text[end] == ',') {
    for (++end; end < text.size() && text[end] == ' '; ++end) {
    }
  } else {
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    if (begin > 0 && text[begin - 1] == ',') --begin;
  }
  return fmt::format("{}{}", text.substr(0, begin), text.substr(end));
}

std::string replaced(std::string_view text, const Token& token, Index value) {
  return fmt::format("{}{}{}", text.substr(0, token.at), value, text.substr(token.at + token.size));
}

}  // namespace vl::gate
