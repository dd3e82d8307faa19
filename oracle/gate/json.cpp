#include "oracle/gate/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/json_cursor.h"
#include "oracle/gate/plain_json.h"

namespace vl::gate {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The length of the UTF-8 sequence at the start of a text; 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto continues = [&](std::size_t k) { return k < text.size() && (byte(k) & 0xc0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool overlong = first == 0xe0 && continues(1) && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && continues(1) && byte(1) >= 0xa0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4 || !continues(1)) return 0;
  const bool beyond = (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90);
  return continues(2) && continues(3) && !beyond ? 4 : 0;
}

std::optional<Error> not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence(text.substr(at));
    if (length == 0) return Error{ErrorCode::Syntax, "this byte is no UTF-8", at};
    at += length;
  }
  return std::nullopt;
}

// Brackets outside of strings, before anything is parsed.
std::optional<Error> too_deep(std::string_view text) {
  int level = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++level > kMostLevels)
        return Error{ErrorCode::Syntax, fmt::format("more than {} lists and objects in one another", kMostLevels), at};
    } else if (c == ']' || c == '}') {
      --level;
    }
  }
  return std::nullopt;
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : in_(text) {}

  Json value() {  // NOLINT(misc-no-recursion): too_deep() counted the levels
    if (++values_ > kMostValues) in_.in().fail(fmt::format("more than {} values", kMostValues));
    const char first = in_.in().peek();
    if (in_.failed()) return {};
    if (first == '"') return in_.string("a string");
    if (first == '[') {
      Json::List out;
      in_.array("a list", [&] { out.push_back(value()); });
      return out;
    }
    if (first == '{') {
      Json::Fields out;
      in_.object("an object", [&](std::string_view key, std::size_t) { out.emplace_back(key, value()); });
      return out;
    }
    if (in_.in().accept("true")) return true;
    if (in_.in().accept("false")) return false;
    if (in_.in().accept("null")) return {};
    return in_.integer("a value");
  }

  Result<Json> whole() {
    Json out = value();
    in_.in().expect_end();
    if (in_.failed()) return in_.in().error();
    return out;
  }

 private:
  JsonCursor in_;
  std::size_t values_ = 0;
};

void print_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else out += c;
  }
  out += '"';
}

void print_value(const Json& value, std::string& out) {  // NOLINT(misc-no-recursion): as deep as what was read or made
  if (const bool* yes = value.boolean()) {
    out += *yes ? "true" : "false";
  } else if (const Index* number = value.integer()) {
    fmt::format_to(std::back_inserter(out), "{}", *number);
  } else if (const std::string* text = value.string()) {
    print_string(*text, out);
  } else if (const Json::List* list = value.list()) {
    out += '[';
    for (std::size_t k = 0; k < list->size(); ++k) {
      if (k > 0) out += ',';
      print_value((*list)[k], out);
    }
    out += ']';
  } else if (const Json::Fields* fields = value.fields()) {
    out += '{';
    for (std::size_t k = 0; k < fields->size(); ++k) {
      if (k > 0) out += ',';
      print_string((*fields)[k].first, out);
      out += ':';
      print_value((*fields)[k].second, out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  const Fields* all = fields();
  if (all == nullptr) return nullptr;
  const auto found = std::ranges::find(*all, key, &std::pair<std::string, Json>::first);
  return found == all->end() ? nullptr : &found->second;
}

const std::string* Json::text(std::string_view key) const {
  const Json* value = find(key);
  return value == nullptr ? nullptr : value->string();
}

void Json::set(std::string key, Json value) {
  if (is_null()) value_ = Fields();
  std::get<Fields>(value_).emplace_back(std::move(key), std::move(value));
}

bool integers_of(const Json& value, std::vector<Index>& out) {
  out.clear();
  const Json::List* list = value.list();
  if (list == nullptr) return false;
  for (const Json& one : *list) {
    if (one.integer() == nullptr) return false;
    out.push_back(*one.integer());
  }
  return true;
}

Json with_leaves(const Json& value, const std::function<Json(const Json&)>& change) {  // NOLINT(misc-no-recursion)
  if (const Json::List* list = value.list()) {
    Json::List out;
    out.reserve(list->size());
    for (const Json& one : *list) out.push_back(with_leaves(one, change));
    return out;
  }
  if (value.fields() == nullptr) return change(value);
  Json::Fields out;
  for (const auto& [key, one] : *value.fields()) out.emplace_back(key, with_leaves(one, change));
  return out;
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[k + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kDigits[word >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (std::size_t k = 0; k < text.size(); k += 4) {
    std::uint32_t word = 0;
    std::size_t count = 4;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text[k + i];
      const std::size_t digit = kDigits.find(c);
      const bool pads = c == '=' && k + 4 == text.size() && i >= 2 && (i == 3 || text[k + 3] == '=');
      if (digit == std::string_view::npos && !pads) return std::nullopt;
      if (pads) count = std::min(count, i);
      word = word << 6 | (pads ? 0U : static_cast<std::uint32_t>(digit));
    }
    if ((count == 2 && (word & 0xffff) != 0) || (count == 3 && (word & 0xff) != 0)) return std::nullopt;
    for (std::size_t i = 0; i + 1 < count; ++i) out += static_cast<char>(word >> (16 - 8 * i) & 255);
  }
  return out;
}

Result<Json> parse_json(std::string_view text) {
  if (text.size() > kMostLine) return Error{ErrorCode::Syntax, "a line of more than 16 MiB", kMostLine};
  Json plain;
  PlainJson in(text);
  if (in.read(plain) && in.at_end()) return plain;
  if (auto error = not_utf8(text)) return *error;
  if (auto error = too_deep(text)) return *error;
  return JsonReader(text).whole();
}

std::string print_json(const Json& value) {
  std::string out;
  print_value(value, out);
  return out;
}

Json JsonText::read() const {
  auto value = parse_json(text_);
  VL_CHECK(value.has_value(), "a JsonText that is no JSON");
  return std::move(*value);
}

}  // namespace vl::gate
