// Numbers of a spec as expressions, in a form in which what divides is found again.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/expression.h"

namespace vl::ttmetal {

using map::Expression;

// a * b, without a factor 1, so that factors are found again.
inline Expression times(const Expression& a, const Expression& b) {
  return a.number() == 1 ? b : b.number() == 1 ? a : a * b;
}
// a / b, where b is a factor of a product: what divides is at least 1 in every instance.
inline std::optional<Expression> exact_quotient(const Expression& a, const Expression& b) {
  if (a == b) return Expression(1);
  if (b.number() == 1) return a;
  const auto number = a.number(), by = b.number();
  if (number && by && *by > 0 && *number % *by == 0) return Expression(*number / *by);
  if (a.kind() != Expression::Kind::Product) return std::nullopt;
  if (const auto first = exact_quotient(a.parts()[0], b)) return times(*first, a.parts()[1]);
  if (const auto second = exact_quotient(a.parts()[1], b)) return times(a.parts()[0], *second);
  return std::nullopt;
}
inline Expression divided_up(const Expression& a, const Expression& b) {
  const auto exact = exact_quotient(a, b);
  return exact ? *exact : Expression::of(Expression::Kind::Ceil, a, b);
}
inline Expression rounded_up(const Expression& value, const Expression& step) {
  return exact_quotient(value, step) ? value : divided_up(value, step) * step;
}
// a + 1.
inline Expression behind(const Expression& a) {
  const bool less_one = a.kind() == Expression::Kind::Difference && a.parts()[1].number() == 1;
  return less_one ? a.parts()[0] : a + 1;
}
inline Expression remainder(const Expression& a, const Expression& b) {
  return Expression::of(Expression::Kind::Remainder, a, b);
}

// The k-th from the end, from 1; else 1.
inline Expression value_from_end(const std::vector<Expression>& values, std::size_t k) {
  return k <= values.size() ? values[values.size() - k] : Expression(1);
}

}  // namespace vl::ttmetal
