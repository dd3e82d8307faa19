// Nests from a user: as JSON, as a runtime's log, in the compact notation, or field by field from a case file.
// verifier/report/nests.h describes the forms, which are recognised by their first characters. Numbers are data to be
// judged, so only texts that are not a transfer are refused here.
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

/// The transfer of a text in any form. The text may not contradict the expected `direction`; a text without a direction
/// (the compact form) has that one, or else h2d. Errors, with their offset: Syntax, Shape, Value, Overflow.
[[nodiscard]] Result<use::Transfer> parse_nests(std::string_view text, std::optional<use::Direction> direction = {});

/// The same for a file; "-" is standard input.
[[nodiscard]] std::variant<use::Transfer, Diagnostic> read_nests(const std::string& path);

}  // namespace vl::session
