// File numbers: the numbers that a file gives to the names in a layout (encodings/use/stated_numbers.h), as definitions
// with which the layout is read again, and the functions of the file that hide those which families know.
//
// Several names with several numbers go together by the blocks in which they are bound: of
//   if wide: BM, BN = 128, 64
//   else:    BM, BN = 64, 32
// there are two choices, and not four. Names whose blocks differ have no known choices.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/use/scan.h"
#include "encodings/use/stated_numbers.h"
#include "verifier/question/record.h"

namespace vl::session {

constexpr std::size_t kMostChoices = 8;                     // that are judged
constexpr std::size_t kLargestFile = std::size_t{4} << 20;  // bytes; of a longer one no name has a number

/// A finding, read with a choice of numbers.
struct NumberedFound {
  use::Found found;
  std::vector<use::Definition> definitions;  // with which it was read
  std::vector<question::BoundName> bound;    // those of the file among them
};

/// Reads a finding with these definitions; nothing if it then is none.
using FindAgain = std::function<std::optional<use::Found>(std::span<const use::Definition>)>;

/// A name with its numbers at a place, in the order of the file.
struct NumberedName {
  std::string name;
  std::vector<use::StatedNumber> numbers;
};

class FileNumbers {
 public:
  /// `text` is all of the file, and has to live as long.
  FileNumbers(std::string_view file, std::string_view text);

  /// The finding at text[at] with each choice of the numbers that the file gives to names in it, or once, unread, where
  /// the choices are not known; empty if it gives none. Names that are defined otherwise keep those numbers.
  [[nodiscard]] std::vector<NumberedFound> with_numbers(const use::Found& found, std::size_t at,
                                                        const std::vector<use::Definition>& otherwise,
                                                        const FindAgain& again) const;
  /// The line in which the file itself defines what a word means.
  [[nodiscard]] std::optional<std::size_t> defined(std::string_view word, std::size_t at) const;
  /// The line in which it gives a name a value that is no number here, as n = rows // 8 does.
  [[nodiscard]] std::optional<std::size_t> computed(std::string_view name, std::size_t at) const;
  [[nodiscard]] use::Surroundings around(std::size_t at) const { return stated_.around(at); }

 private:
  // What a layout is read with: each choice gives a number to every name. Or why there are none.
  struct Choices {
    std::vector<std::vector<question::BoundName>> all = {};
    std::string refused = {};
  };
  [[nodiscard]] std::size_t line_of(std::size_t offset) const;
  [[nodiscard]] std::vector<NumberedName> names_at(std::size_t at, std::size_t length,
                                                   const std::vector<use::Definition>& otherwise) const;
  [[nodiscard]] Choices choices_of(const std::vector<NumberedName>& names) const;

  std::string_view text_;
  use::StatedNumbers stated_;
  std::vector<std::size_t> lines_;  // where they end
};

}  // namespace vl::session
