#include "verifier/session/all_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/access.h"
#include "verifier/session/all_sizes_case.h"
#include "verifier/session/judge_parts.h"
#include "verifier/session/rule_words.h"
#include "verifier/session/stated.h"

namespace vl::session {
namespace {

using question::Reason;
using question::Unknown;

// Whether an extent of the layout has a name.
bool names_sizes(const map::Rule& rule) {
  std::vector<std::string> names;
  for (const map::RuleLevel& level : rule.levels) map::add_names(level.extent, names);
  for (const map::Expression& replica : rule.replicas) map::add_names(replica, names);
  return !names.empty();
}

// Whether an access is at an element that has a name: R of `where` in at=[R + lane, 0].
bool names_an_element(const CaseRequest& request, const map::Rule& rule) {
  std::vector<std::string> names;
  for (const map::Symbol& symbol : rule.symbols) names.push_back(symbol.name);
  return std::ranges::any_of(request.claims, [&](const ClaimRequest& claim) {
    const SourceText* text = claim.text("access");
    const auto access = text == nullptr ? std::nullopt : std::optional(use::parse_access(text->text, names));
    return access && access->has_value() && !(**access).names.empty();
  });
}

std::vector<question::Answer> unsupported_answers(const std::vector<ClaimRequest>& claims, const std::string& why) {
  std::vector<question::Answer> out;
  out.reserve(claims.size());
  for (const ClaimRequest& claim : claims) out.push_back(unsupported_answer(claim, why));
  return out;
}

// As the tensor of an instance is printed.
std::string tensor_shown(const map::RuleTensor& tensor) {
  std::string out = map::print(tensor);
  if (tensor.strides) {
    std::string strides;
    for (const map::Expression& stride : *tensor.strides) strides += (strides.empty() ? "" : ",") + map::print(stride);
    out += fmt::format(" strides [{}]", strides);
  }
  if (tensor.offset.number() != 0) out += " offset " + map::print(tensor.offset);
  if (tensor.view_offset.number() != 0) out += " view-offset " + map::print(tensor.view_offset);
  for (const map::Extent& declared : tensor.box)
    out += fmt::format("{}{}={}", &declared == tensor.box.data() ? " box " : ", ", declared.axis, declared.extent);
  return out;
}

}  // namespace

bool names_of_view(const CaseRequest& request) {
  return request.named_strides || request.named_offset || request.named_view_offset;
}

bool has_names(const CaseRequest& request) {
  if (request.where || request.all_sizes || names_of_view(request)) return true;
  const std::string_view text = request.tensor.text;
  const std::size_t bracket = text.find('[');
  return bracket != std::string_view::npos && std::ranges::any_of(text.substr(bracket), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
         });
}

namespace {

// Why the names of a case are no sizes of its layout. `named`: some of them may be.
std::optional<Diagnostic> why_no_sizes(const CaseRequest& request, const map::Rule& rule, const map::RuleTensor& tensor,
                                       bool named) {
  if (rule.symbols.empty() || !named)
    return request.layout.diagnose({ErrorCode::Value, "there is no name in it whose sizes could be all", 0});
  if (!map::has_symbols(tensor) || takes_any_tensor(rule)) return std::nullopt;
  const auto numbers = map::parse_tensor(request.tensor.text);
  return request.tensor.diagnose(numbers ? Error{ErrorCode::Value, "names of a tensor whose layout has none", 0}
                                         : numbers.error());
}

}  // namespace

std::optional<question::Case> judge_for_all_sizes(const CaseRequest& request, const JudgeOptions& options) {
  const use::Family* family = family_of(request.layout.text, request.family);
  if (family == nullptr || family->read_rule == nullptr) return std::nullopt;
  question::Case out = unread(request);
  auto read = read_rule_case(request, *family);
  if (const auto* error = std::get_if<TextError>(&read)) {
    if (!has_names(request)) return std::nullopt;  // what is wrong with a layout of numbers, its reader said
    out.diagnostic = error->diagnose();
    return out;
  }
  const auto& rule_reading = std::get<RuleReading>(read);
  const auto& [tensor, reading, where] = rule_reading;
  const map::Rule* rule = reading.rule_for_all_sizes();
  // Conditions alone, on names that are no sizes, do not make it a question about all of them.
  const bool named = rule == nullptr || has_own_names(*rule) || map::has_symbols(tensor) || names_of_view(request) ||
                     names_an_element(request, *rule);
  if (rule != nullptr && (rule->symbols.empty() || !named) && !request.all_sizes) return std::nullopt;
  if (rule != nullptr) out.diagnostic = why_no_sizes(request, *rule, tensor, named);
  if (out.diagnostic) return out;
  if (request.expect_invalid) return out;
  const std::vector<ClaimRequest> asked = request.claims.empty() ? default_claims(request) : request.claims;
  // Sizes with names of a tensor with numbers: which ones they are, nobody says, but where they are the box's.
  if (rule != nullptr && !map::has_symbols(tensor) && !has_names(request) && names_sizes(*rule) && rule->named_axes)
    return std::nullopt;
  if (rule == nullptr) {
    out.answers = unsupported_answers(asked, reading.undecidable()->reason);
    return out;
  }
  if (rule->symbols.size() > map::Polynomial::kVariables) {
    out.answers = unsupported_answers(asked, fmt::format("more than {} names", map::Polynomial::kVariables));
    return out;
  }
  out.tensor = tensor_shown(tensor);
  out.rule = view_of(*rule, where);
  engines::Options begun = options.engines;
  const RuleCase of{request, *rule, begun};
  AllSizesCase all(of, rule_reading, options.certificates);
  for (const ClaimRequest& claim : asked) {
    if (auto why = needs_known_tensor(*claim.claim, request)) {
      out.answers.push_back(unsupported_answer(claim, std::move(*why)));
      continue;
    }
    const std::string stem = stem_of(request, out.answers.size(), *claim.claim);
    begun.budget = options.engines.budget.begun();
    out.answers.push_back(all.answer(claim, stem, out.diagnostic));
    const auto* open = std::get_if<Unknown>(&out.answers.back().verdict);
    if (open == nullptr || open->reason != Reason::OutOfReach || where.empty() || !all.holds_somewhere(claim)) continue;
    JudgeOptions more = options;
    more.engines = begun;
    auto proved = proved_with_fewer(claim, request, *family, rule_reading, more, stem, out.diagnostic);
    if (proved) out.answers.back() = std::move(*proved);
  }
  if (all.wrong()) {
    out.diagnostic = all.wrong();
    out.answers.clear();
  }
  return out;
}

}  // namespace vl::session
