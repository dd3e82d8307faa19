#include "verifier/neutral/functions.h"

#include <algorithm>
#include <array>

#include "encodings/base/check.h"
#include "encodings/values/division.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeSet;
using values::Format;
using values::MaxRule;
using values::Number;
using values::Wide;

constexpr auto kFunctionNames = std::to_array<std::string_view>(
    {"neg",  "abs",  "square",  "sign",        "signbit", "ceil",  "floor", "trunc",    "frac", "eqz",
     "nez",  "gtz",  "gez",     "ltz",         "lez",     "recip", "sqrt",  "cast",     "relu", "rsqrt",
     "exp",  "exp2", "expm1",   "log",         "log1p",   "sin",   "cos",   "tan",      "asin", "acos",
     "atan", "tanh", "sigmoid", "hardsigmoid", "gelu",    "silu",  "selu",  "softsign", "erf",  "erfc",
     "add",  "sub",  "mul",     "div",         "max",     "min",   "eq",    "ne",       "lt",   "le",
     "gt",   "ge",   "and",     "or",          "xor",     "pow",   "where"});
static_assert(kFunctionNames.size() == static_cast<std::size_t>(Function::Where) + 1);

Code truth_code(const Format& format, bool holds) { return holds ? values::one(format) : Code{0}; }

// The part of a number before the point, and whether anything is behind it. Requires: finite, not zero.
struct Parts {
  bool negative = false, rest = false;
  Wide whole = 0;
};
Parts parts_of(const Number& number) {
  if (number.exponent >= 0) return {number.negative, false, 0};
  const unsigned shift = static_cast<unsigned>(-number.exponent);
  if (shift > 100) return {number.negative, true, 0};
  const Wide whole = number.significand >> shift;
  return {number.negative, whole << shift != number.significand, whole};
}

// ceil, floor and trunc: to an integer, upwards (1), downwards (-1), towards zero (0).
Code to_integer(const Format& format, Code x, int direction) {
  if (!is_finite(format, x) || is_zero(format, x)) return x;
  const Number number = unpack(format, x);
  Parts parts = parts_of(number);
  if (!parts.rest) return x;
  if ((direction > 0 && !parts.negative) || (direction < 0 && parts.negative)) ++parts.whole;
  return parts.whole == 0 ? zero(format, parts.negative) : pack(format, {parts.negative, parts.whole, 0});
}

Code sign_of_number(const Format& format, Code x) {
  if (values::is_zero(format, x)) return x;
  return is_negative(format, x) ? values::negated(format, values::one(format)) : values::one(format);
}

// Functions of one operand whose result is one code; no NaN operand but of neg and abs.
Code evaluated(Function function, const Format& format, Code x) {
  const bool negative = is_negative(format, x), zero = values::is_zero(format, x);
  switch (function) {
    case Function::Neg: return values::negated(format, x);
    case Function::Abs: return negative ? values::negated(format, x) : x;
    case Function::Square: return values::mul(format, x, x);
    case Function::Sign: return sign_of_number(format, x);
    case Function::Signbit: return truth_code(format, negative);
    case Function::Ceil: return to_integer(format, x, 1);
    case Function::Floor: return to_integer(format, x, -1);
    case Function::Trunc: return to_integer(format, x, 0);
    case Function::Frac: return values::add(format, x, values::negated(format, to_integer(format, x, 0)));
    case Function::Eqz: return truth_code(format, zero);
    case Function::Nez: return truth_code(format, !zero);
    case Function::Gtz: return truth_code(format, !zero && !negative);
    case Function::Gez: return truth_code(format, zero || !negative);
    case Function::Ltz: return truth_code(format, !zero && negative);
    case Function::Lez: return truth_code(format, zero || negative);
    case Function::Recip: return values::div(format, values::one(format), x);
    case Function::Sqrt: return values::root(format, x);
    case Function::Cast: return x;
    default: break;
  }
  VL_CHECK(false, "no exact function of one operand");
  return 0;
}

bool is_comparison(Function function) { return function >= Function::Eq && function <= Function::Ge; }

bool compared(Function function, values::Order order) {
  using values::Order;
  switch (function) {
    case Function::Eq: return order == Order::Equal;
    case Function::Ne: return order != Order::Equal;
    case Function::Lt: return order == Order::Less;
    case Function::Le: return order == Order::Less || order == Order::Equal;
    case Function::Gt: return order == Order::Greater;
    case Function::Ge: return order == Order::Greater || order == Order::Equal;
    default: break;
  }
  VL_CHECK(false, "no comparison");
  return false;
}

Reach power(const Format& format, Code a, Code b) {
  const Code one = values::one(format);
  if (values::is_zero(format, b) || a == one) return reach_of(format, one);
  if (b == one && !is_nan(format, a)) return reach_of(format, a);
  return {lowest_order(format), highest_order(format), true};
}

}  // namespace

std::string_view name(Function function) { return kFunctionNames[static_cast<std::size_t>(function)]; }

std::optional<Function> find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctionNames, name);
  if (found == kFunctionNames.end()) return std::nullopt;
  return static_cast<Function>(found - kFunctionNames.begin());
}

unsigned arity(Function function) { return function < Function::Add ? 1 : function < Function::Where ? 2 : 3; }

bool is_defined(Function function, const Format& format) {
  const bool bitwise = function == Function::And || function == Function::Or || function == Function::Xor;
  if (format.is_float()) return !bitwise;
  switch (function) {
    case Function::Recip:
    case Function::Sqrt:
    case Function::Div:
    case Function::Pow: return false;
    case Function::Relu: return true;
    default: return function < Function::Relu || arity(function) > 1;
  }
}

CodeSet quiet_nans(const Format& format) { return nans(format).without(signalling_nans(format), format); }

CodeSet codes_within(const Format& format, const Reach& reach) {
  CodeSet out = reach.has_numbers() ? numbers_between(format, reach.low, reach.high) : CodeSet();
  if (reach.signalling) return out.united(nans(format));
  return reach.nan ? out.united(quiet_nans(format)) : out;
}

std::optional<Code> only_code(const Format& format, const Reach& reach) {
  if (reach.nan || reach.signalling || !reach.has_numbers()) return std::nullopt;
  const CodeSet codes = numbers_between(format, reach.low, reach.high);
  if (codes.count() != 1) return std::nullopt;
  return codes.ranges().front().first;
}

Reach reach_of(const Format& format, Code code) {
  if (is_nan(format, code)) return {1, 0, true, is_signalling(format, code)};
  return {order(format, code), order(format, code), false};
}

Reach united(const Reach& a, const Reach& b) {
  if (!a.has_numbers()) return {b.low, b.high, a.nan || b.nan, a.signalling || b.signalling};
  if (!b.has_numbers()) return united(b, a);
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan, a.signalling || b.signalling};
}

Reach at(Function function, const Format& format, MaxRule rule, Code x) {
  VL_CHECK(arity(function) == 1 && is_defined(function, format), "not a function of one code of that format");
  if (function == Function::Relu && !format.is_float()) return reach_of(format, values::maximum(format, rule, x, 0));
  if (function == Function::Relu && is_nan(format, x))
    return rule == MaxRule::NanWins ? Reach{1, 0, true} : Reach{0, 0, rule == MaxRule::X86};
  if (function >= Function::Relu) return at_by_facts(function, format, x);
  if (is_nan(format, x)) switch (function) {
      case Function::Neg:
      case Function::Abs: return {1, 0, true, is_signalling(format, x)};
      case Function::Sign: return {has_negative_zero(format) ? -1 : 0, 0, true};
      case Function::Signbit: return {0, order(format, values::one(format)), false};
      case Function::Nez: return reach_of(format, values::one(format));
      case Function::Eqz:
      case Function::Gtz:
      case Function::Gez:
      case Function::Ltz:
      case Function::Lez: return {0, 0, false};
      default: return {1, 0, true};
    }
  return reach_of(format, evaluated(function, format, x));
}

Reach at(Function function, const Format& format, MaxRule rule, Code a, Code b) {
  VL_CHECK(arity(function) == 2 && is_defined(function, format), "not a function of two codes of that format");
  if (is_comparison(function)) return reach_of(format, truth_code(format, compared(function, compare(format, a, b))));
  switch (function) {
    case Function::Add: return reach_of(format, values::add(format, a, b));
    case Function::Sub: return reach_of(format, values::add(format, a, values::negated(format, b)));
    case Function::Mul: return reach_of(format, values::mul(format, a, b));
    case Function::Div: return reach_of(format, values::div(format, a, b));
    case Function::Max: return reach_of(format, values::maximum(format, rule, a, b));
    case Function::Min: return reach_of(format, values::minimum(format, rule, a, b));
    case Function::And: return reach_of(format, a & b);
    case Function::Or: return reach_of(format, a | b);
    case Function::Xor: return reach_of(format, a ^ b);
    case Function::Pow: return power(format, a, b);
    default: break;
  }
  VL_CHECK(false, "no function of two operands");
  return {};
}

}  // namespace vl::neutral
