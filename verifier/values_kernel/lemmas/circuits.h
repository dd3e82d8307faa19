// Circuits: the operations of values.h on codes of literals, for every format. Of constants they give constants, so the
// tests compare them with values.h code by code; of variables they give the clauses that a lemma is about.
//
// A number is ± significand·2^(exponent - bias - fraction). Sums are made of the operand that is greater and the other,
// shifted right; what leaves at the right is kept as one bit, "there is more". One circuit rounds:
//   it shifts the highest bit to the front; an exponent below 1 shifts right again (subnormals); what lies behind the
//   fraction rounds, to nearest, ties to even; a carry out of the fraction is one into the exponent of the code
#pragma once

#include "verifier/values_kernel/lemmas/words.h"
#include "verifier/values_kernel/values.h"

namespace vl::values_kernel {

/// Truths are literals; of constants 1 and -1.
class Circuits : public Words {
 public:
  using Value = Word;

  Word code(const Format& format, Code code) { return constant(code, format.bits); }
  int same(const Word& a, const Word& b) { return equal(a, b); }
  int nan(const Format& format, const Word& code);
  int signalling(const Format& format, const Word& code);
  int infinite(const Format& format, const Word& code);
  int zero(const Format& format, const Word& code);
  int negative(const Format& format, const Word& code);
  /// The order of the numbers, where -0 is before +0. Requires: no NaN.
  int before(const Format& format, const Word& a, const Word& b);

  Word quiet(const Format& format, Word code);
  Word total(const Format&, const Word& a, const Word& b) { return sum(a, b); }
  Word disjunction(const Word& a, const Word& b);
  Word conjunction(const Word& a, const Word& b);
  Word added(const Format& format, const Word& a, const Word& b);
  Word multiplied(const Format& format, const Word& a, const Word& b);
  Word fused(const Format& format, const Word& a, const Word& b, const Word& c);
  Word exponent_of(const Format& format, const Word& code);
  Word packed(const Format& format, unsigned width, const Word& code, const Word& shared);
  Word extreme(const Format& format, MaxRule rule, bool max, const Word& a, const Word& b);
  Word saturated(const Format& format, const Word& a, const Word& b);
  Word converted(const Format& from, const Format& to, const Word& code);

 private:
  struct Real {
    int negative;
    Word exponent, significand;  // the exponent is in two's complement
  };

  Word magnitude(const Format& format, const Word& code) { return part(code, 0, format.bits - 1); }
  Word nan_of(const Format& format, int negative);
  Word infinity_of(const Format& format, int negative);
  Word zero_of(const Format& format, int negative);
  Word key(const Format& format, Word code);
  Real real_of(const Format& format, const Word& code);
  Real widened_to(Real real, std::size_t bits);
  Real product_of(const Format& format, const Word& a, const Word& b);
  Real sum_of(const Real& a, const Real& b);
  Word rounded(const Format& format, Real real);
};

}  // namespace vl::values_kernel
