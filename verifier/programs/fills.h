// Fills: what to write into padding so that none reaches what a function returns.
//
// In words a fill is a mask of the program (neutral/program/place.h), the cheapest ones that are found. Where the
// user's notation has an operation that writes padding, which of those that are read is `d2m.mask` alone, it is also an
// edit of the text: two lines behind the operation whose result is filled, and its name in later ones.
// An edit is given only if the edited text, read again, is proved.
//
// Example: of a sum over %x = 64x50 in tiles of 32x32, of which nothing says what the padding holds, the lines
//   %x.filled.to = d2m.empty() : T
//   %x.filled = d2m.mask %x, %x.filled.to logical_shape = [64, 50] fill_value = <zero> : T into T -> T
#pragma once

#include <string>
#include <vector>

#include "verifier/programs/text.h"
#include "verifier/question/record.h"

namespace vl::programs {

/// The fills of a function that is not proved, a line each; "no masks were found that prove it".
[[nodiscard]] std::vector<std::string> fills_of(const neutral::program::Program& program);

/// The edits of a function that prove all that it returns; none: no edit says it.
struct PatchOf {
  std::vector<std::string> words;  // "after line 12, d2m.mask of %x with <zero>"
  std::vector<question::Hunk> hunks;
};
[[nodiscard]] PatchOf patch_of(const Text& text, const mlir::Function& function, const ReadProgram& read);

}  // namespace vl::programs
