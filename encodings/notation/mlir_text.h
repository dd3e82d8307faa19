// Pieces of MLIR's notation: where words, strings, brackets and types end. Each takes a text and a place in it, and
// looks forward only.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace vl::mlir {

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Behind blanks and comments.
[[nodiscard]] std::size_t after_blank(std::string_view text, std::size_t at);

/// Behind a word: letters, digits, '_', '.', '$', and '-' between letters of an operation's name. The place itself
/// where none stands there.
[[nodiscard]] std::size_t end_of_word(std::string_view text, std::size_t at);

/// Behind the string that begins at `at`, or the end of the text.
[[nodiscard]] std::size_t behind_string(std::string_view text, std::size_t at);

/// Behind the bracket that closes the one at `at`; nothing if none does, or brackets are too deep. An arrow closes
/// nothing, and neither does a comparison.
[[nodiscard]] std::optional<std::size_t> behind_bracket(std::string_view text, std::size_t at);

/// The length of the type or attribute with which a text begins: a word with its brackets, or brackets alone.
/// Example: 13 of "tensor<2xf32> loc(…)".
[[nodiscard]] std::size_t end_of_type(std::string_view text);

/// The types of "(A, B)", "A, B" or "A into B".
[[nodiscard]] std::vector<std::string_view> types_in(std::string_view text);

/// Whether an operation begins at `at`, which is the first place of its line that is not blank.
[[nodiscard]] bool begins_operation(std::string_view text, std::size_t at);

/// Whether the brace at `at` opens a region, and no dictionary of attributes.
[[nodiscard]] bool begins_region(std::string_view text, std::size_t at);

/// The next word `func.func`, or that word in quotes, that is the first of its line, or behind a brace; npos if there
/// is none.
[[nodiscard]] std::size_t next_function(std::string_view text, std::size_t at);

}  // namespace vl::mlir
