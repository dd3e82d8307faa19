// Stated numbers: what a source says of the names in it. A name has a number at a place if the source binds it there to
// an integer, or to an expression of integers and such names, and nothing else can have bound it. It may have several
// numbers, one in each of several blocks. Of every other name nothing is said: of parameters, names of loops, what is
// computed, what is assigned again where it cannot be told apart, what another file gives.
//
//   Python: scopes are functions, classes and the file. In the scope of the place the assignments count that reach it
//     (those of a closed `if` and of what precedes it; those of a whole loop around it); of a scope around its function
//     those that reach the function's definition and all that follow it.
//   C and C++: scopes are braces. Constants count (const, constexpr, #define, `auto b = Int<64>{}`), in the innermost
//     scope that declares the name. Alternatives of #if are several numbers.
//   Markdown: the blocks of code, each on its own, by its language.
//   Others: nothing.
//
// Example: of
//   93  NUM_CONSUMER = 2
//   94  BLK_M, BLK_N = 128, 64
//   95  def kernel(BLK_N):
//   96      TILE = BLK_M // NUM_CONSUMER
// in line 97 of that function TILE has the number 64, of line 96, BLK_M has 128, of line 94, and BLK_N has none.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::use {

struct StatedNumber {
  Index value = 0;
  std::size_t offset = 0;  // of the statement that binds it
  std::size_t block = 0;   // in which it stands: names that are bound in the same blocks change together
};

/// What stands around a place.
enum class Surroundings {
  Unknown,  // the language is not known
  Code,     // strings that are arguments or items included
  Prose,    // a comment, a string by itself, text between blocks of code
};

/// One block of source; its offsets are its own.
class NamesOfSource {
 public:
  virtual ~NamesOfSource() = default;
  /// Whether it binds any name to anything.
  [[nodiscard]] virtual bool binds() const = 0;
  /// The numbers of a name at a place, in the order of the source; empty if nothing is known.
  [[nodiscard]] virtual std::vector<StatedNumber> numbers(std::string_view name, std::size_t at) const = 0;
  /// Where the source itself defines what this name means at a place, as a function, a class, a parameter or by an
  /// assignment. Imports and `S = T.S` do not.
  [[nodiscard]] virtual std::optional<std::size_t> defined(std::string_view name, std::size_t at) const = 0;
  /// Where the source gives a name at a place a value that is no number here: by an assignment, a loop or an import,
  /// and not as a parameter alone, unless a decorator lists its values. Nothing in a language in which that is not
  /// known.
  [[nodiscard]] virtual std::optional<std::size_t> computed(std::string_view name, std::size_t at) const;
  [[nodiscard]] virtual bool in_prose(std::size_t at) const = 0;
  /// The statement around a place: begin and end; none in a comment.
  [[nodiscard]] virtual std::optional<std::pair<std::size_t, std::size_t>> statement(std::size_t at) const = 0;
};

/// The text has to live as long.
[[nodiscard]] std::unique_ptr<NamesOfSource> python_names(std::string_view text);
[[nodiscard]] std::unique_ptr<NamesOfSource> c_names(std::string_view text);

enum class SourceLanguage { None, Python, C };

/// The names of a text in that language, which has to live as long; null of a text in no language.
[[nodiscard]] std::unique_ptr<NamesOfSource> names_of(SourceLanguage language, std::string_view text);

/// A block of code: a whole file, or what stands between the fences of Markdown.
struct SourceBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  SourceLanguage language = SourceLanguage::None;
  bool named = false;  // the file's name, or its fence, says the language; else the text does, or nothing
};
/// Those of a text, in order. Of a file of another language it is one block without a language.
[[nodiscard]] std::vector<SourceBlock> source_blocks(std::string_view file, std::string_view text);

/// The same for a file, whose language its name says, or its text where the name does not.
class StatedNumbers {
 public:
  /// The text has to live as long.
  StatedNumbers(std::string_view file, std::string_view text);
  StatedNumbers(StatedNumbers&&) noexcept;
  StatedNumbers& operator=(StatedNumbers&&) noexcept;
  ~StatedNumbers();

  /// Whether any name is bound in the block of source at a place; a log of a hundred thousand layouts binds none.
  [[nodiscard]] bool binds(std::size_t at) const;
  [[nodiscard]] std::vector<StatedNumber> numbers(std::string_view name, std::size_t at) const;
  [[nodiscard]] std::optional<std::size_t> defined(std::string_view name, std::size_t at) const;
  [[nodiscard]] std::optional<std::size_t> computed(std::string_view name, std::size_t at) const;
  [[nodiscard]] Surroundings around(std::size_t at) const;
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> statement(std::size_t at) const;

 private:
  struct Block;
  [[nodiscard]] const Block* block_at(std::size_t at) const;

  std::vector<Block> blocks_;
  bool known_ = false;      // the file's name says the language
  bool has_prose_ = false;  // what is in no block is prose
};

}  // namespace vl::use
