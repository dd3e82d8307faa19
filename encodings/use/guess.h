// What nests of a rule are guessed from: sizes to look at, and quotients of expressions. Nothing here is a proof.
#pragma once

#include "encodings/map/polynomial.h"
#include "encodings/map/rule.h"

namespace vl::use {

/// Sizes that satisfy the conditions, those on one name first: large ones, at which no level is left out that is kept
/// at some larger ones; smaller ones where conditions want it. Nothing where none are found.
[[nodiscard]] std::optional<map::Sizes> generic_sizes(const map::Rule& rule);

/// Sums of products as a polynomial, whose variables are the names and whatever else is no sum or product. Nothing of
/// more than Polynomial::kVariables of these. Example: 64*(N//64)*M + 1 is 64·v0·v1 + 1, of N//64 and M.
[[nodiscard]] std::optional<map::Polynomial> polynomial_of(const map::Expression& e,
                                                           std::vector<map::Expression>& variables);
/// Nothing where a coefficient has more than 64 bits.
[[nodiscard]] std::optional<map::Expression> expression_of(const map::Polynomial& polynomial,
                                                           const std::vector<map::Expression>& variables);
/// a / b where that is a polynomial with coefficients of 64 bits. Example: 64*(N//64)*M by 64*M is N//64.
[[nodiscard]] std::optional<map::Expression> quotient_of(const map::Expression& a, const map::Expression& b);

}  // namespace vl::use
