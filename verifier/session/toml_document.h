// TomlDocument: reads one TOML text, with places. It keeps the first error; later reads give neutral values, so a
// reader needs no checks in between and asks error() once at its end.
#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "verifier/session/source_text.h"

namespace vl::session {

class TomlDocument {
 public:
  TomlDocument(std::string file, std::string text);

  /// The document's root. Error: the text is not TOML, or nests too deep for the library.
  [[nodiscard]] toml::table parse();
  [[nodiscard]] const std::optional<Diagnostic>& error() const { return error_; }

  void fail(const toml::source_region& where, std::string message) {
    fail_at(position(where.begin), std::move(message));
  }
  void fail_at(std::size_t at, std::string message);
  /// toml++ counts columns in code points; a position in the document counts bytes.
  [[nodiscard]] std::size_t position(const toml::source_position& where) const;
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
  std::shared_ptr<const std::string> document_;
  std::vector<std::size_t> line_starts_;
  std::optional<Diagnostic> error_;
};

}  // namespace vl::session
