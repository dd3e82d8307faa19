// Sizes that the search of a refutation for all sizes goes through.
#include "verifier/session/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vl::session {
namespace claims_candidates_test {

using map::Expression;

// A tile of 32 by 32 a core of a grid with names, of six symbols: too many for all combinations of edges. The second
// dimension needs a second tile at 33, whatever the others are.
TEST(Candidates, AreAtTheEdgesOfTheRulesNumbersForManySymbolsToo) {
  map::Rule rule;
  for (const char* name : {"M", "N", "A", "B", "G", "H"}) rule.symbols.push_back({name, 1});
  rule.logical = {Expression::named("M"), Expression::named("N")};
  const Expression tiles = Expression::of(Expression::Kind::Ceil, Expression::named("N"), Expression(32));
  rule.laws.push_back({tiles, map::Condition::Relation::AtMost, Expression::named("B") * Expression::named("H"), {}});
  const std::vector<Candidate> all = candidates(rule, nullptr, {});
  const map::Sizes wanted{{"M", 1}, {"N", 33}, {"A", 1}, {"B", 1}, {"G", 1}, {"H", 1}};
  EXPECT_NE(std::ranges::find(all, wanted, &Candidate::sizes), all.end());
  EXPECT_TRUE(std::ranges::is_sorted(all, std::less<>{}));
  EXPECT_LE(all.size(), 6000U);
}

}  // namespace claims_candidates_test
}  // namespace vl::session
