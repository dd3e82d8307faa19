#include "verifier/session/conditions.h"

#include <algorithm>

#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/rule_certificates.h"

namespace vl::session {
namespace {

constexpr std::size_t kDrawn = 64;

bool hold(const std::vector<map::Condition>& conditions, const map::Sizes& sizes) {
  return std::ranges::all_of(conditions, [&](const map::Condition& condition) {
    const auto held = map::holds(condition, sizes);
    return held && *held;
  });
}

}  // namespace

bool is_readable(const Alternatives& holds) {
  constexpr std::size_t kMostAlternatives = 64, kMostTogether = 8;
  return holds.size() <= kMostAlternatives &&
         std::ranges::all_of(holds, [](const auto& together) { return together.size() <= kMostTogether; });
}

bool is_shown_where(const ClaimRequest& claim, const CaseRequest& request, const RuleReading& read,
                    const RuleNumbers& numbers, const Alternatives& holds, const claims::Effort& effort) {
  const checker::Metered metered(effort.most(), 4 * checker::kMostBytes);  // of all of them together
  return std::ranges::all_of(holds, [&](const std::vector<map::Condition>& conditions) {
    RuleReading where = read;
    auto& rule = std::get<map::Rule>(where.reading.what);
    rule.where.insert(rule.where.end(), conditions.begin(), conditions.end());
    return claims::all_sizes_cases(rule_statement(claim, request, where, numbers), effort).has_value();
  });
}

std::optional<Refutation> contradicted(const ClaimRequest& claim, const engines::Leaves& leaves,
                                       const Alternatives& holds, bool exact, Instances& instances) {
  std::optional<Refutation> out;
  const auto look = [&](const map::Sizes& sizes) {
    if (out) return;
    auto judged = instances.decide(claim, sizes);
    if (!judged) return;
    const bool said = std::ranges::any_of(holds, [&](const auto& all) { return hold(all, sizes); });
    if (auto* refuted = std::get_if<question::Refuted>(&judged->verdict); refuted != nullptr && said)
      out = Refutation{sizes, std::move(*refuted), false};
    if (exact && !said && std::holds_alternative<question::Proved>(judged->verdict)) {
      out = Refutation{sizes, {}, false};
      out->verdict.counterexample.explanation = "it is proved there, against the condition";
    }
  };
  for (const engines::Leaf& leaf : leaves.all)
    for (const map::Sizes& sizes : leaf.cell.samples(2)) look(sizes);
  use::Random random(20261125, 21, 0);
  for (std::size_t k = 0; k < kDrawn && !leaves.all.empty(); ++k)
    if (const auto sizes = leaves.all[random.below(leaves.all.size())].cell.drawn(random)) look(*sizes);
  return out;
}

}  // namespace vl::session
