// One instance of a case about all sizes: --at-sizes N=5,M=3.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/scan.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"
#include "verifier/session/names.h"
#include "verifier/session/rule_masks.h"

namespace vl::session {
namespace {

// Where the number behind the '=' of the condition number k begins.
std::size_t place_of_number(std::string_view text, const std::vector<map::Condition>& conditions, std::size_t k) {
  std::size_t at = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    at = std::min(text.find(conditions[i].text, at), text.size());
    if (i < k) at += conditions[i].text.size();
  }
  at = std::min(text.find('=', at), text.size());
  return std::min(text.find_first_not_of("= ", at), text.size());
}

// The least number that each name of the conditions may have.
std::vector<map::Symbol> bounds_of(const std::vector<map::Condition>& where) {
  auto rule = map::with_conditions({}, where);
  return rule ? std::move(rule->symbols) : std::vector<map::Symbol>{};
}

std::variant<map::Sizes, TextError> sizes_of(const SourceText& text, const std::vector<map::Condition>& where) {
  const auto given = map::parse_conditions(text.text);
  if (!given) return TextError{text, given.error()};
  const std::vector<map::Symbol> bounds = bounds_of(where);
  map::Sizes out;
  for (std::size_t k = 0; k < given->size(); ++k) {
    const map::Condition& one = (*given)[k];
    const auto number = one.right.number();
    if (one.left.kind() != map::Expression::Kind::Name || one.relation != map::Condition::Relation::Equal || !number)
      return TextError{text, {ErrorCode::Syntax, "expected sizes, as in N=5,M=3", 0}};
    const std::string& name = one.left.name();
    const std::size_t at = place_of_number(text.text, *given, k);
    if (!out.emplace(name, *number).second)
      return TextError{text, {ErrorCode::Value, fmt::format("{} is given twice", name), at}};
    const auto bound = std::ranges::find(bounds, name, &map::Symbol::name);
    const Index low = bound == bounds.end() ? 1 : bound->low;
    if (*number < low)
      return TextError{text, {ErrorCode::Value, fmt::format("{} is {}; expected {} or more", name, *number, low), at}};
  }
  return out;
}

// A size whose name stands nowhere in the case: most likely another was meant.
std::optional<TextError> unused(const CaseRequest& request, const map::Sizes& sizes) {
  if (request.occurrences > 0) return std::nullopt;  // asked of all layouts of a file
  for (const auto& size : sizes) {
    const std::string& name = size.first;
    if (has_name(request, name) || (request.where && use::has_word(request.where->text, name))) continue;
    const std::size_t at = std::min(request.sizes->text.find(name), request.sizes->text.size());
    return TextError{*request.sizes, {ErrorCode::Value, fmt::format("no text of the case has the name {}", name), at}};
  }
  return std::nullopt;
}

// Gives nests with names, accesses, and the second layout of `equal`, the numbers of the sizes.
std::optional<TextError> number_claims(CaseRequest& request, const map::Sizes& sizes) {
  for (ClaimRequest& claim : request.claims) {
    number_access(claim, sizes);
    if (claim.claim->lifted == claims::Lifted::MaskExact && !number_mask(claim, sizes))
      return TextError{*claim.text("mask"), {ErrorCode::Value, "a mask that has no numbers at these sizes", 0}};
    const bool is_equal = claim.claim->lifted == claims::Lifted::Equal;
    if (claim.rule_nests == nullptr && claim.nests == nullptr && !is_equal) continue;
    if (const SourceText* with = claim.text("with"); !number_source(claim, request, sizes))
      return TextError{*with, {ErrorCode::Value, "a layout that is none at these sizes", 0}};
    if (claim.nests != nullptr || is_equal) continue;
    auto nests = use::instance(*claim.rule_nests, sizes);
    if (!nests) return TextError{claim.nests_at, {nests.error().code, nests.error().message, 0}};
    claim.nests = std::make_shared<const use::Transfer>(std::move(*nests));
    claim.rule_nests.reset();
  }
  return std::nullopt;
}

std::variant<CaseRequest, TextError> instance_of(const CaseRequest& request) {
  std::vector<map::Condition> where;
  if (request.where) {
    auto conditions = map::parse_conditions(request.where->text);
    if (!conditions) return TextError{*request.where, conditions.error()};
    where = std::move(*conditions);
  }
  auto given = sizes_of(*request.sizes, where);
  if (auto* wrong = std::get_if<TextError>(&given)) return std::move(*wrong);
  const auto& sizes = std::get<map::Sizes>(given);
  if (auto wrong = unused(request, sizes)) return std::move(*wrong);
  for (const map::Condition& condition : where) {
    const auto held = map::holds(condition, sizes);
    if (!held) return TextError{*request.where, held.error()};
    if (!*held) {
      const std::size_t at = std::min(request.where->text.find(condition.text), request.where->text.size());
      const std::string what = fmt::format("{} does not hold at these sizes", map::print(condition));
      return TextError{*request.where, {ErrorCode::Value, what, at}};
    }
  }
  auto out = request_at(request, sizes);
  if (auto* made = std::get_if<CaseRequest>(&out))
    if (auto wrong = number_claims(*made, sizes)) return std::move(*wrong);
  return out;
}

}  // namespace

std::variant<CaseRequest, Diagnostic> at_given_sizes(const CaseRequest& request) {
  auto made = instance_of(request);
  if (const auto* wrong = std::get_if<TextError>(&made)) return wrong->diagnose();
  return std::move(std::get<CaseRequest>(made));
}

}  // namespace vl::session
