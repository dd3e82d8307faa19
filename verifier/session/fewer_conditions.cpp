// Proofs that do without some of a case's conditions (all_sizes.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verifier/session/all_sizes_case.h"

namespace vl::session {
namespace {

constexpr std::size_t kMostTried = 8;  // conditions that are left out one at a time

// Whether a condition is a lower bound, which may also be below the usual one.
bool is_bound(const map::Condition& condition) {
  const auto rule = map::with_conditions({}, {condition});
  return rule && rule->where.empty();
}

// The conditions by their numbers, in sets: all that may be left out, then each alone.
std::vector<std::vector<std::size_t>> left_out(const std::vector<map::Condition>& where) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < where.size(); ++k)
    if (!is_bound(where[k])) all.push_back(k);
  std::vector<std::vector<std::size_t>> out;
  if (!all.empty()) out.push_back(all);
  for (std::size_t k = 0; all.size() > 1 && k < std::min(all.size(), kMostTried); ++k) out.push_back({all[k]});
  return out;
}

}  // namespace

std::optional<question::Answer> proved_with_fewer(const ClaimRequest& claim, const CaseRequest& request,
                                                  const use::Family& family, const RuleReading& read,
                                                  const JudgeOptions& options, const std::string& stem,
                                                  std::optional<Diagnostic>& unwritten) {
  const std::vector<map::Symbol>& symbols = read.reading.rule_for_all_sizes()->symbols;
  for (const std::vector<std::size_t>& without : left_out(read.where)) {
    std::vector<std::string> kept;
    for (std::size_t k = 0; k < read.where.size(); ++k)
      if (std::ranges::find(without, k) == without.end()) kept.push_back(map::print(read.where[k]));
    if (options.engines.budget.stopped()) return std::nullopt;
    CaseRequest fewer = request;
    fewer.where->text = fmt::format("{}", fmt::join(kept, ", "));
    if (kept.empty()) fewer.where.reset();
    fewer.all_sizes = true;
    const auto again = read_rule_case(fewer, family);
    const auto* reading = std::get_if<RuleReading>(&again);
    const map::Rule* rule = reading == nullptr ? nullptr : reading->reading.rule_for_all_sizes();
    if (rule == nullptr || rule->symbols != symbols) continue;
    const RuleCase of{fewer, *rule, options.engines};
    AllSizesCase without_them(of, *reading, options.certificates, true);
    question::Answer answer = without_them.answer(claim, stem, unwritten);
    const auto* unknown = std::get_if<question::Unknown>(&answer.verdict);
    if (unknown != nullptr && unknown->reason == question::Reason::EnginesDisagree) return answer;
    if (!std::holds_alternative<question::Proved>(answer.verdict)) continue;
    answer.note += fmt::format(
        "; shown {}", kept.empty() ? "without the conditions" : fmt::format("where {}", fmt::join(kept, ", ")));
    return answer;
  }
  return std::nullopt;
}

}  // namespace vl::session
