// The kernel's functions against the processor's. What is rounded once is rounded once more from double precision,
// which has more than twice the digits of each format but f64, and all of those of f64: no digit is lost. What the
// library approximates is among the results that the facts allow; a few units of its error do not matter, as each of
// these formats has less than half of a double's digits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "tests/support/drawn_codes.h"
#include "verifier/neutral/functions.h"

namespace vl {
namespace values_kernel_functions_campaign {

using neutral::Function;
using values::Code;
using values::CodeSet;
using values::Format;
using values::MaxRule;

double number_of(const Format& format, Code code) {
  return std::bit_cast<double>(values::convert(format, *values::find_format("f64"), code));
}
Code code_of(const Format& format, double number) {
  return values::convert(*values::find_format("f64"), format, std::bit_cast<Code>(number));
}

CodeSet results_of(Function function, const Format& format, std::initializer_list<Code> operands,
                   MaxRule rule = MaxRule::NanWins) {
  return neutral::results_of(function, format, rule, std::vector<Code>(operands));
}

bool holds(Function function, double a, double b) {
  switch (function) {
    case Function::Eqz:
    case Function::Eq: return a == b;
    case Function::Nez:
    case Function::Ne: return a != b;
    case Function::Gtz:
    case Function::Gt: return a > b;
    case Function::Gez:
    case Function::Ge: return a >= b;
    case Function::Ltz:
    case Function::Lt: return a < b;
    default: return a <= b;
  }
}

// The functions whose result is one code.
double computed(Function function, double x) {
  switch (function) {
    case Function::Neg: return -x;
    case Function::Abs: return std::fabs(x);
    case Function::Square: return x * x;
    case Function::Sign: return x == 0 ? x : std::copysign(1, x);
    case Function::Signbit: return std::signbit(x) ? 1 : 0;
    case Function::Ceil: return std::ceil(x);
    case Function::Floor: return std::floor(x);
    case Function::Trunc: return std::trunc(x);
    case Function::Round: return std::nearbyint(x);
    case Function::Roundaway: return std::round(x);
    case Function::Frac: return x - std::trunc(x);
    case Function::Recip: return 1 / x;
    case Function::Sqrt: return std::sqrt(x);
    case Function::Cast: return x;
    default: return holds(function, x, 0) ? 1 : 0;
  }
}
double computed(Function function, double a, double b) {
  switch (function) {
    case Function::Add: return a + b;
    case Function::Sub: return a - b;
    case Function::Mul: return a * b;
    case Function::Div: return a / b;
    default: return holds(function, a, b) ? 1 : 0;
  }
}

bool is_only(const Format& format, const CodeSet& got, Code want) {
  return got == (values::is_nan(format, want) ? neutral::quiet_nans(format) : CodeSet::of(want));
}

std::string words(Function function, const Format& format) {
  return fmt::format("{} of {}", neutral::name(function), format.name);
}

TEST(KernelsFunctions, AreTheProcessorsOnFloats) {
  int looked = 0;
  for (const Format& format : values::formats())
    for (int i = 0; i <= static_cast<int>(Function::Ge); ++i) {
      const auto function = static_cast<Function>(i);
      const bool two = neutral::arity(function) == 2, rule = function == Function::Max || function == Function::Min;
      if (!format.is_float() || (!two && function >= Function::Relu) || rule) continue;
      test::for_all(300, words(function, format), [&] {
        const auto [x, y] = *test::some_codes<2>(format);
        if (values::is_nan(format, x) && function < Function::Eqz) return;  // below
        const double a = number_of(format, x), b = number_of(format, y);
        const Code want = code_of(format, two ? computed(function, a, b) : computed(function, a));
        RC_ASSERT(
            is_only(format, two ? results_of(function, format, {x, y}) : results_of(function, format, {x}), want));
        ++looked;
      });
    }
  EXPECT_GT(looked, 60'000);
}

TEST(KernelsFunctions, OfNanAreEitherSignAndQuietUnlessBitsAreMoved) {
  const Format& f16 = *values::find_format("f16");
  constexpr Code kSignalling = 0x7C01;
  const CodeSet quiet = neutral::quiet_nans(f16), one = CodeSet::of(0x3C00);
  EXPECT_EQ(results_of(Function::Neg, f16, {kSignalling}), values::nans(f16));
  EXPECT_EQ(results_of(Function::Abs, f16, {kSignalling}), values::nans(f16));
  EXPECT_EQ(results_of(Function::Neg, f16, {0x7E00}), quiet);
  EXPECT_EQ(results_of(Function::Sign, f16, {kSignalling}), quiet.united(values::zeros(f16)));
  EXPECT_EQ(results_of(Function::Signbit, f16, {0xFE00}), CodeSet({{0, 0x3C00}}));
  for (const Function function :
       {Function::Square, Function::Ceil, Function::Floor, Function::Trunc, Function::Round, Function::Frac,
        Function::Cast, Function::Recip, Function::Sqrt, Function::Exp, Function::Erfc})
    EXPECT_EQ(results_of(function, f16, {kSignalling}), quiet) << neutral::name(function);
  for (const Function function : {Function::Add, Function::Mul, Function::Div})
    EXPECT_EQ(results_of(function, f16, {kSignalling, 0x3C00}), quiet) << neutral::name(function);
  EXPECT_EQ(results_of(Function::Pow, f16, {0x7E00, 0x8000}), one);
  EXPECT_EQ(results_of(Function::Pow, f16, {0x3C00, 0x7E00}), one);
  EXPECT_EQ(results_of(Function::Pow, f16, {0x7E00, 0x3C00}), quiet);
}

// Extrema are those of encodings/values, and of integers all is modulo a power of two.
TEST(KernelsFunctions, TakeExtremaAsTheRuleSaysAndWrapIntegers) {
  int looked = 0;
  for (const Format& format : values::formats()) {
    test::for_all(300, std::string(format.name), [&] {
      const auto [x, y] = *test::some_codes<2>(format);
      for (const MaxRule rule : {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86}) {
        const auto is = [&](Function function, Code want) {
          const CodeSet got = results_of(function, format, {x, y}, rule);
          return values::is_nan(format, want) ? got.contains(want) && got.is_subset_of(values::nans(format))
                                              : got == CodeSet::of(want);
        };
        RC_ASSERT(is(Function::Max, values::maximum(format, rule, x, y)));
        RC_ASSERT(is(Function::Min, values::minimum(format, rule, x, y)));
      }
      ++looked;
      if (format.is_float()) return;
      const Code negative = values::lowest_order(format) < 0 ? x & format.sign() : 0, mask = format.mask(),
                 minus = (0 - x) & mask;
      const std::pair<Function, Code> of_one[] = {{Function::Neg, minus},
                                                  {Function::Abs, negative != 0 ? minus : x},
                                                  {Function::Square, x * x & mask},
                                                  {Function::Ceil, x},
                                                  {Function::Floor, x},
                                                  {Function::Trunc, x},
                                                  {Function::Round, x},
                                                  {Function::Frac, 0},
                                                  {Function::Eqz, Code{x == 0}},
                                                  {Function::Nez, Code{x != 0}},
                                                  {Function::Cast, x},
                                                  {Function::Ltz, Code{negative != 0}},
                                                  {Function::Gez, Code{negative == 0}},
                                                  {Function::Signbit, Code{negative != 0}},
                                                  {Function::Relu, negative != 0 ? 0 : x},
                                                  {Function::Sign, x == 0          ? 0
                                                                   : negative != 0 ? mask
                                                                                   : 1}};
      for (const auto& [function, want] : of_one) RC_ASSERT(results_of(function, format, {x}) == CodeSet::of(want));
      const std::pair<Function, Code> of_two[] = {
          {Function::Add, (x + y) & mask},
          {Function::Sub, (x - y) & mask},
          {Function::Mul, x * y & mask},
          {Function::And, x & y},
          {Function::Or, x | y},
          {Function::Xor, x ^ y},
          {Function::Lt, Code{values::order(format, x) < values::order(format, y)}},
          {Function::Ge, Code{values::order(format, x) >= values::order(format, y)}},
          {Function::Eq, Code{x == y}}};
      for (const auto& [function, want] : of_two) RC_ASSERT(results_of(function, format, {x, y}) == CodeSet::of(want));
    });
  }
  EXPECT_GE(looked, 300 * 14);
}

double exact(Function function, double x) {
  switch (function) {
    case Function::Relu: return x > 0 ? x : 0;
    case Function::Rsqrt: return 1 / std::sqrt(x);
    case Function::Exp: return std::exp(x);
    case Function::Exp2: return std::exp2(x);
    case Function::Expm1: return std::expm1(x);
    case Function::Log: return std::log(x);
    case Function::Log1p: return std::log1p(x);
    case Function::Sin: return std::sin(x);
    case Function::Cos: return std::cos(x);
    case Function::Tan: return std::tan(x);
    case Function::Asin: return std::asin(x);
    case Function::Acos: return std::acos(x);
    case Function::Atan: return std::atan(x);
    case Function::Tanh: return std::tanh(x);
    case Function::Sigmoid: return 1 / (1 + std::exp(-x));
    case Function::Hardsigmoid: return std::fmin(std::fmax(x / 6 + 0.5, 0), 1);
    case Function::Gelu: return x * std::erfc(-x / std::numbers::sqrt2) / 2;
    case Function::Silu: return x / (1 + std::exp(-x));
    case Function::Selu: return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
    case Function::Softsign: return x / (1 + std::fabs(x));
    case Function::Erf: return std::erf(x);
    case Function::Erfc: return std::erfc(x);
    default: break;
  }
  ADD_FAILURE() << "no function by facts";
  return 0;
}

// log(1 + x) is at least x/2 up to 1, where it is log 2 = 0.69, and at least 1/2 beyond.
TEST(Facts, OfLog1pAreNotZero) {
  const Format &f32 = *values::find_format("f32"), &f16 = *values::find_format("f16");
  EXPECT_EQ(results_of(Function::Log1p, f32, {0x3F800000}), CodeSet({{0x3F000000, 0x3F800000}}));
  EXPECT_EQ(results_of(Function::Log1p, f32, {0x3E800000}), CodeSet({{0x3E000000, 0x3E800000}}));
  EXPECT_EQ(results_of(Function::Log1p, f32, {0x42C80000}), CodeSet({{0x3F000000, 0x42C80000}}));  // of 100
  EXPECT_EQ(results_of(Function::Log1p, f16, {0x0003}), CodeSet({{0x0001, 0x0003}}));
  EXPECT_EQ(results_of(Function::Log1p, f16, {0x0400}), CodeSet({{0x0200, 0x0400}}));
}

TEST(Facts, AllowWhatTheFunctionsAre) {
  int looked = 0;
  for (const char* type : {"f16", "bf16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "dl16"}) {
    const Format& format = *values::find_format(type);
    for (int i = static_cast<int>(Function::Relu); i <= static_cast<int>(Function::Erfc); ++i)
      for (Code code = 0; code <= format.mask(); code += format.bits == 8 ? 1 : 17) {
        const auto function = static_cast<Function>(i);
        if (values::is_nan(format, code)) continue;
        const double x = number_of(format, code);
        const Code result = code_of(format, exact(function, x));
        const CodeSet allowed = results_of(function, format, {code});
        // A NaN of the library may be a signalling one after its conversion; any quiet one stands for it.
        const bool fits = values::is_nan(format, result) ? !allowed.intersected(neutral::quiet_nans(format)).empty()
                                                         : allowed.contains(result);
        ASSERT_TRUE(fits) << neutral::name(function) << " of " << x << " in " << type << " is " << exact(function, x);
        ++looked;
      }
  }
  EXPECT_GT(looked, 250'000);
}

}  // namespace values_kernel_functions_campaign
}  // namespace vl
