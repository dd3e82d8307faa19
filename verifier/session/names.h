// Names: the names that the texts of a question have, and what is said of names that none of them has. Numbers for
// names
// (--define BM=128) and conditions on them (--where 'N >= 2') are put to use, or refused: whoever gives them means a
// text, and a number for a name that is spelt otherwise there would be lost.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "encodings/use/scan.h"
#include "verifier/session/cases.h"

namespace vl::session {

/// Whether a number could take the place of this name in a text of the question: of its layout, its tensor, its strides
/// and offsets, its box, its claims. So an axis (m of 1@m) is none, nor is f16 of f16[8]. Conditions do not count. A
/// file of nests is no text, so nests with names have every name.
[[nodiscard]] bool has_name(const CaseRequest& request, std::string_view name);

/// Puts numbers in the place of names, in every text of the question. The diagnostic points into a text that cannot be
/// read with them, or states the first definition that none of the texts uses.
[[nodiscard]] std::optional<Diagnostic> define(CaseRequest& request, const std::vector<use::Definition>& definitions);

/// What is wrong with the conditions of a question: one of which no name stands in a text, nor in another condition
/// that has such a name; or one that does not hold of a question without names. Syntax is left to whoever reads them.
/// Example: of f16[N,64], M >= 3 is unused, and N = 8*K, K >= 2 are used.
[[nodiscard]] std::optional<Diagnostic> wrong_condition(const CaseRequest& request);

}  // namespace vl::session
