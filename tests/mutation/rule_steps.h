// Evidence for statements about all sizes by whatever steps: first random ones, then those that the checker asks for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "encodings/use/random.h"
#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_rules.h"

namespace vl::mutation {

inline std::vector<checker::Integers> random_polynomial(std::size_t variables, use::Random& random) {
  std::vector<checker::Integers> out;
  for (int k = 0; k < 3; ++k) {
    checker::Integers term{random.between(-4, 4)};
    for (int factor = 0; factor < 2; ++factor)
      if (random.chance(60)) {
        const auto v = static_cast<std::int64_t>(random.below(variables));
        if (term.size() == 1 || term[1] != v) term.insert(term.end(), {v, 1});
      }
    out.push_back(std::move(term));
  }
  return out;
}

inline checker::CaseStep random_step(std::size_t variables, use::Random& random) {
  if (random.chance(20)) {  // of a number that is at least 0
    auto polynomial = random_polynomial(variables, random);
    for (checker::Integers& term : polynomial) term[0] = std::abs(term[0]);
    return {"quotient", std::move(polynomial), {}, {}, {{{random.between(1, 5)}}}};
  }
  if (random.chance(20)) {  // by a number that is at least 1
    auto divisor = random_polynomial(variables, random);
    for (checker::Integers& term : divisor) term[0] = std::abs(term[0]);
    divisor.push_back({1});
    return {"divide", {}, static_cast<std::int64_t>(random.below(variables)), {}, std::move(divisor)};
  }
  if (random.chance(30))
    return {random.chance(50) ? "divide" : "residue",
            {},
            static_cast<std::int64_t>(random.below(variables)),
            random.between(1, 5)};
  return {"compare", random_polynomial(variables, random)};
}

inline std::optional<std::vector<checker::CaseStep>> found_steps(const checker::Statement& statement, int random_steps,
                                                                 use::Random& random) {
  std::vector<checker::CaseStep> out;
  std::vector<checker::SizeSet> open{checker::SizeSet(statement.rule->symbols)};
  while (!open.empty()) {
    if (out.size() > 300) return std::nullopt;
    const checker::SizeSet sizes = std::move(open.back());
    open.pop_back();
    try {
      std::optional<checker::CaseStep> step;
      if (random_steps > 0 && random.chance(50)) {
        --random_steps;
        step =
            random_step(statement.rule->symbols.size() + 3, random);  // those of further steps, and some that are none
      } else {
        try {
          out.push_back(claims::holding(statement, sizes));
        } catch (const checker::Undecided& no) {
          step = no.step;
        }
      }
      if (!step) continue;
      auto branches = sizes.branches(*step);
      for (std::size_t k = branches.size(); k-- > 0;) open.push_back(std::move(branches[k]));
      out.push_back(std::move(*step));
    } catch (const checker::Rejected&) {
      return std::nullopt;
    }
  }
  return out;
}

// A certificate that the checker accepts.
inline std::optional<checker::Certificate> accepted(const checker::Statement& statement,
                                                    const std::vector<std::int64_t>& instance, int random_steps,
                                                    use::Random& random) {
  auto steps = found_steps(statement, random_steps, random);
  if (!steps) return std::nullopt;
  checker::Evidence evidence;
  evidence.cases = {instance, std::move(*steps)};
  checker::Certificate out = claims::certificate_of(statement, std::move(evidence));
  return checker::check(out) ? std::nullopt : std::optional(std::move(out));
}

}  // namespace vl::mutation
