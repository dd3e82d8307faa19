// Polynomials at the edges of what they can say: the highest power, and quotients that do not exist.
#include "verifier/kernel/core/polynomial.h"

#include <gtest/gtest.h>

#include <optional>

namespace vl::kernel {
namespace kernel_polynomial_test {

Polynomial power(std::uint8_t exponent) {
  Polynomial::Term term{{}, 1};
  term.powers[0] = exponent;
  return Polynomial::of({term});
}

TEST(KernelPolynomial, HasNoPowerAbove255) {
  EXPECT_EQ(power(127) * power(128), power(255));
  EXPECT_THROW(static_cast<void>(power(128) * power(128)), Rejected);  // 256 is 0 in the 8 bits of a power
}

TEST(KernelPolynomial, OverUndoesAProductAndNothingElse) {
  const Polynomial x = Polynomial::variable(0), y = Polynomial::variable(1);
  for (const Polynomial& by : {x + 1, y * 2 - 1, x * -1, Polynomial(3)})
    for (const Polynomial& quotient : {Polynomial(1), x, x - y + 3, x * x - 2})
      EXPECT_EQ((quotient * by).over(by), quotient);
  EXPECT_EQ((x * x + 1).over(x + 1), std::nullopt);
  EXPECT_EQ((x * 3).over(Polynomial(2)), std::nullopt);
  EXPECT_EQ(x.over(Polynomial(0)), std::nullopt);
}

}  // namespace kernel_polynomial_test
}  // namespace vl::kernel
