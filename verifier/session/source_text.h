// SourceText: a piece of a user's text with its place, so that an error inside it points at the right place, also if
// the piece is a string inside a TOML file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "encodings/base/source.h"

namespace vl::session {

struct SourceText {
  std::string text;                          // the text itself
  std::string file;                          // "cases.toml", "--layout"
  std::shared_ptr<const Document> document;  // the whole file; null if the text is not part of a file
  std::size_t at = 0;                        // the start of the text in the document
  bool verbatim = true;                      // the document, or the file, has the same letters (no escapes)
  std::size_t line = 0;                      // where the text stands in a file that is not kept as a document
  std::size_t column = 0;
  std::shared_ptr<const std::string> contents = nullptr;  // of the file that the text names, in place of the file

  /// The text of a command-line option.
  static SourceText option(std::string name, std::string text) {
    return {std::move(text), std::move(name), nullptr, 0, true, 0, 0, nullptr};
  }

  [[nodiscard]] Diagnostic diagnose(const Error& error) const {
    if (!document) {
      Diagnostic found = locate(file, text, error);
      if (line == 0) return found;
      found.column = !verbatim ? column : found.line > 1 ? found.column : column + found.column - 1;
      found.line = verbatim && found.line > 1 ? line + found.line - 1 : line;
      return found;  // the caret is at the error in any case
    }
    return locate(file, *document, {error.code, error.message, at + (verbatim ? error.offset : 0)});
  }
};

/// What a file says (encodings/base/files.h), which is to be `what` ("a case file") of at most so many bytes.
[[nodiscard]] std::variant<std::string, Diagnostic> read_file(const std::string& path, std::string_view what,
                                                              std::size_t most);

}  // namespace vl::session
