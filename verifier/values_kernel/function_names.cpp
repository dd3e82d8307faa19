// The names of pointwise functions, and which formats have them.
#include <algorithm>
#include <array>

#include "verifier/values_kernel/functions.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

using enum Pointwise;

// clang-format off
constexpr std::array kNames = {
    "neg", "abs", "square", "sign", "signbit", "ceil", "floor", "trunc", "round", "roundaway", "frac", "eqz", "nez", "gtz", "gez", "ltz",
    "lez", "recip", "sqrt", "cast", "relu", "rsqrt", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "tanh", "sigmoid", "hardsigmoid", "gelu", "silu", "selu", "softsign", "erf", "erfc", "add",
    "sub", "mul", "div", "max", "min", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "pow", "where"};
// clang-format on
static_assert(kNames.size() == static_cast<std::size_t>(Where) + 1);

}  // namespace

const char* name_of(Pointwise function) { return kNames.at(static_cast<std::size_t>(function)); }

std::optional<Pointwise> find_pointwise(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<Pointwise>(found - kNames.begin()));
}

bool is_defined(Pointwise function, const Format& format) {
  if (format.bits == 1)
    return function == Eqz || function == Nez || function == Cast || (function >= Max && function != Pow);
  if (format.is_float) return function != And && function != Or && function != Xor;
  return function != Recip && function != Sqrt && function != Div && function != Pow &&
         (function <= Relu || function > Erfc);
}

Pointwise pointwise_of(const std::string& name, const Format& format) {
  const auto out = find_pointwise(name);
  require(out.has_value(), "a function that is not known");
  require(is_defined(*out, format), "a function that the format has not");
  return *out;
}

std::size_t operands_of(Pointwise function) { return function < Add ? 1 : function < Where ? 2 : 3; }

}  // namespace vl::values_kernel
