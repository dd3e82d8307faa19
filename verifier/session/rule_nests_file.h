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

/// The same for a file; "-" is standard input.
[[nodiscard]] std::variant<use::RuleTransfer, Diagnostic> read_rule_nests(const std::string& path);

}  // namespace vl::session
