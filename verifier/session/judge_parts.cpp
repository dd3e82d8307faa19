#include "verifier/session/judge_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/family.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

std::string print_value(const question::Counterexample::Value& value) {
  if (const auto* number = std::get_if<Index>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return claims::show(std::get<Point>(value));
}

// "f16[55,67] SpyreTensorLayout(…) padding=any", as --operand takes it.
std::string operand_text(const OperandRequest& operand) {
  std::string out = fmt::format("{} {}", operand.of.tensor.text, operand.of.layout.text);
  if (operand.of.strides) out += fmt::format(" strides=[{}]", fmt::join(*operand.of.strides, ","));
  if (operand.of.offset != 0) out += fmt::format(" offset={}", operand.of.offset);
  if (operand.of.view_offset != 0) out += fmt::format(" view_offset={}", operand.of.view_offset);
  using Key = std::pair<std::string_view, const std::optional<SourceText>*>;
  for (const auto& [key, text] :
       {Key{"padding", &operand.padding}, Key{"contents", &operand.contents}, Key{"padded", &operand.padded}})
    if (*text) out += fmt::format(" {}={}", key, (*text)->text);
  return out;
}

void add_operation(const OperationRequest& operation, std::vector<std::pair<std::string, std::string>>& out) {
  out.emplace_back("operation", operation.name.text);
  for (const bool result : {false, true}) {
    std::vector<std::string> texts;
    for (const OperandRequest& operand : operation.operands)
      if (operand.result == result) texts.push_back(operand_text(operand));
    if (!texts.empty()) out.emplace_back(result ? "results" : "operands", fmt::format("{}", fmt::join(texts, "; ")));
  }
  if (operation.dims) out.emplace_back("dims", operation.dims->text);
  if (operation.reduced) out.emplace_back("reduce", fmt::format("{}", fmt::join(*operation.reduced, ",")));
}

}  // namespace

std::string mismatch_of(const ClaimRequest& request, const question::Verdict& verdict) {
  if (request.holds || request.expression) return "expected an answer for all sizes, got one about an instance";
  if (!request.expected) return {};
  const std::string_view word = question::word(verdict);
  const auto* proved = std::get_if<Proved>(&verdict);
  if (const auto* number = std::get_if<Index>(&*request.expected)) {
    if (proved != nullptr && proved->value == *number) return {};
    return fmt::format("expected {}, got {}", *number,
                       proved != nullptr && proved->value ? fmt::format("{}", *proved->value) : std::string(word));
  }
  const std::string& expected = std::get<std::string>(*request.expected);
  if (expected != word) return fmt::format("expected {}, got {}", expected, word);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  for (const auto& [field, value] : request.counterexample) {
    VL_CHECK(refuted != nullptr, "a counterexample is expected of a refutation only");
    const auto& fields = refuted->counterexample.fields;
    const auto found =
        std::ranges::find(fields, field, &std::pair<std::string, question::Counterexample::Value>::first);
    if (found == fields.end()) return fmt::format("expected {} = {}, got no such field", field, print_value(value));
    if (found->second != value)
      return fmt::format("expected {} = {}, got {}", field, print_value(value), print_value(found->second));
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> asked_of(const ClaimRequest& request) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const ClaimArgument& argument : request.arguments)
    if (!argument.text.text.empty()) out.emplace_back(argument.key, argument.text.text);
  if (request.at_most) out.emplace_back("at_most", fmt::format("{}", *request.at_most));
  if (request.nests != nullptr || request.rule_nests != nullptr) out.emplace_back("nests", request.nests_text);
  if (request.operation) add_operation(*request.operation, out);
  return out;
}

question::Answer unsupported_answer(const ClaimRequest& claim, std::string why) {
  question::Answer out;
  out.claim = claim.claim->name;
  out.expected = claim.expected;
  out.asked = asked_of(claim);
  out.verdict = question::Unknown{question::Reason::Unsupported, std::move(why), {}};
  out.mismatch = mismatch_of(claim, out.verdict);
  out.as_expected = out.mismatch.empty();
  return out;
}

std::vector<ClaimRequest> default_claims(const CaseRequest& request) {
  std::vector<ClaimRequest> out;
  for (const std::string_view name : use::family_of(request.layout.text, request.family)->default_claims) {
    const claims::Claim* claim = claims::find_claim(name);
    VL_CHECK(claim != nullptr, fmt::format("the default claim '{}' does not exist", name));
    out.emplace_back().claim = claim;
  }
  return out;
}

question::Case unread(const CaseRequest& request) {
  question::Case out{.id = request.id, .layout = request.layout.text, .tensor = request.tensor.text};
  out.tensor_source = request.tensor_source;
  out.stated_tensor = request.stated_tensor;
  out.expected_invalid = request.expect_invalid;
  const Diagnostic start = request.layout.diagnose({});
  out.place = {start.file, start.line, start.column};
  out.lines = request.lines;
  out.occurrences = request.occurrences;
  out.pass = request.pass;
  out.bound = request.bound;
  out.ignores = request.ignores;
  return out;
}

}  // namespace vl::session
