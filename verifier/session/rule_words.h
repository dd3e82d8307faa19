// Rules in words, for answers and for what case files expect of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/rule.h"
#include "verifier/question/record.h"

namespace vl::session {

/// The extents of the physical dimensions.
[[nodiscard]] std::vector<map::Expression> extents_of(const map::Rule& rule);
/// The number of elements and replicas.
[[nodiscard]] map::Expression points_of(const map::Rule& rule);

/// Whether the layout itself has a name, and not only its tensor. A layout of numbers is one layout, and no rule.
/// Defined in reading.cpp.
[[nodiscard]] bool has_own_names(const map::Rule& rule);

/// In words, simplified, with the symbols in the rule's order: "42*N*M".
[[nodiscard]] std::string print_of(const map::Rule& rule, const map::Expression& expression);

/// The same, of a number that an answer gives: made of integers, names, + - * // %, parentheses and ceil(a/b). Nothing
/// where a minimum, a maximum or a choice is left in it.
[[nodiscard]] std::optional<std::string> value_of(const map::Rule& rule, const map::Expression& expression);

/// The rule's symbols, the conditions that were given, and when an instance fits in 64 bits.
[[nodiscard]] question::RuleView view_of(const map::Rule& rule, const std::vector<map::Condition>& where);

/// Whether "P >= N or M = 1 and A = 1" and another such text have the same alternatives, in any order.
[[nodiscard]] bool same_alternatives(std::string_view a, std::string_view b);
/// Whether two printed expressions are the same polynomial of the same parts.
[[nodiscard]] bool same_value(const std::string& a, const std::string& b);

}  // namespace vl::session
