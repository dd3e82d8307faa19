// Tokens: one line of a program, cut at white space outside of brackets and quotes, with their places in the text. The
// first error stays, and every later read gives something harmless.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::neutral::program {

struct Token {
  std::string_view text;
  std::size_t offset = 0;
};

/// What stands in front of a '#' outside of quotes: a layout's text may begin with one.
[[nodiscard]] std::string_view without_comment(std::string_view row);

class Line {
 public:
  /// A line without its comment. `offset` is its place in the program.
  Line(std::string_view text, std::size_t offset);

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  void fail(ErrorCode code, std::string message, std::size_t offset);
  void fail(std::string message) { fail(ErrorCode::Syntax, std::move(message), at()); }

  [[nodiscard]] bool at_end() const { return failed() || next_ == tokens_.size(); }
  /// The place of the next token, or of the end of the line.
  [[nodiscard]] std::size_t at() const { return next_ < tokens_.size() ? tokens_[next_].offset : end_; }
  /// The next token, which is not taken; empty at the end.
  [[nodiscard]] std::string_view peek() const { return at_end() ? std::string_view() : tokens_[next_].text; }
  [[nodiscard]] std::string_view peek_second() const {
    return failed() || next_ + 1 >= tokens_.size() ? std::string_view() : tokens_[next_ + 1].text;
  }
  Token take(std::string_view what);
  bool accept(std::string_view word);
  void expect(std::string_view word);
  /// A name: letters, digits, _ and ., not a digit first.
  Token name(std::string_view what);
  Index integer(std::string_view what);
  /// "next" in quotes, or "the end of the line".
  [[nodiscard]] std::string found() const;
  /// The raw text up to the next of these words, or to the end of the line.
  Token until(const std::vector<std::string_view>& words);

 private:
  std::string_view text_;
  std::size_t offset_ = 0, end_ = 0;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::optional<Error> error_;
};

[[nodiscard]] bool is_name(std::string_view text);
/// A decimal integer without a sign; nothing if it is none, or does not fit in 62 bits.
[[nodiscard]] std::optional<Index> natural(std::string_view text);
/// Parts between separators, with the white space around them removed, and their offsets from the start of the text.
[[nodiscard]] std::vector<Token> split(std::string_view text, char separator, std::size_t offset);

}  // namespace vl::neutral::program
