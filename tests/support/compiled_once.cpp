#include "tests/support/compiled_once.h"

#include <regex>

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace nlohmann::detail {

template class lexer<ordered_json, TextAdapter>;
template class parser<ordered_json, TextAdapter>;
template class serializer<ordered_json>;
template class json_sax_dom_parser<ordered_json>;
template class json_sax_dom_callback_parser<ordered_json>;
template class json_sax_acceptor<ordered_json>;

}  // namespace nlohmann::detail

namespace vl::test {

bool has_match(const std::string& text, const char* pattern) { return std::regex_search(text, std::regex(pattern)); }

std::string with_matches_replaced(const std::string& text, const char* pattern, const char* by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

}  // namespace vl::test
