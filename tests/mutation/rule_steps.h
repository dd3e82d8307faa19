// Evidence for statements about all sizes by whatever steps: first random ones, then those that the search asks for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "encodings/use/random.h"
#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_rules.h"

namespace vl::mutation {

using Cases = checker::CasesProof;
using engines::cells::NamedStep;
using engines::cells::Place;
using kernel::Polynomial;

inline Polynomial random_polynomial(std::size_t variables, use::Random& random, bool of_positive_terms = false) {
  Polynomial out;
  for (int k = 0; k < 3; ++k) {
    Polynomial term = random.between(of_positive_terms ? 0 : -4, 4);
    for (int factor = 0; factor < 2; ++factor)
      if (random.chance(60)) term = term * Polynomial::variable(random.below(variables));
    out = out + term;
  }
  return out;
}

inline NamedStep random_step(std::size_t variables, use::Random& random) {
  const Polynomial v = engines::cells::number(random.below(variables)), by = random.between(1, 5);
  if (random.chance(20)) return {"quotient", {random_polynomial(variables, random, true), by}, {}};
  if (random.chance(20)) return {"divide", {v, random_polynomial(variables, random, true) + 1}, {}};
  if (random.chance(30)) return {random.chance(50) ? "divide" : "residue", {v, by}, {}};
  return {"split", {random_polynomial(variables, random)}, {}};
}

// The cases of a place. Rejected where one does not hold, or there are too many.
inline void find_cases(const checker::Statement& statement, Place& place, int& random_steps, use::Random& random,
                       Cases& out) {
  checker::require(out.steps.size() < 900, "too many cases");
  std::optional<NamedStep> next;
  if (random_steps > 0 && random.chance(50)) {
    --random_steps;
    next = random_step(statement.rule->symbols.size() + 3, random);  // those of further steps, and some that are none
  } else {
    try {
      std::vector<engines::cells::NamedSteps> goals = claims::goals_of(statement, place);
      NamedStep leaf{"holds", {}, {}};
      for (auto& goal : goals) {
        if (!out.goals) out.goals.emplace();
        leaf.numbers.push_back(engines::cells::number(out.goals->size()));
        out.goals->push_back(std::move(goal));
      }
      out.steps.push_back(std::move(leaf));
      return;
    } catch (engines::cells::Open& open) {
      next = std::move(open.step);
    } catch (const checker::Rejected&) {
      if (!place.refute()) throw;
      return;
    }
  }
  place.part(*next, [&](Place& part) { find_cases(statement, part, random_steps, random, out); });
}

// Of work, for all cases of a statement: what is not found with it hardly ever is.
inline constexpr long long kMostWork = 8'000'000;

inline std::optional<Cases> found_cases(const checker::Statement& statement, int random_steps, use::Random& random) {
  Cases out;
  const kernel::Metered budget(kMostWork);
  try {
    Place root(checker::sizes_of(statement.rule->symbols), out.steps);
    find_cases(statement, root, random_steps, random, out);
  } catch (const checker::Rejected&) {
    return std::nullopt;
  }
  return out;
}

// A certificate that the checker accepts.
inline std::optional<checker::Certificate> accepted(const checker::Statement& statement,
                                                    const std::vector<std::int64_t>& instance, int random_steps,
                                                    use::Random& random) {
  auto cases = found_cases(statement, random_steps, random);
  if (!cases) return std::nullopt;
  checker::Evidence evidence;
  evidence.cases = {instance, std::move(cases->steps), std::move(cases->goals)};
  checker::Certificate out = claims::certificate_of(statement, std::move(evidence));
  return checker::check(out) ? std::nullopt : std::optional(std::move(out));
}

}  // namespace vl::mutation
