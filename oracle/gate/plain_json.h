// PlainJson: reads the JSON that programs print, quickly. Plain is a text of printable ASCII without escapes, with no
// other white space than blanks, integers of at most 18 digits, and objects of at most 8 keys. All else it leaves to
// parse_json(), which also knows what is wrong with a text.
//
// Law: a text that read() takes to its end is one that parse_json() reads, and gives the same value; skip() takes what
// read() takes.
#pragma once

#include <optional>
#include <string_view>

#include "oracle/gate/json.h"

namespace vl::gate {

class PlainJson {
 public:
  explicit PlainJson(std::string_view text) : text_(text) {}

  /// Takes the next value, and keeps it; `level` lists and objects are open around it. False: it is not plain, and
  /// nothing else may be read.
  bool read(Json& out, int level = 0);
  /// The same without keeping it.
  bool skip(int level = 0);

  /// Takes this character, behind blanks; false if another one is next.
  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Whether this character is next, behind blanks.
  [[nodiscard]] bool sees(char c) {
    if (!take(c)) return false;
    --at_;
    return true;
  }
  /// Takes a string, and gives what stands between its quotes; nothing if it is not plain.
  std::optional<std::string_view> string();
  /// Takes an integer; false if it is not plain.
  bool integer(Index& out);
  [[nodiscard]] bool at_end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ == text_.size();
  }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t values() const { return values_; }  // that were taken by read() and skip()

 private:
  template <bool kKeeps>
  bool value(Json* out, int level);
  template <bool kKeeps>
  bool list(Json* out, int level);
  template <bool kKeeps>
  bool object(Json* out, int level);
  bool word(std::string_view word);

  std::string_view text_;
  std::size_t at_ = 0, values_ = 0;
};

}  // namespace vl::gate
