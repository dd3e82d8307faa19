// Json: a value of the protocol, read from bytes that nobody vouches for, and printed. Everything is bounded before it
// is kept: a text has at most 16 MiB, 16 levels, 2^20 values; numbers are integers of 64 bits, keys come once, and the
// text is UTF-8. Levels are counted before anything is parsed, so no text makes the reader recurse deeper.
//
// Example: [1,{"a":"b"}] is a list of an integer and an object; 1.5, NaN, 10^400 and [1,] are errors with a place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::gate {

class Json {
 public:
  using List = std::vector<Json>;
  using Fields = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  Json() = default;                                             // null
  Json(bool value) : value_(value) {}                           // NOLINT: implicit on purpose, as all of these
  Json(Index value) : value_(value) {}                          // NOLINT
  Json(std::string value) : value_(std::move(value)) {}         // NOLINT
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  Json(List value) : value_(std::move(value)) {}                // NOLINT
  Json(Fields value) : value_(std::move(value)) {}              // NOLINT
  explicit Json(const std::vector<Index>& values) : value_(List(values.begin(), values.end())) {}

  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const Index* integer() const { return std::get_if<Index>(&value_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&value_); }
  [[nodiscard]] const Fields* fields() const { return std::get_if<Fields>(&value_); }
  [[nodiscard]] bool is_null() const { return value_.index() == 0; }

  /// The value of a key; null where this is no object, or has no such key.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The text of a key; null where there is none.
  [[nodiscard]] const std::string* text(std::string_view key) const;
  /// Appends a field. Requires: an object, or null, which becomes one.
  void set(std::string key, Json value);

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, Index, std::string, List, Fields> value_;
};

/// Whether it is a list of integers, and if so, these.
[[nodiscard]] bool integers_of(const Json& value, std::vector<Index>& out);

/// The value with each leaf, what is no list and no object, changed, in the order of the text.
[[nodiscard]] Json with_leaves(const Json& value, const std::function<Json(const Json&)>& change);

/// Bytes as text, and back; nothing for what is no base64 with its padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

constexpr std::size_t kMostLine = std::size_t{16} << 20;
constexpr std::size_t kMostValues = std::size_t{1} << 20;
constexpr int kMostLevels = 16;

/// Errors: Syntax (no JSON, no UTF-8, a number that is no integer, too deep, too much), Overflow.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

/// On one line, without blanks. parse_json(print_json(v)) == v.
[[nodiscard]] std::string print_json(const Json& value);

/// A value that is kept as its text, and read only where it is looked at.
class JsonText {
 public:
  JsonText() = default;                                      // null
  JsonText(const Json& value) : text_(print_json(value)) {}  // NOLINT: implicit on purpose
  /// Requires: parse_json() reads the text.
  static JsonText of(std::string_view text) {
    JsonText out;
    out.text_ = text;
    return out;
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] Json read() const;

  /// Whether the values are the same.
  bool operator==(const JsonText& other) const { return text_ == other.text_ || read() == other.read(); }

 private:
  std::string text_ = "null";
};

}  // namespace vl::gate
