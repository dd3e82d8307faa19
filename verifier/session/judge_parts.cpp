#include "verifier/session/judge_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/family.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

std::string print_value(const question::Counterexample::Value& value) {
  if (const auto* number = std::get_if<Index>(&value)) return fmt::format("{}", *number);
  return claims::show(std::get<Point>(value));
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
  if (request.nests != nullptr) out.emplace_back("nests", request.nests_text);
  if (request.operation) out.emplace_back("operation", request.operation->name.text);
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
  out.expected_invalid = request.expect_invalid;
  const Diagnostic start = request.layout.diagnose({});
  out.place = {start.file, start.line, start.column};
  out.lines = request.lines;
  out.occurrences = request.occurrences;
  out.pass = request.pass;
  return out;
}

}  // namespace vl::session
