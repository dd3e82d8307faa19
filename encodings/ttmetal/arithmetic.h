// Arithmetic on the numbers of a spec: integers, of which a result may leave 64 bits; or expressions, in a form in
// which what divides is found again.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "encodings/map/expression.h"

namespace vl::ttmetal {

using map::Expression;

/// N: Index, or Expression. Requires: divisors are at least 1.
template <class N>
class Arithmetic;

template <>
class Arithmetic<Index> {
 public:
  /// Whether a result has left 64 bits. Those from then on say nothing.
  [[nodiscard]] bool overflows() const { return overflows_; }
  Index times(Index a, Index b) {
    const auto product = checked_mul(a, b);
    overflows_ = overflows_ || !product;
    return product.value_or(1);
  }
  static Index divided_up(Index a, Index b) { return ceil_div(a, b); }
  /// ceil(value / step) · step.
  Index rounded_up(Index value, Index step) { return times(ceil_div(value, step), step); }
  static Index remainder(Index a, Index b) { return a % b; }
  /// 1 where there is nothing. A name stands for no number below 1, but where a condition says so.
  static Index some(Index a) { return a < 1 ? 1 : a; }
  static std::string word_of(Index a) { return fmt::format(" {}", a); }

 private:
  bool overflows_ = false;
};

template <>
class Arithmetic<Expression> {
 public:
  [[nodiscard]] static bool overflows() { return false; }
  // Without a factor 1, so that factors are found again.
  static Expression times(const Expression& a, const Expression& b) {
    return a.number() == 1 ? b : b.number() == 1 ? a : a * b;
  }
  // a / b, where b is a factor of a product: what divides is at least 1 in every instance.
  static std::optional<Expression> exact_quotient(const Expression& a, const Expression& b) {
    if (a == b) return Expression(1);
    if (b.number() == 1) return a;
    const auto number = a.number(), by = b.number();
    if (number && by && *by > 0 && *number % *by == 0) return Expression(*number / *by);
    if (a.kind() != Expression::Kind::Product) return std::nullopt;
    if (const auto first = exact_quotient(a.parts()[0], b)) return times(*first, a.parts()[1]);
    if (const auto second = exact_quotient(a.parts()[1], b)) return times(a.parts()[0], *second);
    return std::nullopt;
  }
  static Expression divided_up(const Expression& a, const Expression& b) {
    const auto exact = exact_quotient(a, b);
    return exact ? *exact : Expression::of(Expression::Kind::Ceil, a, b);
  }
  static Expression rounded_up(const Expression& value, const Expression& step) {
    return exact_quotient(value, step) ? value : divided_up(value, step) * step;
  }
  static Expression remainder(const Expression& a, const Expression& b) {
    return Expression::of(Expression::Kind::Remainder, a, b);
  }
  static const Expression& some(const Expression& a) { return a; }
  /// Nothing where it has a name: what is said of it is a law, in its own words.
  static std::string word_of(const Expression& a) { return a.number() ? fmt::format(" {}", *a.number()) : ""; }
};

/// The k-th from the end, from 1; else 1.
template <class N>
[[nodiscard]] N from_end(const std::vector<N>& values, std::size_t k) {
  return k <= values.size() ? values[values.size() - k] : N(1);
}

}  // namespace vl::ttmetal
