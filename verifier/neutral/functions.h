// Functions: pointwise operations on codes of one format, each as the set of codes that its result may be.
//
// Of most functions that is one code. It is more than one where implementations differ:
// - a NaN result is every quiet NaN of the format, because payload and sign are the implementation's;
// - exp, log, tanh and the like are rounded as the implementation does it. By `assumption` they are faithful:
//   a result never lies beyond a code that the exact value does not lie beyond;
// - where a formula and a limit disagree, both are allowed: gelu(-inf) is -inf·0 = NaN, or 0.
// So what is absent from a set is impossible under the assumption, and a set may hold more than a device ever gives.
//
// A set is an interval of numbers in the order of the format (values::order) and maybe NaN: `Reach`.
//
// Example: f16 exp(0x0000) is {1}; exp(0x3C00) is [2 .. 4], because 2 < e < 4; log(-1) is NaN.
#pragma once

#include <optional>
#include <string_view>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"

namespace vl::neutral {

// clang-format off
enum class Function {
  // Exact: one code, up to what NaN is.
  Neg, Abs, Square, Sign, Signbit, Ceil, Floor, Trunc, Frac, Eqz, Nez, Gtz, Gez, Ltz, Lez, Recip, Sqrt, Cast,
  // By the facts of facts.cpp.
  Relu, Rsqrt, Exp, Exp2, Expm1, Log, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Tanh, Sigmoid, Hardsigmoid, Gelu, Silu,
  Selu, Softsign, Erf, Erfc,
  // Of two operands, exact but for pow; then of three.
  Add, Sub, Mul, Div, Max, Min, Eq, Ne, Lt, Le, Gt, Ge, And, Or, Xor, Pow, Where,
};
// clang-format on

[[nodiscard]] std::string_view name(Function function);
[[nodiscard]] std::optional<Function> find_function(std::string_view name);
/// 1, 2 or 3.
[[nodiscard]] unsigned arity(Function function);
/// What is taken for granted of an implementation, in words; empty if only IEEE 754's own rules are.
[[nodiscard]] std::string_view assumption(Function function);
/// Whether the function has a meaning here for codes of that format. Integers have no reciprocal, root or exponential,
/// and floats no bitwise and.
[[nodiscard]] bool is_defined(Function function, const values::Format& format);

/// The numbers from one place to another, none if low > high, and maybe NaN.
struct Reach {
  std::int64_t low = 1;
  std::int64_t high = 0;
  bool nan = false;         // quiet ones
  bool signalling = false;  // and the others: only where a function moves bits

  [[nodiscard]] bool has_numbers() const { return low <= high; }
};
[[nodiscard]] values::CodeSet codes_within(const values::Format& format, const Reach& reach);
/// The only number that it can be; nothing if it can be another one, or NaN.
[[nodiscard]] std::optional<values::Code> only_code(const values::Format& format, const Reach& reach);
[[nodiscard]] Reach reach_of(const values::Format& format, values::Code code);
[[nodiscard]] Reach united(const Reach& a, const Reach& b);
/// Every quiet NaN; in formats that know no signalling ones, every NaN.
[[nodiscard]] values::CodeSet quiet_nans(const values::Format& format);

/// The results of one operand. Requires (all below): is_defined(), and codes of the format.
[[nodiscard]] Reach at(Function function, const values::Format& format, values::MaxRule rule, values::Code x);
/// Of two operands. Example: f16 div(1, 3) is {0x3555}.
[[nodiscard]] Reach at(Function function, const values::Format& format, values::MaxRule rule, values::Code a,
                       values::Code b);

/// By facts: part of at().
[[nodiscard]] Reach at_by_facts(Function function, const values::Format& format, values::Code x);

}  // namespace vl::neutral
