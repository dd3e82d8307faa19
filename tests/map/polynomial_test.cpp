// Polynomials against their values at points; what leaves 128 bits fits no more and equals nothing.
#include <gtest/gtest.h>

#include <random>

#include "encodings/map/polynomial.h"

namespace vl::map {
namespace map_polynomial_test {

const std::vector<std::string> kNames = {"N", "M", "P"};

Polynomial var(std::size_t v) { return Polynomial::variable(v); }

// A random polynomial of three variables with small numbers.
Polynomial random_polynomial(std::mt19937& random) {
  Polynomial out;
  for (int terms = static_cast<int>(random() % 5); terms-- > 0;) {
    Polynomial term(static_cast<Index>(random() % 9) - 4);
    for (int powers = static_cast<int>(random() % 4); powers-- > 0;) term = term * var(random() % 3);
    out = out + term;
  }
  return out;
}

TEST(Polynomial, OperationsAreThoseOfTheValuesAtEveryPoint) {
  std::mt19937 random(7);
  std::size_t compared = 0;
  for (int k = 0; k < 400; ++k) {
    const Polynomial a = random_polynomial(random), b = random_polynomial(random), c = random_polynomial(random);
    const std::vector<Index> at = {static_cast<Index>(random() % 7) - 3, static_cast<Index>(random() % 7) - 3,
                                   static_cast<Index>(random() % 7) - 3};
    const Wide x = *a.at(at), y = *b.at(at);
    ASSERT_TRUE((a + b).at(at) == x + y);
    ASSERT_TRUE((a - b).at(at) == x - y);
    ASSERT_TRUE((a * b).at(at) == x * y);
    ASSERT_TRUE(same(a * (b + c), a * b + a * c));
    std::vector<Index> moved = at;
    moved[1] = static_cast<Index>(*c.at(at));
    ASSERT_TRUE(a.with(1, c).at(at) == a.at(moved));
    if (!b.is_zero()) {
      const auto quotient = Polynomial::exact_quotient(a * b, b);
      ASSERT_TRUE(quotient && same(*quotient, a));
    }
    const auto [q, r] = Polynomial::split(a, 3);
    ASSERT_TRUE(same(q * 3 + r, a));
    for (const Polynomial::Term& term : r.terms()) ASSERT_TRUE(term.coefficient >= 0 && term.coefficient < 3);
    compared += a.terms().size();
  }
  EXPECT_GT(compared, 400U);
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
