// The place of an error, for readers: file, line, column, the line itself, and a caret under the place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"

namespace vl {

/// An error with its place. Lines and columns count from 1; 0 means that the error has no place.
struct Diagnostic {
  std::string file;  // a path, or the origin of the text: "--layout", "<stdin>"
  std::size_t line = 0;
  std::size_t column = 0;
  std::string message;
  std::string excerpt;    // the line of text, cut to a window around the column; empty if there is none
  std::size_t caret = 0;  // the caret's distance from the start of the excerpt, in bytes

  bool operator==(const Diagnostic&) const = default;
};

/// Finds line and column of `error.offset` in `text`. For text "ab\ncd", offset 4 is line 2, column 2.
[[nodiscard]] Diagnostic locate(std::string_view file, std::string_view text, const Error& error);

/// How many '\n' a text has.
[[nodiscard]] std::size_t count_lines(std::string_view text);

/// Whether every byte is below 0x80.
[[nodiscard]] bool is_ascii(std::string_view text);

/// A text that is asked for many places: a line is found by bisection.
class Document {
 public:
  explicit Document(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Where each line begins, the first at 0. The text "ab\ncd" has 0 and 3.
  [[nodiscard]] std::span<const std::size_t> line_starts() const { return starts_; }
  /// Whether all of it is ASCII: then columns are bytes.
  [[nodiscard]] bool is_ascii() const { return is_ascii_; }

 private:
  std::string text_;
  bool is_ascii_ = false;
  std::vector<std::size_t> starts_;
};

/// The same as of its text.
[[nodiscard]] Diagnostic locate(std::string_view file, const Document& document, const Error& error);

/// "file:3:9: message", printable (encodings/base/printable.h).
[[nodiscard]] std::string headline(const Diagnostic& diagnostic);

/// The headline, then the excerpt, then a caret under the column, each on its own line.
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

}  // namespace vl
