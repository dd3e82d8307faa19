// JsonCursor: reads JSON from left to right, directly into values. Every error has the offset of the wrong value. A
// document object model knows the places of syntax errors only, not the place of a value of the wrong type or length.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "encodings/base/cursor.h"

namespace vl {

class JsonCursor {
 public:
  /// The document starts at `start`.
  explicit JsonCursor(std::string_view text, std::size_t start = 0) : in_(text) { in_.move_to(start); }

  [[nodiscard]] Cursor& in() { return in_; }
  [[nodiscard]] bool failed() const { return in_.failed(); }

  /// An integer without a leading zero or plus; Syntax for any other value, Overflow beyond 64 bits.
  Index integer(std::string_view what);
  std::string string(std::string_view what);
  /// Calls visit(key, offset of the key) for each field; visit takes the value. A repeated field is an error.
  template <class Visit>
  void object(std::string_view what, Visit visit);
  /// Calls visit() before each value; visit takes the value.
  template <class Visit>
  void array(std::string_view what, Visit visit);
  /// Takes any value, nested at most kMostDepth deep. True if it says nothing: 0, false, null, "", empty, or made only
  /// of such values.
  bool skip_value();

  static constexpr int kMostDepth = 64;

 private:
  // Takes `open`; an error names what was expected.
  bool begin(char open, std::string_view what);
  // Between the elements of a list: takes the comma; true if another element follows.
  bool more(char close, bool first);

  Cursor in_;
  int depth_ = 0;
};

/// A name for messages: quoted, cut, and without bytes that a terminal would act on.
[[nodiscard]] std::string shown(std::string_view name);

template <class Visit>
void JsonCursor::object(std::string_view what, Visit visit) {
  if (!begin('{', what)) return;
  std::set<std::string, std::less<>> seen;
  for (bool first = true; more('}', first); first = false) {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string key = string("a field in quotes");
    if (failed()) return;
    if (!seen.insert(key).second) in_.fail(ErrorCode::Syntax, "the field " + shown(key) + " comes twice", at);
    in_.expect(":");
    if (!failed()) visit(std::string_view(key), at);
  }
  --depth_;
}

template <class Visit>
void JsonCursor::array(std::string_view what, Visit visit) {
  if (!begin('[', what)) return;
  for (bool first = true; more(']', first); first = false) visit();
  --depth_;
}

}  // namespace vl
