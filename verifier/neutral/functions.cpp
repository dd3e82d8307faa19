#include "verifier/neutral/functions.h"

#include "encodings/base/check.h"

namespace vl::neutral {

using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;
using values::MaxRule;

std::string_view name(Function function) { return values_kernel::name_of(function); }

std::optional<Function> find_function(std::string_view name) { return values_kernel::find_pointwise(name); }

unsigned arity(Function function) { return static_cast<unsigned>(values_kernel::operands_of(function)); }

bool is_defined(Function function, const Format& format) {
  return values_kernel::is_defined(function, in_kernel(format));
}

CodeSet quiet_nans(const Format& format) { return nans(format).without(signalling_nans(format), format); }

CodeSet results_of(Function function, const Format& format, MaxRule rule, std::span<const Code> operands) {
  VL_CHECK(operands.size() == arity(function) && is_defined(function, format), "a function with other operands");
  if (operands.size() == 3) return CodeSet::of(values::is_zero(format, operands[0]) ? operands[2] : operands[1]);
  const auto max = values_kernel::max_rule_of(word_of(rule));
  const values_kernel::Format& own = in_kernel(format);
  return set_of(ranges_of(own, operands.size() == 1 ? results(function, own, max, operands[0])
                                                    : results(function, own, max, operands[0], operands[1])));
}

std::string_view assumption(Function function) {
  switch (function) {
    case Function::Recip:
    case Function::Sqrt:
    case Function::Div: return "recip, sqrt and div are rounded once, to nearest even";
    case Function::Relu: return "relu is max(x, 0), and its zero has either sign";
    case Function::Rsqrt: return "rsqrt is faithful, and rsqrt of a zero is the infinity of its sign";
    case Function::Exp:
    case Function::Exp2: return "exp is faithful, exp(0) = 1, exp(-inf) = +0 and exp(inf) = inf";
    case Function::Expm1: return "expm1 is faithful, expm1(-inf) = -1 and expm1(inf) = inf";
    case Function::Log:
    case Function::Log1p: return "log is faithful, log(1) = +0, log of a zero is -inf and of a negative number NaN";
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Asin:
    case Function::Acos:
    case Function::Atan: return "sin, cos and the like are faithful; of an infinity they are NaN, but for atan";
    case Function::Tanh: return "tanh is faithful, and tanh(inf) = 1";
    case Function::Sigmoid:
    case Function::Hardsigmoid: return "sigmoid is faithful, sigmoid(-inf) = +0 and sigmoid(inf) = 1";
    case Function::Gelu:
    case Function::Silu: return "gelu and silu lie between -1 and 0, or 0 and x; of -inf they are 0 or NaN";
    case Function::Selu: return "selu is faithful and at least x for positive x; of -inf it lies between -2 and -1";
    case Function::Softsign: return "softsign is of x's sign and at most 1; of an infinity it is 1, -1 or NaN";
    case Function::Erf:
    case Function::Erfc: return "erf and erfc are faithful";
    case Function::Pow: return "pow(x, 0) = pow(1, y) = 1 and pow(x, 1) = x, also where the other operand is NaN";
    default: return "";
  }
}

const values_kernel::Format& in_kernel(const Format& format) {
  return values_kernel::format_of(std::string(format.name));
}

values_kernel::CodeRanges in_kernel(const CodeSet& set) {
  values_kernel::CodeRanges out;
  for (const CodeRange& range : set.ranges()) out.emplace_back(range.first, range.last);
  return out;
}

CodeSet set_of(const values_kernel::CodeRanges& ranges) {
  std::vector<CodeRange> out;
  for (const auto& [first, last] : ranges) out.push_back({first, last});
  return CodeSet(std::move(out));
}

const char* word_of(MaxRule rule) {
  return rule == MaxRule::X86 ? "x86" : rule == MaxRule::NanLoses ? "nan-loses" : "nan-wins";
}

}  // namespace vl::neutral
