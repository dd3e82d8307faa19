#include "verifier/claims/padding_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <tuple>

#include "encodings/values/code_set.h"
#include "verifier/claims/padded_run.h"

namespace vl::claims {
namespace {

using neutral::Equality;
using values::Code;
using values::CodeSet;
using values::Format;

// What a proof may take for granted besides the elements' values.
struct Granted {
  Equality equal;
  bool nan_wins;
};
constexpr std::array kGranted = {Granted{Equality::AnyNan, false}, Granted{Equality::AnyNanAndZero, false},
                                 Granted{Equality::AnyNan, true}};

std::vector<Code> candidates(const Format& format) {
  std::vector<Code> out{0, values::one(format)};
  for (const bool least : {true, false})
    out.push_back(values::has_infinity(format) ? values::infinity(format, least)
                  : format.is_float()          ? values::largest(format, least)
                                               : *values::at_order(format, least ? values::lowest_order(format)
                                                                                 : values::highest_order(format)));
  return out;
}

std::string in_words(const Format& format, Code code, bool known) {
  if (code == 0 || code == values::one(format)) return code == 0 ? "0" : "1";
  const bool least = values::order(format, code) < 0;
  if (!known) return fmt::format("the {} number of the type", least ? "least" : "greatest");
  if (values::has_infinity(format)) return least ? "-inf" : "+inf";
  if (!format.is_float()) return fmt::format("{}", values::order(format, code));
  const Code wide = values::convert(format, *values::find_format("f64"), code);
  return fmt::format("{:#x} ({})", code, std::bit_cast<double>(wide));
}

bool is_neutral(neutral::Operation operation, const Format& format, const Granted& granted, std::size_t operand,
                Code code) {
  neutral::Question base;
  base.operation = operation, base.type = format, base.accumulate = format;
  base.equal = granted.equal, base.contents = CodeSet::all(format);
  values::Profile profile;
  profile.accumulate = {nullptr, values::find_format("f32")};
  profile.start = {values::Start::First, values::Start::Zero};
  if (!granted.nan_wins) profile.max = {values::MaxRule::NanWins, values::MaxRule::NanLoses, values::MaxRule::X86};
  const auto all = neutral::alternatives(base, profile);
  if (all.empty()) return false;
  const CodeSet value = CodeSet::of(code);
  if (operation != neutral::Operation::Dot)
    return std::holds_alternative<neutral::Proved>(neutral::decide(all, value).verdict);
  const CodeSet other = values::finite_codes(format);
  const auto& [a, b] = operand == 0 ? std::tie(value, other) : std::tie(other, value);
  return std::holds_alternative<neutral::Proved>(neutral::decide(all, a, &b).verdict);
}

}  // namespace

PaddingValue padding_value(const use::Operation& operation, const use::PaddingNeed& need) {
  const use::OperationName& what = *operation.what;
  auto named = reduction_of(operation);
  if (what.divides) named = neutral::Operation::Sum;  // equal sums have equal quotients
  const std::string& of = operation.operands[need.operand].reading.values;
  const Format* known = values::find_format(of);
  const Format& format = known != nullptr ? *known : *values::find_format("f32");
  std::vector<std::string> assumes;
  if (!named) assumes.emplace_back("the operation adds, or takes 0 as nothing");
  if (known == nullptr) assumes.emplace_back("the numbers of the type, which no source states, are floats");
  if (need.means == use::PaddingMeans::Fill && operation.operands.size() > 2)
    assumes.push_back(fmt::format("the padding of {} is finite", use::name_of(operation, 1 - need.operand)));
  if (need.means == use::PaddingMeans::Hardware) assumes.emplace_back("the hardware does so, as torch-spyre relies on");
  for (const Granted& granted : kGranted)
    for (const Code code : candidates(format)) {
      if (!is_neutral(named.value_or(neutral::Operation::Sum), format, granted, need.operand, code)) continue;
      if (granted.equal == Equality::AnyNanAndZero) assumes.emplace_back("the sign of a sum of zeros does not matter");
      if (granted.nan_wins) assumes.emplace_back("a NaN wins over every number");
      if (what.divides)
        assumes.push_back(fmt::format("the sum is divided by {} = {}", operation.dims[need.dim].name,
                                      operation.dims[need.dim].extent));
      return {in_words(format, code, known != nullptr), fmt::format("{}", fmt::join(assumes, "; "))};
    }
  return {"a value that is not known", fmt::format("{}", fmt::join(assumes, "; "))};
}

}  // namespace vl::claims
