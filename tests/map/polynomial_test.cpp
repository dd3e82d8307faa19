// Polynomials against their values at points; what leaves 128 bits fits no more and equals nothing.
#include <gtest/gtest.h>

#include "encodings/map/polynomial.h"
#include "tests/support/property.h"

namespace vl::map {

void showValue(const Polynomial& value, std::ostream& out) {
  out << print(value, std::vector<std::string>{"N", "M", "P"});
}

namespace map_polynomial_test {

const std::vector<std::string> kNames = {"N", "M", "P"};

Polynomial var(std::size_t v) { return Polynomial::variable(v); }

// Of three variables, with small numbers.
auto polynomials() {
  return test::drawn([](test::Engine& engine) {
    Polynomial out;
    for (Index terms = test::roll(engine, 0, 4); terms-- > 0;) {
      Polynomial term(test::roll(engine, -4, 4));
      for (Index powers = test::roll(engine, 0, 3); powers-- > 0;) term = term * var(engine.below(3));
      out = out + term;
    }
    return out;
  });
}
auto points() { return rc::gen::container<std::vector<Index>>(3, test::numbers(-3, 3)); }

TEST(Polynomial, OperationsAreThoseOfTheValuesAtEveryPoint) {
  test::for_all(400, [] {
    const Polynomial a = *polynomials(), b = *polynomials();
    const std::vector<Index> at = *points();
    const Wide x = *a.at(at), y = *b.at(at);
    RC_ASSERT((a + b).at(at) == x + y);
    RC_ASSERT((a - b).at(at) == x - y);
    RC_ASSERT((a * b).at(at) == x * y);
  });
}

TEST(Polynomial, ProductsDistributeOverSums) {
  test::for_all(400, [] {
    const Polynomial a = *polynomials(), b = *polynomials(), c = *polynomials();
    RC_ASSERT(same(a * (b + c), a * b + a * c));
  });
}

TEST(Polynomial, AVariableIsReplacedByItsValueAtEveryPoint) {
  test::for_all(400, [] {
    const Polynomial a = *polynomials(), c = *polynomials();
    const std::vector<Index> at = *points();
    std::vector<Index> moved = at;
    moved[1] = static_cast<Index>(*c.at(at));
    RC_ASSERT(a.with(1, c).at(at) == a.at(moved));
  });
}

TEST(Polynomial, QuotientsUndoProductsAndRestsAreSmall) {
  std::size_t divided = 0, split = 0;
  test::for_all(400, [&] {
    const Polynomial a = *polynomials(), b = *polynomials();
    if (!b.is_zero()) {
      const auto quotient = Polynomial::exact_quotient(a * b, b);
      RC_ASSERT((quotient && same(*quotient, a)));
      ++divided;
    }
    const auto [q, r] = Polynomial::split(a, 3);
    RC_ASSERT(same(q * 3 + r, a));
    for (const Polynomial::Term& term : r.terms()) RC_ASSERT(term.coefficient >= 0 && term.coefficient < 3);
    split += a.terms().size();
  });
  EXPECT_GT(divided, 200U);
  EXPECT_GT(split, 400U);
}

TEST(Polynomial, ADivisionThatLeavesARestHasNoQuotient) {
  EXPECT_FALSE(Polynomial::exact_quotient(var(0) * 3, Polynomial(2)));
  EXPECT_FALSE(Polynomial::exact_quotient(var(0) + 1, var(0)));
  EXPECT_FALSE(Polynomial::exact_quotient(var(0), Polynomial(0)));
  EXPECT_EQ(print(*Polynomial::exact_quotient(var(0) * var(0) - 1, var(0) - 1), kNames), "N + 1");
}

TEST(Polynomial, WhatLeavesItsBoundsFitsNoMoreAndEqualsNothing) {
  Polynomial large(std::numeric_limits<Index>::max());
  large = large * large;  // 2^126
  EXPECT_TRUE(large.fits());
  const Polynomial beyond = large * 4;
  EXPECT_FALSE(beyond.fits());
  EXPECT_FALSE(same(beyond, beyond));
  EXPECT_FALSE((beyond - beyond).fits());
  EXPECT_FALSE(beyond.is_zero());
  EXPECT_FALSE(beyond.constant());
  EXPECT_FALSE(Polynomial::variable(Polynomial::kVariables).fits());
  Polynomial power = var(0);
  for (int k = 0; k < 8; ++k) power = power * power;
  EXPECT_FALSE(power.fits()) << "N^256";
}

TEST(Polynomial, IsPrintedInOneForm) {
  EXPECT_EQ(print(var(1) * var(0) * 42 - var(2) + 1, kNames), "42*N*M - P + 1");
  EXPECT_EQ(print(Polynomial(0), kNames), "0");
  EXPECT_EQ(print(Polynomial(-3) * var(0) * var(0), kNames), "-3*N*N");
}

}  // namespace map_polynomial_test
}  // namespace vl::map
