// Nests that a user gives: as the JSON of report/nests.h, as a runtime logs them, in the compact
// notation, or field by field from a case file. What each form looks like is verifier/report/nests.h. The
// forms are recognised by their first characters; numbers are data to be judged, so only what is no transfer
// at all is refused here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "encodings/base/source.h"
#include "encodings/use/nests_text.h"

namespace vl::session {

using use::is_offset;
using use::kMostLoops;
using use::kMostNests;
using use::kNestFields;
using use::nest_of;
using use::NestField;
using use::NestFields;
using use::take_field;

constexpr std::size_t kLargestNestsFile = std::size_t{16} << 20;

/// The transfer that a text says, in whichever form. `direction` is the one expected: the text may not say
/// another, and one that says none (the compact form) has it, or is h2d. Errors with the offset of what is
/// wrong: Syntax, Shape, Value, Overflow.
[[nodiscard]] Result<use::Transfer> parse_nests(std::string_view text, std::optional<use::Direction> direction = {});

/// The same for a file; "-" is standard input.
[[nodiscard]] std::variant<use::Transfer, Diagnostic> read_nests(const std::string& path);

}  // namespace vl::session
