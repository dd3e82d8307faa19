// States: what a fill may hold, as people write it, and as a set of codes of one type.
//
//   any unwritten   every code                 0        both zeros             +0 -0   one zero
//   inf -inf        an infinity                NaN      every NaN              finite  every code but those
//   {1, -1}         these numbers              [lo..hi] the numbers from lo to hi, ends included, and both zeros
//   bits:0x7FFF     one code                            between; no NaN
//   valid           a code that valid elements may hold: the contents
//
// joined by |. Contents have two words more, non-nan and no-negative-zero, which are every code without those.
// A number is an integer of the type, or is read as the nearest f64: in braces it has to be a number of the type, and
// an integer has to be that f64, so 2^53 + 1 is an error; of more than 17 digits these have to be the f64's. {0} is +0.
// Example: in f16 "0 | {1}" is {0x0000, 0x3C00, 0x8000}; in dl16 "-inf" is an error, as there is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "encodings/base/result.h"
#include "encodings/values/code_set.h"

namespace vl::values {

/// The state's codes, at least one. `valid` is null where the word has no meaning: in the text of contents.
[[nodiscard]] Result<CodeSet> parse_state(std::string_view text, const Format& format, const CodeSet* valid);

/// What a fill of tt-mlir writes: zero (+0), one, inf, neginf; of integers inf and neginf are the greatest and the
/// least. Nothing: the format has no such number. Requires: one of these words. Source: getFillValueAttr of tt-mlir.
[[nodiscard]] std::optional<CodeSet> codes_of_fill(std::string_view fill, const Format& format);

/// A code as people read it, with its number: "0x8000 (-0)", "0x3c00 (1)", "0x7e00 (NaN)", "0xff (-1)" of i8.
[[nodiscard]] std::string in_words(const Format& format, Code code);
/// The code alone, with all of its digits: "0x8000", "0x00000000".
[[nodiscard]] std::string in_digits(const Format& format, Code code);

}  // namespace vl::values
