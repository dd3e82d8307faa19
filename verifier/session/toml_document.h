// TomlDocument: reads one TOML text, with places. It keeps every error; reads after one give neutral values, so a
// reader needs no checks in between and asks for the errors at the end of whatever stands by itself, a case say.
#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "verifier/session/source_text.h"

namespace vl::session {

class TomlDocument {
 public:
  TomlDocument(std::string file, std::string text);
  TomlDocument(std::string file, std::shared_ptr<const Document> document);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::shared_ptr<const Document>& document() const { return document_; }

  /// The document's root. Error: the text is not TOML, or nests too deep for the library.
  [[nodiscard]] toml::table parse();
  /// Whether parse() refuses the text before it looks at its tables: a line has too many dots, or is too long.
  [[nodiscard]] bool refused();
  /// Where the lines begin that begin with this header, outside strings: of "[[case]]" one for each case.
  [[nodiscard]] std::vector<std::size_t> starts_of(std::string_view header) const;
  /// A part of a document as a document of its own, so that the tables of a long one are not all in memory. From here
  /// on the places of tables are those of this part. Requires: not refused(), and `begin` begins a line.
  [[nodiscard]] toml::table parse_part(std::size_t begin, std::size_t end);
  /// Whether anything is wrong since the errors were taken.
  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  /// What is wrong, in the order in which it was found, each place once. It is forgotten here.
  [[nodiscard]] std::vector<Diagnostic> take_errors() { return wrong_.clear(), std::exchange(errors_, {}); }

  void fail(const toml::source_region& where, std::string message) {
    fail_at(position(where.begin), std::move(message));
  }
  void fail_at(std::size_t at, std::string message);
  /// toml++ counts columns in code points; a position in the document counts bytes.
  [[nodiscard]] std::size_t position(const toml::source_position& where) const;
  /// The letters of a value in the document.
  [[nodiscard]] std::string letters(const toml::node& node) const;
  /// A place without a text, for diagnostics about a value that is not a string.
  [[nodiscard]] SourceText place(const toml::node& node) const;

  void only_keys(const toml::table& table, std::initializer_list<std::string_view> known, std::string_view what);
  std::optional<SourceText> text(const toml::table& table, std::string_view key, bool required);
  /// A string, an integer, or lists of integers, as text: "2:3", "2", "2,3".
  std::optional<SourceText> words(const toml::table& table, std::string_view key);
  std::optional<Index> integer(const toml::table& table, std::string_view key);
  bool flag(const toml::table& table, std::string_view key, bool otherwise);
  Index not_negative(const toml::table& table, std::string_view key);
  std::vector<Index> integers(const toml::node& node, std::string_view key);
  std::vector<Index> integers_at(const toml::table& table, std::string_view key);

 private:
  [[nodiscard]] SourceText located(const std::string& value, std::size_t at) const;

  std::string file_;
  std::shared_ptr<const Document> document_;
  std::size_t first_line_ = 0;  // of the part that was parsed last
  std::vector<Diagnostic> errors_;
  std::set<std::size_t> wrong_;  // where
};

}  // namespace vl::session
