// Nests for all sizes from a user: the JSON of nests (report/nests.h), in which a text like "64*(N//64)" may stand for
// a number. What `nests` prints besides (scope, symbols, where) is not looked at: conditions are the case's.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "encodings/base/source.h"
#include "encodings/use/rule_nests.h"

namespace vl::session {

/// Errors, with their offset: Syntax, Shape, Value, Overflow.
[[nodiscard]] Result<use::RuleTransfer> parse_rule_nests(std::string_view text);

using AnyNests = std::variant<use::Transfer, use::RuleTransfer, Diagnostic>;
/// The nests of a file, "-" is standard input: with names where `named` says so, and of one size (`at_sizes`) of either
/// kind, in any form of nests.h. Numbers may stand in quotes. Errors: those of the JSON with names, and where nests of
/// numbers are read and the text is no such JSON, theirs.
[[nodiscard]] AnyNests read_any_nests(const std::string& path, bool named, bool at_sizes);

}  // namespace vl::session
