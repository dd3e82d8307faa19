#include "verifier/session/toml_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/words.h"

namespace vl::session {
namespace {

// The offset at which a line has more than kMostDots dots outside strings and comments. toml++ recurses into dotted
// keys without a limit, so such a line is refused before it is parsed.
std::optional<std::size_t> too_many_dots(std::string_view document) {
  constexpr int kMostDots = 256;
  int dots = 0;
  for (std::size_t at = 0; at < document.size(); ++at) {
    const char c = document[at];
    if (c == '\n') dots = 0;
    if (c == '#') {
      at = std::min(document.find('\n', at), document.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const bool triple = document.substr(at, 3) == std::string(3, c);
      const std::string quotes(triple ? 3 : 1, c);
      std::size_t end = at + quotes.size();
      while (end < document.size() && document.substr(end, quotes.size()) != quotes &&
             (triple || document[end] != '\n'))
        end += c == '"' && document[end] == '\\' ? 2 : 1;
      at = end + quotes.size() - 1;
    } else if (c == '.' && ++dots > kMostDots) {
      return at;
    }
  }
  return std::nullopt;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

// Where the first line begins on which counting the columns would take long, since they are not bytes.
std::optional<std::size_t> too_long_line(const Document& document) {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  const auto starts = document.line_starts();
  const std::string_view text = document.text();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : text.size();
    if (end - starts[i] > kLongest && !is_ascii(text.substr(starts[i], end - starts[i]))) return starts[i];
  }
  return std::nullopt;
}

// Integers and lists of them, innermost joined by ',', the others by ';'.
std::optional<std::string> words_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  const toml::array* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::string out;
  for (const toml::node& item : *list) {
    const auto* number = item.as_integer();
    if (number == nullptr) return std::nullopt;
    out += fmt::format("{}{}", out.empty() ? "" : ",", number->get());
  }
  return out;
}

}  // namespace

TomlDocument::TomlDocument(std::string file, std::string text)
    : file_(std::move(file)), document_(std::make_shared<const Document>(std::move(text))) {
  is_ascii_ = is_ascii(document_->text());
}

toml::table TomlDocument::parse() {
  if (const auto at = too_many_dots(document_->text())) {
    fail_at(*at, "expected at most 256 dots in a line");
    return {};
  }
  if (const auto at = too_long_line(*document_)) {
    fail_at(*at, "expected at most 65,536 bytes in a line with letters beyond ASCII");
    return {};
  }
  try {
    return toml::parse(std::string_view(document_->text()), file_);
  } catch (const toml::parse_error& error) {
    fail_at(position(error.source().begin), std::string(error.description()));
    return {};
  }
}

void TomlDocument::fail_at(std::size_t at, std::string message) {
  if (!wrong_.insert(at).second) return;
  errors_.push_back(locate(file_, *document_, {ErrorCode::Syntax, std::move(message), at}));
}

std::size_t TomlDocument::position(const toml::source_position& where) const {
  const auto starts = document_->line_starts();
  const std::string& text = document_->text();
  if (where.line == 0 || where.line > starts.size()) return 0;
  if (is_ascii_) return std::min(starts[where.line - 1] + std::max<std::size_t>(where.column, 1) - 1, text.size());
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t at = starts[where.line - 1];
  for (toml::source_index column = 1; column < where.column && at < text.size(); ++column) do
      ++at;
    while (at < text.size() && continues(at));
  return at;
}

std::string TomlDocument::letters(const toml::node& node) const {
  const std::size_t from = position(node.source().begin), to = position(node.source().end);
  return to > from ? document_->text().substr(from, to - from) : std::string();
}

SourceText TomlDocument::place(const toml::node& node) const {
  return {{}, file_, document_, position(node.source().begin), false};
}

void TomlDocument::only_keys(const toml::table& table, std::initializer_list<std::string_view> known,
                             std::string_view what) {
  for (const auto& [key, node] : table)
    if (std::ranges::find(known, key.str()) == known.end())
      fail(key.source(), fmt::format("unknown key '{}' in {}; {}", key.str(), what, one_of(key.str(), known)));
}

std::optional<SourceText> TomlDocument::text(const toml::table& table, std::string_view key, bool required) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (required) fail(table.source(), fmt::format("the key '{}' is missing", key));
    return std::nullopt;
  }
  const auto value = node->value<std::string>();
  if (!node->is_string() || !value) {
    fail(node->source(), fmt::format("expected a string for '{}'", key));
    return std::nullopt;
  }
  return located(*value, position(node->source().begin));
}

std::optional<SourceText> TomlDocument::words(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_string()) return text(table, key, true);
  const auto words = words_of(*node);
  if (!words) fail(node->source(), fmt::format("expected a string, an integer or a list of integers for '{}'", key));
  SourceText out = place(*node);
  out.text = words.value_or("");
  return out;
}

// Finds the letters of a string inside its quotes; a string with escapes has other letters there.
SourceText TomlDocument::located(const std::string& value, std::size_t at) const {
  const std::string& document = document_->text();
  std::size_t start = at;
  const std::string_view rest = std::string_view(document).substr(at);
  const bool triple = rest.starts_with("\"\"\"") || rest.starts_with("'''");
  start += triple ? 3 : 1;
  if (triple && document.compare(start, 2, "\r\n") == 0) start += 2;
  else if (triple && document.compare(start, 1, "\n") == 0) start += 1;
  const bool verbatim = start <= document.size() && document.compare(start, value.size(), value) == 0;
  return {value, file_, document_, verbatim ? start : at, verbatim};
}

std::optional<Index> TomlDocument::integer(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const auto* value = node->as_integer();
  if (value == nullptr) fail(node->source(), fmt::format("expected an integer for '{}'", key));
  return value == nullptr ? std::nullopt : std::optional<Index>(value->get());
}

bool TomlDocument::flag(const toml::table& table, std::string_view key, bool otherwise) {
  const toml::node* node = table.get(key);
  if (node != nullptr && !node->is_boolean()) fail(node->source(), fmt::format("expected true or false for '{}'", key));
  return node != nullptr ? node->value_or(otherwise) : otherwise;
}

Index TomlDocument::not_negative(const toml::table& table, std::string_view key) {
  const Index value = integer(table, key).value_or(0);
  if (value < 0) fail(table.get(key)->source(), fmt::format("expected an '{}' that is not negative", key));
  return value;
}

std::vector<Index> TomlDocument::integers(const toml::node& node, std::string_view key) {
  std::vector<Index> values;
  const toml::array* array = node.as_array();
  if (array == nullptr) fail(node.source(), fmt::format("expected a list of integers for '{}'", key));
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const auto* value = array->get(i)->as_integer();
    if (value == nullptr) fail(array->get(i)->source(), fmt::format("expected an integer in '{}'", key));
    else values.push_back(value->get());
  }
  return values;
}

std::vector<Index> TomlDocument::integers_at(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? std::vector<Index>{} : integers(*node, key);
}

}  // namespace vl::session
