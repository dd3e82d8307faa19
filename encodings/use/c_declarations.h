// C declarations: which names a statement of C or C++ declares, and the number of those that are constants. The
// statement has no comments and no strings in it (c_text.h).
//
// Example: `static constexpr int A = 2 * B, C = 4` declares A with the value 2 * B and C with 4; `auto m = Int<64>{}`
// m with 64; `for (int i = 0; …)`, `void f(int n)` and `template <int N>` declare i, n and N, of which nothing is
// known.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vl::use {

/// Every name that is declared, with its value as an expression of integers and names; empty: not known. Too many are
/// named where that cannot be told, as in `a * b = c`.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> declarations_of(std::string_view statement);

/// What a constant's initial value says: "Int<64>{}", "_64{}" and "64u" are 64; empty if it is no integer expression.
[[nodiscard]] std::string c_value(std::string_view text);

/// Whether a brace opens a scope and no list of initial values. `head`: the statement in front of it; `rest`: from the
/// brace on; `depth`: of the brackets around it in the statement.
[[nodiscard]] bool opens_c_scope(std::string_view head, std::string_view rest, int depth);

/// Of the head of a scope.
[[nodiscard]] bool is_enumeration(std::string_view head);
/// The function that a head defines, without its class; empty if it is none.
[[nodiscard]] std::string_view function_name(std::string_view head);

}  // namespace vl::use
