// When a claim holds: what another alternative says already is not said again.
#include <gtest/gtest.h>

#include "encodings/use/guess.h"
#include "verifier/engines/polynomial/said.h"

namespace vl::engines {
namespace engines_weakest_test {

using Words = std::vector<std::vector<std::string>>;

const std::vector<std::string> kNames{"M", "N", "P"};

// P >= N is P - N >= 0, N <= 7 is 7 - N >= 0, M = 1 is M - 1 = 0.
Said value_of(const std::string& text) {
  using Kind = map::Expression::Kind;
  using Relation = map::Condition::Relation;
  const map::Condition condition = map::parse_conditions(text)->front();
  std::vector<map::Expression> variables;
  variables.reserve(kNames.size());
  for (const std::string& name : kNames) variables.push_back(map::Expression::named(name));
  const auto polynomial = [&](const map::Expression& e) { return *use::polynomial_of(e, variables); };
  const bool is_remainder = condition.left.kind() == Kind::Remainder;
  if (is_remainder)
    return *said(Said::Kind::Remainder, polynomial(condition.left.parts()[0]), kNames,
                 *condition.left.parts()[1].number(), *condition.right.number());
  const map::Polynomial above = polynomial(condition.left) - polynomial(condition.right);
  if (condition.relation == Relation::Equal) return *said(Said::Kind::Zero, above, kNames);
  return *said(Said::Kind::NotNegative, condition.relation == Relation::AtMost ? -above : above, kNames);
}

Alternatives values_of(const Words& words) {
  Alternatives out;
  for (const std::vector<std::string>& texts : words) {
    Together& together = out.emplace_back();
    for (const std::string& text : texts) together.push_back(value_of(text));
  }
  return out;
}

Words words_of(const Alternatives& alternatives) {
  Words out;
  for (const Together& together : alternatives) {
    std::vector<std::string>& words = out.emplace_back();
    for (const Said& one : together) words.push_back(one.words());
  }
  return out;
}

TEST(Weakest, LeavesOutWhatIsImplied) {
  const struct {
    Words given, left;
  } kTable[] = {
      {{{"P >= N"}, {"P >= N + 1"}}, {{"P >= N"}}},
      {{{"P >= N + 1"}, {"P >= N"}}, {{"P >= N"}}},
      {{{"P + 1 >= N"}, {"P >= N"}, {"P >= N + 3"}}, {{"P + 1 >= N"}}},
      {{{"N <= 6"}, {"N <= 7"}}, {{"N <= 7"}}},
      {{{"N <= 7", "N <= 6", "M = 1"}}, {{"N <= 6", "M = 1"}}},
      {{{"P >= N"}, {"M = 1", "P >= N + 1"}}, {{"P >= N"}}},
      // Not implied: another side, another bound, the other direction, more conditions.
      {{{"P >= N"}, {"P >= M + 1"}}, {{"P >= N"}, {"P >= M + 1"}}},
      {{{"P >= N"}, {"2*P >= N + 1"}}, {{"P >= N"}, {"2*P >= N + 1"}}},
      {{{"N <= 6"}, {"N >= 7"}}, {{"N <= 6"}, {"N >= 7"}}},
      {{{"M = 1", "P >= N"}, {"P >= N + 1"}}, {{"M = 1", "P >= N"}, {"P >= N + 1"}}},
      {{{"P % 64 == 8"}, {"P % 64 == 9"}}, {{"P % 64 == 8"}, {"P % 64 == 9"}}},
  };
  for (const auto& row : kTable)
    EXPECT_EQ(words_of(without_implied(values_of(row.given))), row.left) << row.given[0][0];
}

TEST(Weakest, JoinsRemaindersAndBounds) {
  const struct {
    Words given, joined;
  } kRemainders[] = {
      {{{"P % 64 == 8"}, {"P % 64 == 40"}}, {{"P % 32 == 8"}}},
      {{{"P % 2 == 0"}, {"P % 2 == 1"}}, {{}}},
      {{{"N <= 6", "P % 4 == 1"}, {"P % 4 == 3"}}, {{"N <= 6", "P % 4 == 1"}, {"P % 4 == 3"}}},
      {{{"N % 4 == 1"}, {"P % 4 == 3"}}, {{"N % 4 == 1"}, {"P % 4 == 3"}}},
      {{{"P % 3 == 1"}, {"P % 3 == 2"}}, {{"P % 3 == 1"}, {"P % 3 == 2"}}},
  };
  for (const auto& row : kRemainders)
    EXPECT_EQ(words_of(with_remainders_joined(values_of(row.given), kNames)), row.joined) << row.given[0][0];
  const Words bounds{{"N <= 64", "N >= 64", "P >= M"}}, joined{{"N = 64", "P >= M"}};
  EXPECT_EQ(words_of({with_bounds_joined(values_of(bounds)[0], kNames)}), joined);
}

}  // namespace engines_weakest_test
}  // namespace vl::engines
