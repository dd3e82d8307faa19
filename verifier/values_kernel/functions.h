// Pointwise functions on codes, in integers alone: what each result may be.
//
// A result that is NaN may be every quiet NaN. Of functions that implementations approximate these facts are taken as
// they are, and each bound is rounded outwards, as a faithful result never lies beyond a code that the exact value does
// not lie beyond (x a number that is not 0; inf: NaN in formats without):
//
//   relu 0 | x, a zero of either sign           rsqrt 2^-ceil((e+1)/2) .. 2^-floor(e/2) of 2^e <= x < 2^(e+1)
//   exp 2^floor(x·log2 e) .. 2^ceil(x·log2 e)   exp2 alike                   expm1 max(x, -1) .. -0 | x .. exp
//   log 0 .. e + 1 | e .. -0, log 1 = +0        log1p -64 .. x | 1/2·min(x, 1) .. x
//   sin -1 .. 1, of x's sign if |x| <= 3        cos -1 .. 1, tan any number
//   asin -2 .. x | x .. 2        acos 0 .. 4, acos 1 = +0
//   atan, tanh, softsign of x's sign, at most |x|, and 2, 1, 1               erf of x's sign, at most 1
//   sigmoid, hardsigmoid 0 .. 1                 gelu, silu -1 .. -0 | 0 .. x selu -2 .. -0 | x .. MAX
//   erfc 1 .. 2 | 0 .. 1
//
// and of 0 and infinities what of_zero() and of_infinity() list. Of two whole numbers as near, round gives the even
// one, and roundaway that of larger magnitude.
//
// Example: f16 exp(0x3C00) is [2 .. 4]; recip(+0) is inf; in dl16, which has none, it is NaN.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "verifier/values_kernel/values.h"

namespace vl::values_kernel {

/// Numbers from one place (Format::place) to another, none if low > high, and NaN.
struct Results {
  std::int64_t low = 1, high = 0;
  bool quiet = false;
  bool signalling = false;  // signalling NaN too

  [[nodiscard]] bool has_numbers() const { return low <= high; }
};
[[nodiscard]] Results hull_of(const Results& a, const Results& b);
/// Every number, and every quiet NaN of a float.
[[nodiscard]] Results anything(const Format& format);

// clang-format off
enum class Pointwise {
  Neg, Abs, Square, Sign, Signbit, Ceil, Floor, Trunc, Round, Roundaway, Frac, Eqz, Nez, Gtz, Gez, Ltz, Lez, Recip, Sqrt, Cast,
  Relu, Rsqrt, Exp, Exp2, Expm1, Log, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Tanh, Sigmoid, Hardsigmoid, Gelu, Silu,
  Selu, Softsign, Erf, Erfc,
  Add, Sub, Mul, Div, Max, Min, Eq, Ne, Lt, Le, Gt, Ge, And, Or, Xor, Pow, Where,
};
// clang-format on
[[nodiscard]] const char* name_of(Pointwise function);
[[nodiscard]] std::optional<Pointwise> find_pointwise(std::string_view name);
/// Floats have no bitwise functions; integers no quotients, roots and exponentials; i1 no sums and signs.
[[nodiscard]] bool is_defined(Pointwise function, const Format& format);
/// Rejects a name of no function, and a function that a format has not.
[[nodiscard]] Pointwise pointwise_of(const std::string& name, const Format& format);
[[nodiscard]] std::size_t operands_of(Pointwise function);

/// The results of one operand, and of two. Requires: as many operands, and codes within the mask.
[[nodiscard]] Results results(Pointwise function, const Format& format, MaxRule rule, Code x);
[[nodiscard]] Results results(Pointwise function, const Format& format, MaxRule rule, Code a, Code b);

}  // namespace vl::values_kernel
