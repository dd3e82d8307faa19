// Statements: a Python source, cut into its statements. A compound statement's head is one, with all its lines; so is a
// call over several lines. Strings are empty in them, comments are left out, and a line break is a blank.
//
// Example: `x = f(1,  # one` and `      "a")` on two lines are one statement, `x = f(1,         ")`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vl::use {

struct Statement {
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::size_t indent = 0;  // bytes in front of it on its line
  std::string text = {};
};

/// A part of a source that is not executed, or is a string.
struct Quoted {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool comment = false;
  bool in_brackets = false;  // of a call, a list, …
};

class Statements {
 public:
  /// Begins at `begin`, which is no place in a string.
  Statements(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  /// The next one; nothing at the end.
  [[nodiscard]] std::optional<Statement> next();
  /// Whether a place that was passed stands in a string.
  [[nodiscard]] bool in_string(std::size_t place) const;
  /// The strings and comments that were passed, in order.
  [[nodiscard]] const std::vector<Quoted>& quoted() const { return quoted_; }

 private:
  void skip_empty();
  void skip_comment(bool in_brackets);
  void skip_string(bool in_brackets);

  std::string_view text_;
  std::size_t at_;
  std::vector<Quoted> quoted_;
};

/// Without blanks and line breaks at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The statement begins with this word.
[[nodiscard]] bool starts_with_word(std::string_view text, std::string_view word);
/// Where a word stands in a text, and not as a part of another one; npos if nowhere.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);
/// Of def, async def and class.
[[nodiscard]] bool opens_scope(std::string_view statement);
/// The last '=' outside of brackets that assigns; 0 if there is none.
[[nodiscard]] std::size_t end_of_targets(std::string_view statement);

}  // namespace vl::use
