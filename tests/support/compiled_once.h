// Templates that many tests use and that cost seconds in each: their code is only in compiled_once.cpp. This header is
// in the precompiled header of the tests, so that it applies to all of them; a test without it still compiles.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace nlohmann::detail {

using TextAdapter = decltype(input_adapter(std::declval<const std::string&>()));
extern template class lexer<ordered_json, TextAdapter>;
extern template class parser<ordered_json, TextAdapter>;
extern template class serializer<ordered_json>;
extern template class json_sax_dom_parser<ordered_json>;
extern template class json_sax_dom_callback_parser<ordered_json>;
extern template class json_sax_acceptor<ordered_json>;

}  // namespace nlohmann::detail

namespace vl::test {

/// Whether the regular expression matches anywhere in the text, as std::regex_search says.
bool has_match(const std::string& text, const char* pattern);
/// The text with each match replaced, as std::regex_replace does.
std::string with_matches_replaced(const std::string& text, const char* pattern, const char* by);

}  // namespace vl::test
