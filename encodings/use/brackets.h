// Brackets of a code without strings and comments in it: which closes which, and what stands between commas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/stated_numbers.h"

namespace vl::use {

/// The text with blanks in the place of comments and of what stands in quotes; of C, of the preprocessor's lines, too.
/// Every other letter keeps its place.
[[nodiscard]] std::string plain_code(SourceLanguage language, std::string_view text);

class Brackets {
 public:
  /// Takes time in proportion to the code, which has to live as long.
  explicit Brackets(std::string_view code);

  /// Where the bracket that opens at `open` is closed; npos where nothing closes it.
  [[nodiscard]] std::size_t closing(std::size_t open) const { return closing_[open]; }
  /// The parts between commas of what stands within the bracket that opens at `open`, without blanks at their ends, and
  /// without an empty last one. Requires: it is closed.
  [[nodiscard]] std::vector<std::string_view> parts(std::size_t open) const;

 private:
  std::string_view code_;
  std::vector<std::size_t> closing_;  // by places
};

}  // namespace vl::use
