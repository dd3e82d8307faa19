// What is said of a rule's sizes, as a value: p >= 0, p = 0, or p % by = rest. It is put in words once, to be read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/map/rule.h"

namespace vl::engines {

/// Example: P - N >= 0, whose words are "P >= N".
struct Said {
  enum class Kind { NotNegative, Zero, Remainder };
  Kind kind = Kind::NotNegative;
  map::Polynomial p;         // its variables are the rule's symbols, by their numbers
  Index by = 0, rest = 0;    // of a remainder
  map::Condition condition;  // the same, with its words as the text

  [[nodiscard]] const std::string& words() const { return condition.text; }
  [[nodiscard]] bool operator==(const Said& other) const {
    return kind == other.kind && same(p, other.p) && by == other.by && rest == other.rest;
  }
};

/// What is positive stands on the left side, or a number on the right one: "P >= N", "N <= 64", "N = 1", "P % 64 == 8".
/// Nothing where a coefficient has more than 64 bits.
[[nodiscard]] std::optional<Said> said(Said::Kind kind, const map::Polynomial& p, std::span<const std::string> names,
                                       Index by = 0, Index rest = 0);

/// Whether one that is not negative says as much as the other, or more: P >= N + 1 and P >= N. Others imply themselves.
[[nodiscard]] bool implies(const Said& strong, const Said& weak);

/// Conditions that hold together; and alternatives.
using Together = std::vector<Said>;
using Alternatives = std::vector<Together>;

/// Without conditions that another one of the same alternative implies: "N <= 7 and N <= 6" is "N <= 6".
[[nodiscard]] Together without_weaker(Together together);

/// The same of each alternative, and without those that another one implies: "P >= N, or P >= N + 1" is "P >= N".
[[nodiscard]] Alternatives without_implied(Alternatives alternatives);

/// Alternatives that are alike but for one remainder by an even number, joined: P % 64 = 8 and P % 64 = 40 are P % 32 =
/// 8. They are sorted by their words.
[[nodiscard]] Alternatives with_remainders_joined(const Alternatives& alternatives, std::span<const std::string> names);

/// E <= 64 and E >= 64 are E = 64. Sorted by their words.
[[nodiscard]] Together with_bounds_joined(Together together, std::span<const std::string> names);

}  // namespace vl::engines
