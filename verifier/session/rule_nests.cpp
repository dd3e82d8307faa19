#include "verifier/session/rule_nests.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_words.h"

namespace vl::session {
namespace {

using question::Reason;
using question::Unknown;

constexpr std::size_t kInstances = 64;

NoRuleNests unknown_nests(Reason reason, std::string why) { return {Unknown{reason, std::move(why), "polynomial"}}; }

// Sizes of which a layout exists: of each first cell, and random ones.
std::vector<map::Sizes> existing_sizes(const map::Rule& rule, Instances& instances) {
  std::vector<map::Sizes> out;
  const std::vector<engines::Cell> cells = engines::cells_of(rule);
  const auto keep = [&](const map::Sizes& sizes) {
    if (instances.at(sizes) != nullptr) out.push_back(sizes);
  };
  for (const engines::Cell& cell : cells)
    for (const map::Sizes& sizes : cell.samples(4)) keep(sizes);
  use::Random random(20261125, 6, 1);
  for (std::size_t k = 0; k < 4 * kInstances && !cells.empty() && out.size() < kInstances; ++k)
    if (const auto sizes = cells[random.below(cells.size())].drawn(random)) keep(*sizes);
  return out;
}

// Whether the conditions leave a nest without a move: N % 64 elements where N % 64 == 0.
bool is_empty_everywhere(const use::RuleNest& nest, const map::Rule& rule) {
  const auto cells = engines::cells_of(rule);
  return !cells.empty() && std::ranges::any_of(nest.extents, [&](const map::Expression& extent) {
    return std::ranges::all_of(cells, [&](const engines::Cell& cell) {
      const engines::OnCell value = cell.value(extent);
      const auto* polynomial = std::get_if<map::Polynomial>(&value);
      return polynomial != nullptr && polynomial->is_zero();
    });
  });
}

// What concrete engines say against the nests at some sizes; nothing where they do not.
std::optional<std::string> against(const ClaimRequest& claim, const map::Sizes& sizes, Instances& instances) {
  const auto judged = instances.decide(claim, sizes);
  const auto* refuted = judged ? std::get_if<question::Refuted>(&judged->verdict) : nullptr;
  return refuted != nullptr ? std::optional(refuted->counterexample.explanation) : std::nullopt;
}

}  // namespace

std::variant<ProvedRuleNests, NoRuleNests, Diagnostic> nests_for_all_sizes(const CaseRequest& request,
                                                                           use::Direction direction,
                                                                           const JudgeOptions& options) {
  // Each element has a slot: the same question as everywhere.
  CaseRequest placed = request;
  placed.claims.assign(1, {});
  placed.claims.front().claim = claims::find_claim("in-bounds");
  auto judged = judge_for_all_sizes(placed, options);
  if (!judged)
    return unknown_nests(Reason::Unsupported, "layouts of this family with names are not encoded for all sizes");
  if (judged->diagnostic) return std::move(*judged->diagnostic);
  if (judged->answers.empty()) return unknown_nests(Reason::Unsupported, "the layout has no name");
  if (!std::holds_alternative<question::Proved>(judged->answers.front().verdict))
    return NoRuleNests{std::move(judged->answers.front().verdict)};

  const auto read = read_rule_case(request, *family_of(request.layout.text, request.family));
  const auto& rule_reading = std::get<RuleReading>(read);  // it was read before
  const map::Rule& rule = *rule_reading.reading.rule_for_all_sizes();
  auto transfer = use::synthesise(rule, direction);
  if (!transfer) return unknown_nests(Reason::OutOfReach, transfer.error().message);

  std::erase_if(transfer->nests, [&](const use::RuleNest& nest) { return is_empty_everywhere(nest, rule); });

  ClaimRequest claim;
  claim.claim = claims::find_claim("implements", true);
  claim.rule_nests = std::make_shared<const use::RuleTransfer>(*transfer);
  const RuleCase of{request, rule, options.engines};
  Instances instances(of);
  const std::vector<map::Sizes> sizes = existing_sizes(rule, instances);
  const checker::Statement statement = claims::with_nests(rule_statement(claim, request, rule_reading), *transfer);
  if (!claims::all_sizes_evidence(statement, sizes))
    return unknown_nests(Reason::OutOfReach, "the nests that were made are not shown to be right at all sizes");
  for (const map::Sizes& one : sizes)
    if (const auto no = against(claim, one, instances))
      return unknown_nests(Reason::EnginesDisagree,
                           fmt::format("the nests are proved for all sizes, and wrong at some: {}", *no));
  return ProvedRuleNests{std::move(*transfer), view_of(rule, rule_reading.where), sizes.size()};
}

}  // namespace vl::session
