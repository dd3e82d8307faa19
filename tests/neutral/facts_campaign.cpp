// The facts about approximated functions, against the library's functions in double precision: what is nearest to their
// value is among the results that the facts allow. A few units of error of the library do not matter, as each format
// here has less than half of a double's digits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "verifier/neutral/functions.h"

namespace vl {
namespace neutral_facts_campaign {

using neutral::Function;
using values::Code;
using values::Format;

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

TEST(Facts, AllowWhatTheFunctionsAre) {
  const Format& wide = *values::find_format("f64");
  int looked = 0;
  for (const char* type : {"f16", "bf16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "dl16"}) {
    const Format& format = *values::find_format(type);
    for (int i = static_cast<int>(Function::Relu); i <= static_cast<int>(Function::Erfc); ++i)
      for (Code code = 0; code <= format.mask(); code += format.bits == 8 ? 1 : 17) {
        const auto function = static_cast<Function>(i);
        if (values::is_nan(format, code)) continue;
        const double x = std::bit_cast<double>(values::convert(format, wide, code));
        const Code result = values::convert(wide, format, std::bit_cast<Code>(exact(function, x)));
        const auto allowed = codes_within(format, neutral::at(function, format, values::MaxRule::NanWins, code));
        // A NaN of the library may be a signalling one after its conversion; any quiet one stands for it.
        const bool fits = values::is_nan(format, result) ? !allowed.intersected(neutral::quiet_nans(format)).empty()
                                                         : allowed.contains(result);
        ASSERT_TRUE(fits) << neutral::name(function) << " of " << x << " in " << type << " is " << exact(function, x);
        ++looked;
      }
  }
  EXPECT_GT(looked, 250'000);
}

}  // namespace neutral_facts_campaign
}  // namespace vl
