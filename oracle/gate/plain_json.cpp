#include "oracle/gate/plain_json.h"

#include <array>

namespace vl::gate {
namespace {

constexpr std::size_t kMostKeys = 8;
constexpr std::size_t kMostDigits = 18;  // of a number that fits in 64 bits, whatever its digits are

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::string_view> PlainJson::string() {
  if (!take('"')) return std::nullopt;
  const std::size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') return text_.substr(begin, at_++ - begin);
    if (c < 0x20 || c > 0x7e || c == '\\') return std::nullopt;  // a byte beyond ASCII is below 0, or above 0x7e
  }
  return std::nullopt;
}

bool PlainJson::integer(Index& out) {
  const bool minus = take('-');
  if (!minus && at_end()) return false;
  const std::size_t begin = at_;
  Index value = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]) && at_ - begin < kMostDigits; ++at_)
    value = value * 10 + (text_[at_] - '0');
  if (at_ == begin || (text_[begin] == '0' && (at_ - begin > 1 || minus))) return false;
  // What follows is no part of it: 1.5, 1e5 and a 19th digit are for parse_json().
  if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '}' && text_[at_] != ' ')
    return false;
  out = minus ? -value : value;
  return true;
}

bool PlainJson::word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return at_ == text_.size() || text_[at_] == ',' || text_[at_] == ']' || text_[at_] == '}' || text_[at_] == ' ';
}

template <bool kKeeps>
bool PlainJson::list(Json* out, int level) {
  if (!take('[') || level == kMostLevels) return false;
  Json::List all;
  for (bool first = true; !take(']'); first = false) {
    if (!first && !take(',')) return false;
    if constexpr (kKeeps) {
      if (!value<true>(&all.emplace_back(), level + 1)) return false;
    } else {
      if (!value<false>(nullptr, level + 1)) return false;
    }
  }
  if constexpr (kKeeps) *out = std::move(all);
  return true;
}

template <bool kKeeps>
bool PlainJson::object(Json* out, int level) {
  if (!take('{') || level == kMostLevels) return false;
  std::array<std::string_view, kMostKeys> keys;
  std::size_t count = 0;
  Json::Fields all;
  while (!take('}')) {
    if (count > 0 && !take(',')) return false;
    const auto key = string();
    if (!key || count == kMostKeys || !take(':')) return false;
    for (std::size_t k = 0; k < count; ++k)
      if (keys[k] == *key) return false;
    keys[count++] = *key;
    if constexpr (kKeeps) {
      if (!value<true>(&all.emplace_back(std::string(*key), Json()).second, level + 1)) return false;
    } else {
      if (!value<false>(nullptr, level + 1)) return false;
    }
  }
  if constexpr (kKeeps) *out = std::move(all);
  return true;
}

template <bool kKeeps>
bool PlainJson::value(Json* out, int level) {  // NOLINT(misc-no-recursion): at most kMostLevels deep
  if (++values_ > kMostValues || at_end()) return false;
  switch (text_[at_]) {
    case '[': return list<kKeeps>(out, level);
    case '{': return object<kKeeps>(out, level);
    case '"': {
      const auto text = string();
      if constexpr (kKeeps)
        if (text) *out = *text;
      return text.has_value();
    }
    case 't':
    case 'f': {
      const bool yes = text_[at_] == 't';
      if constexpr (kKeeps) *out = yes;
      return word(yes ? "true" : "false");
    }
    case 'n':
      if constexpr (kKeeps) *out = Json();
      return word("null");
    default: {
      Index number = 0;
      if (!integer(number)) return false;
      if constexpr (kKeeps) *out = number;
      return true;
    }
  }
}

bool PlainJson::read(Json& out, int level) { return value<true>(&out, level); }
bool PlainJson::skip(int level) { return value<false>(nullptr, level); }

}  // namespace vl::gate
