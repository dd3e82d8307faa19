// Cursor: reads a text from left to right and remembers the first error. After an error every further read returns a
// neutral value and does not move the cursor. So a parser needs no checks in between, and asks `failed()` once at its
// end.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  /// Requires: failed().
  [[nodiscard]] const Error& error() const { return *error_; }

  /// Records an error at `offset`, unless one is recorded already.
  void fail(ErrorCode code, std::string message, std::size_t offset);
  void fail(std::string message) { fail(ErrorCode::Syntax, std::move(message), offset_); }

  void skip_space();
  /// Continues at `offset`, behind a part of the text that another reader took. Requires: offset <= text().size().
  void move_to(std::size_t offset) {
    if (!failed()) offset_ = offset;
  }
  /// True if only white space is left. False after an error.
  [[nodiscard]] bool at_end();
  /// The next character that is not white space; does not take it. '\0' at the end or after an error.
  [[nodiscard]] char peek();
  /// Takes `token` if it is next; an identifier token must end where the word ends.
  bool accept(std::string_view token);
  /// As accept; an error "expected ..., found ..." if the token is not next.
  void expect(std::string_view token);
  /// [A-Za-z_][A-Za-z0-9_]* ; `what` names it in the error.
  std::string_view identifier(std::string_view what);
  /// An identifier with dots, such as torch.float16.
  std::string_view dotted_name(std::string_view what);
  /// An integer with an optional sign, decimal or (0x10) hexadecimal; an error if it does not fit in 64 bits.
  Index integer(std::string_view what);
  /// `(a, b, …)` or `[a, b, …]`, a trailing comma allowed, possibly empty.
  std::vector<Index> integer_list(std::string_view what);
  /// An expression that is not parsed: the text up to the next comma or closing bracket outside of the expression.
  /// Brackets nest and must pair; quoted text is opaque. "f(a, [b]), c" gives "f(a, [b])".
  std::string_view expression(std::string_view what);
  /// An error unless only white space is left.
  void expect_end();
  /// "the end", or the next word or character in quotes: for error messages.
  [[nodiscard]] std::string found();

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::optional<Error> error_;
};

}  // namespace vl
