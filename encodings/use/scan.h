// Scan: the layouts of a family in a longer text, such as a log, a source or an IR dump.
//
// A layout begins at an anchor: a word and the bracket behind it, as in `SpyreTensorLayout(` or `S[`. The reader of a
// file finds the anchors and gives the family a passage around each; the family says which layouts stand there. What it
// says depends on the passage alone, and a passage always reaches kBefore bytes back and kAhead bytes ahead, or to an
// end of the file. So the findings do not depend on the blocks in which the file was read. A family may remember names
// that the file defines (MLIR's aliases), which only the order of the anchors decides.
//
// Example: in `[12:00:01] buf0 = FixedTiledLayout('spyre:0', torch.float16, size=[2, 64], stride=[64, 1],
// device_layout=SpyreTensorLayout(device_size=[1, 2, 64], stride_map =[64, 64, 1],
// device_dtype=DataFormats.SEN169_FP16))` the anchor is `SpyreTensorLayout(`; the finding is that call, with the tensor
// f16[2,64] and the strides 64, 1.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::use {

constexpr std::size_t kBefore = 4096;       // bytes of a passage in front of the anchor's bracket
constexpr std::size_t kAhead = 64U * 1024;  // bytes behind its start: no layout text is longer

/// A name in a layout text that stands for an integer: --define BM=128.
struct Definition {
  std::string name;
  Index value = 0;

  bool operator==(const Definition&) const = default;
};

/// Reads NAME=INTEGER; the name may have dots. Error: Syntax.
[[nodiscard]] Result<Definition> read_definition(std::string_view text);

/// The text with every defined name replaced by its number, a negative one in parentheses. A name in quotes, behind '@'
/// (an axis), in front of '(' or '[' (it is called), or in front of '=' (a keyword) stays.
/// Example: BM = 64 in "S[(BM, BM // 2) : (1 @ BM, 1)]" gives "S[(64, 64 // 2) : (1 @ BM, 1)]".
[[nodiscard]] std::string bound(std::string_view text, std::span<const Definition> definitions);

/// Names that a file defines, with what stands for each: "#l1" and "#ttcore.memory_space<l1>".
using Names = std::map<std::string, std::string, std::less<>>;

/// The beginning of a layout. A word may be a sign, ')'. Between the word of a `field` and its bracket may stand
/// quotes, blanks and one of '=' and
/// ':', as in `"device_size": [`; otherwise nothing but colour codes may.
struct Anchor {
  std::string_view word;
  char bracket = '(';
  bool field = false;
};

/// A part of a file around an anchor.
struct Passage {
  std::string_view text;
  std::size_t word = 0;     // where the anchor's word begins
  std::size_t bracket = 0;  // its bracket
  std::span<const Definition> definitions = {};
  Names* names = nullptr;  // of this file and family so far; null: none is remembered
  bool prose = false;      // it is in a comment, in a string that is no argument, or between blocks of code
  bool asked = false;      // the layouts of this family alone are looked for
};

/// One layout in a passage.
struct Found {
  std::size_t offset = 0;  // in the passage
  std::size_t length = 0;
  std::string layout;  // without line breaks, colour codes and the prefixes of a log's lines; names bound
  std::optional<std::string> tensor;   // what the text says of it, as --tensor would
  std::optional<std::string> strides;  // as --strides would
  Index storage_offset = 0;
  std::string reason;  // not empty: nothing is decided whatever the tensor, and why; "'BM' is a name, not a number"
  /// Not empty: the layout is a rule in these names, and may be judged for all sizes.
  std::vector<std::string> names = {};
  /// The text states no type, or no shape, for `tensor`: elements of 8 bits, or the layout's own number of elements.
  bool assumed = false;
  std::string no_tensor = {};     // why no tensor can be assumed, if there is more to say than that none is stated
  std::string_view read_by = {};  // the family that reads the text, where it is not the one that found it
  /// Not empty: the text is a layout's, and is not read for this `reason`; in the words by which such texts are
  /// counted, as in "18 layout expressions seen, 2 read, 12 with names that nothing binds, 4 `tile_to_shape`".
  std::string unread = {};

  bool operator==(const Found&) const = default;
};

/// The words for some reasons.
constexpr std::string_view kUnboundNames = "with names that nothing binds";
constexpr std::string_view kAbbreviated = "abbreviated";
constexpr std::string_view kUnclosed = "with a bracket that is not closed";
constexpr std::string_view kDefinedHere = "calls of what the file itself defines";
constexpr std::string_view kSeveralNumbers = "with names that have several numbers";
constexpr std::string_view kOtherNotation = "in a notation that is not read";

/// Leaves a layout unread, for a reason.
inline void leave_unread(Found& found, std::string_view counted_as, std::string reason) {
  found.unread = counted_as;
  found.reason = std::move(reason);
}

/// A family's part of a scan. A layout that cannot be read although all of it is there is found with some tensor, so
/// that its reading gives the error. A text that only looks like a layout (a declaration, a subscript of another
/// language) is not found.
struct Scan {
  std::span<const Anchor> anchors;
  /// The layouts at an anchor, in order; mostly none or one. They begin at the anchor or shortly before it.
  std::vector<Found> (*at)(const Passage& passage, const Anchor& anchor) = nullptr;
  /// What a line has in front of the name of a compiler's pass, where a file holds the module after each pass; the name
  /// ends in front of `behind`. Names that the file defines are those of one module. Empty: there are none.
  std::string_view pass = {};
  std::string_view behind_pass = {};
  /// Functions of which a layout is an argument and its tensor another: FixedTiledLayout.
  std::span<const std::string_view> calls = {};
};

[[nodiscard]] constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a word stands in the text, and not as a part of another one: N in "N + 1", and not in "NN".
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

/// Whether the word at `at` is declared there and not called: `class TileLayout(`, `def f(`, `~TileLayout(`.
[[nodiscard]] bool is_declared(std::string_view text, std::size_t at);

/// Whether a call's arguments are parameters with types, as in `int64_t n`, `std::vector<…> v` or `n: int`.
[[nodiscard]] bool has_parameters(std::string_view call);

/// Whether a call's argument ends at `end`: a comma or a closing parenthesis is next, behind blanks, line breaks and
/// comments. Of S[…].tile(…) the end of S[…] is none.
[[nodiscard]] bool ends_argument(std::string_view text, std::size_t end);

/// Whether a part of the text is left out: three dots or the one character for them.
[[nodiscard]] bool is_abbreviated(std::string_view text);

/// The start of a colour code (ESC [ … m) that ends in front of `end`, or `end` if there is none.
[[nodiscard]] std::size_t before_colours(std::string_view text, std::size_t end);

}  // namespace vl::use
