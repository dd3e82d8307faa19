// Clip: takes an expression out of a text in which it stands broken and coloured.
//
// Inside brackets a line break, with the white space around it, is one space; so is a comment behind '#'. The prefix of
// the expression's own line (a time stamp, a comment sign, a quote mark) is left out of further lines that repeat it
// with other numbers, and colour codes are left out everywhere. A text in quotes that is continued by one on the next
// line goes on there. The letters \n and \t are spaces, \" is a quote.
//
// Example, from a log:                   gives S[(8, 4) : (4@laneid, 1)]
//   [12:00:01] DEBUG  S[(8, 4) :
//   [12:00:02] DEBUG    (4@laneid, 1)]
#pragma once

#include <string>
#include <string_view>

namespace vl::use {

class Clip {
 public:
  /// Begins at `at`. The prefix of lines is looked for in front of it.
  Clip(std::string_view text, std::size_t at);

  /// The next character, '\n' only outside of brackets; '\0' at the end, at a character that no layout has (';', a
  /// control character, a backslash), and where a limit is reached (kAhead bytes, 12 brackets within each other).
  [[nodiscard]] char peek();
  /// Takes the next character. Requires: peek() is not '\0'.
  void take();
  /// Takes everything up to the bracket that closes the next one. False if there is none, or another one closes first.
  /// Requires: peek() is an opening bracket.
  [[nodiscard]] bool take_brackets();
  /// Takes blanks, and outside of brackets no line break.
  void take_blanks();
  /// Takes a word, with the dots in it; empty if none is next.
  std::string_view take_word();

  [[nodiscard]] std::size_t offset() const { return end_; }  // in the text, behind what was taken
  [[nodiscard]] const std::string& text() const { return taken_; }
  /// After peek() gave '\0': whether the text itself ended there, or its limit.
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

 private:
  void skip_hidden();
  void skip_break();
  [[nodiscard]] std::size_t prefix_at(std::size_t line) const;
  [[nodiscard]] std::size_t continued_quote() const;
  [[nodiscard]] bool inside() const { return !closers_.empty(); }

  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
  std::size_t end_;
  std::string taken_;
  std::string closers_;   // of the open brackets
  char quote_ = '\0';     // of an open quote
  bool broken_ = false;   // a break was skipped, so a space comes next
  bool escaped_ = false;  // at_ is behind a backslash
};

}  // namespace vl::use
