#include "verifier/session/toml_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/words.h"

namespace vl::session {
namespace {

// The end of the string whose first quote is there; of one without an end, that of its line or of the document.
std::size_t end_of_string(std::string_view document, std::size_t at) {
  const char quote = document[at];
  const std::size_t quotes = document.substr(at, 3) == std::string(3, quote) ? 3 : 1;
  std::size_t end = at + quotes;
  while (end < document.size() && document.substr(end, quotes) != document.substr(at, quotes) &&
         (quotes == 3 || document[end] != '\n'))
    end += quote == '"' && document[end] == '\\' ? 2 : 1;
  return std::min(end + quotes, document.size());
}

// Calls take(at) for each place outside strings and comments, until it says no.
template <class Take>
void walk_outside(std::string_view document, const Take& take) {
  for (std::size_t at = 0; at < document.size();) {
    const char c = document[at];
    if (c == '#') at = std::min(document.find('\n', at), document.size());
    else if (c == '"' || c == '\'') at = end_of_string(document, at);
    else if (take(at)) ++at;
    else return;
  }
}

// The offset at which a line has more than kMostDots dots outside strings and comments. toml++ recurses into dotted
// keys without a limit, so such a line is refused before it is parsed.
std::optional<std::size_t> too_many_dots(std::string_view document) {
  constexpr int kMostDots = 256;
  int dots = 0;
  std::optional<std::size_t> found;
  walk_outside(document, [&](std::size_t at) {
    if (document[at] == '\n') dots = 0;
    if (document[at] == '.' && ++dots > kMostDots) found = at;
    return !found;
  });
  return found;
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
    : TomlDocument(std::move(file), std::make_shared<const Document>(std::move(text))) {}

TomlDocument::TomlDocument(std::string file, std::shared_ptr<const Document> document)
    : file_(std::move(file)), document_(std::move(document)) {}

std::vector<std::size_t> TomlDocument::starts_of(std::string_view header) const {
  const std::string_view text = document_->text();
  std::vector<std::size_t> out;
  std::size_t after_break = 0;
  bool blank = true;  // so far in the line
  walk_outside(text, [&](std::size_t at) {
    if (blank && text[at] == '[' && text.substr(at).starts_with(header)) out.push_back(after_break);
    if (text[at] == '\n') after_break = at + 1;
    blank = text[at] == '\n' || (blank && (text[at] == ' ' || text[at] == '\t'));
    return true;
  });
  return out;
}

bool TomlDocument::refused() {
  if (const auto at = too_many_dots(document_->text())) {
    fail_at(*at, "expected at most 256 dots in a line");
    return true;
  }
  if (const auto at = too_long_line(*document_)) {
    fail_at(*at, "expected at most 65,536 bytes in a line with letters beyond ASCII");
    return true;
  }
  return false;
}

toml::table TomlDocument::parse() {
  if (refused()) return {};
  return parse_part(0, document_->text().size());
}

toml::table TomlDocument::parse_part(std::size_t begin, std::size_t end) {
  const auto starts = document_->line_starts();
  first_line_ = static_cast<std::size_t>(std::ranges::lower_bound(starts, begin) - starts.begin());
  try {
    return toml::parse(std::string_view(document_->text()).substr(begin, end - begin), file_);
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
  if (where.line == 0 || first_line_ + where.line > starts.size()) return 0;
  const std::size_t start = starts[first_line_ + where.line - 1];
  if (document_->is_ascii()) return std::min(start + std::max<std::size_t>(where.column, 1) - 1, text.size());
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t at = start;
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
