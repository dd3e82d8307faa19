// Words: a set of codes as people read it: "any", "finite", "0" (both zeros), "+0", "{1}", "[2 .. 4]", "-inf", "NaN",
// joined by |. NaN stands for every quiet NaN, signalling or not; some NaNs alone are listed as codes. At most 6 parts
// are listed.
#pragma once

#include <string>

#include "encodings/values/code_set.h"

namespace vl::neutral {

/// Example: f16 {0x0000, 0x8000, 0x3C00} is "0 | {1}"; the empty set is "nothing".
[[nodiscard]] std::string set_in_words(const values::Format& format, const values::CodeSet& set);

/// The number of a code alone: "1", "-0", "NaN", "0.333252".
[[nodiscard]] std::string number_in_words(const values::Format& format, values::Code code);

}  // namespace vl::neutral
