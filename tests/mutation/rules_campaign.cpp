// Certificates of proofs for all sizes against brute force: rules of the corpus and others, changed at one or two
// places, so that most are wrong; and their certificates, changed everywhere. No statement that is false at some small
// size may have evidence that the checker accepts, whoever chooses the steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "encodings/use/random.h"
#include "tests/mutation/rule_changes.h"
#include "tests/mutation/rule_statements.h"
#include "tests/mutation/rule_steps.h"
#include "tests/mutation/rule_truth.h"
#include "tests/support/flips.h"
#include "tests/support/shard.h"
#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/rule_certificates.h"

namespace vl {
namespace mutation_rules_campaign {

using checker::Statement;
using mutation::accepted;
using mutation::AtSizes;
using mutation::change;
using mutation::pairs;
using mutation::statements;
using Numbers = std::vector<std::int64_t>;
using Json = nlohmann::json;

// ---- Truth

// Small sizes, and a few larger ones of single symbols.
Numbers drawn_sizes(const checker::RuleText& rule, use::Random& random) {
  Numbers out;
  for (const auto& symbol : rule.symbols)
    out.push_back(symbol.low + (random.chance(80) ? random.between(0, 4) : random.between(0, 150)));
  return out;
}

struct Looked {
  std::size_t existing = 0;
  std::optional<Numbers> against;
  std::optional<Numbers> with_element;
};
Looked look_at(const Statement& statement, std::size_t draws, use::Random& random) {
  Looked out;
  for (std::size_t k = 0; k < draws && !out.against; ++k) {
    const Numbers sizes = drawn_sizes(*statement.rule, random);
    const AtSizes found = mutation::RuleAtSizes(statement, sizes).look();
    if (found == AtSizes::NoInstance) continue;
    ++out.existing;
    if (found == AtSizes::False) out.against = sizes;
  }
  return out;
}

// Sizes that the checker takes for an instance.
std::optional<Numbers> instance_of(const checker::RuleText& rule, use::Random& random) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    const Numbers sizes = drawn_sizes(rule, random);
    try {
      checker::check_instance(rule, sizes);
      return sizes;
    } catch (const checker::Rejected&) {
    }
  }
  return std::nullopt;
}

// Changes statements, and tries to prove them. One of `per_wrong` is wrong at least.
void expect_none_false(const std::vector<Statement>& of, std::size_t rounds, std::size_t per_wrong = 4) {
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  std::size_t wrong = 0, right = 0, accepted_right = 0, unseen = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    use::Random random(20261125, 21, first + round);
    Statement statement = of[random.below(of.size())];
    const std::size_t changes = random.below(3);
    for (std::size_t k = 0; k < changes; ++k) change(statement, random);
    const Looked looked = look_at(statement, 60, random);
    const auto instance = instance_of(*statement.rule, random);
    if (looked.existing == 0 || !instance) {
      ++unseen;
      continue;
    }
    (looked.against ? wrong : right) += 1;
    for (const int random_steps : {0, 1, 4}) {
      const auto made = accepted(statement, *instance, random_steps, random);
      if (!made) continue;
      if (!looked.against) {
        ++accepted_right;
        // The draws were few: a proof is held against more of them.
        const Looked more = look_at(statement, 60, random);
        ASSERT_FALSE(more.against) << fmt::format("{}", fmt::join(*more.against, ",")) << checker::write(*made).dump();
        continue;
      }
      FAIL() << "false at " << fmt::format("{}", fmt::join(*looked.against, ",")) << ": "
             << checker::write(*made).dump();
    }
  }
  fmt::print("{} rules: {} wrong, {} right at what was looked at, {} times accepted; {} without an instance\n", rounds,
             wrong, right, accepted_right, unseen);
  EXPECT_GE(wrong, rounds / per_wrong);
  EXPECT_GE(accepted_right, rounds / 10);
}

TEST(RuleCertificates, OfChangedRulesAreAcceptedOnlyWhereNoSizeRefutesThem) {
  EXPECT_GE(statements().size(), 200U);
  expect_none_false(statements(), test::is_campaign() ? 40'000 : 300);
}

TEST(RuleCertificates, OfChangedRulesWithNumbersAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> with_numbers;
  for (const Statement& one : statements())
    if (one.rule->numbers) with_numbers.push_back(one);
  EXPECT_GE(with_numbers.size(), 150U);
  expect_none_false(with_numbers, test::is_campaign() ? 6'000 : 150);
}

TEST(RuleCertificates, OfChangedPairsAreAcceptedOnlyWhereNoSizeTellsThemApart) {
  const std::vector<Statement> all = pairs();
  EXPECT_EQ(all.size(), std::size(mutation::kPairs));
  for (const Statement& one : all)
    EXPECT_TRUE(claims::all_sizes_cases(one).has_value()) << one.layout << " and " << one.arguments->at("with");
  expect_none_false(all, test::is_campaign() ? 20'000 : 150);
}

// What is shown of elements that have a slot alone, whatever the others are.
TEST(RuleCertificates, OfChangedRulesWithNumbersBeyondTheirLevelsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> of_slots;
  for (const Statement& one : statements())
    if (one.rule->numbers && (one.claim == "injective" || (one.claim == "offset-identity" && !one.rule->named)))
      of_slots.push_back(one);
  EXPECT_GE(of_slots.size(), 20U);
  expect_none_false(of_slots, test::is_campaign() ? 6'000 : 150, 20);  // most changes leave them right
}

TEST(RuleCertificates, OfChangedRulesWhoseNumbersJoinDigitsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> with_joins;
  for (const Statement& one : statements())
    if (one.rule->joins) with_joins.push_back(one);
  EXPECT_GE(with_joins.size(), 40U);
  expect_none_false(with_joins, test::is_campaign() ? 3'000 : 80);
}

TEST(RuleCertificates, OfChangedRulesAboutRowsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_rows;
  for (const Statement& one : statements())
    if (one.claim == "row-aligned") about_rows.push_back(one);
  EXPECT_GE(about_rows.size(), 200U);
  expect_none_false(about_rows, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, OfChangedRulesAboutCoresAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_cores;
  for (const Statement& one : statements())
    if (one.claim == "occupied" || one.claim == "mask-exact") about_cores.push_back(one);
  EXPECT_GE(about_cores.size(), 60U);
  expect_none_false(about_cores, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, OfChangedRulesAboutKindsOfPaddingAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_kinds;
  for (const Statement& one : statements())
    if (one.claim == "padding-kind") about_kinds.push_back(one);
  EXPECT_GE(about_kinds.size(), 60U);
  expect_none_false(about_kinds, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, ThatAreChangedAreRejectedOrShowWhatIsTrue) {
  std::size_t certificates = 0, flips = 0, rejected = 0, same = 0, other = 0;
  const test::Shard shard = test::shard_of_about(12, statements().size());
  for (std::size_t number = 0; number < statements().size(); ++number) {
    if (!shard.has(number)) continue;
    use::Random random(20261125, 22, number);
    const Statement& statement = statements()[number];
    const auto instance = instance_of(*statement.rule, random);
    const auto made = instance ? accepted(statement, *instance, 0, random) : std::nullopt;
    if (!made) continue;
    ++certificates;
    const Json whole = checker::write(*made);
    for (const test::Flip& flip : test::all_flips(whole, test::is_campaign() ? 6 : 1)) {
      Json changed = flip.of(whole);
      ++flips;
      const bool of_statement =
          changed.is_object() && changed.contains("statement") && changed["statement"] != whole["statement"];
      if (of_statement) {
        ASSERT_TRUE(checker::check(changed)) << "another statement of the same digest: " << changed.dump();
        if (!changed["statement"].is_object()) {
          ++rejected;
          continue;
        }
        changed["digest"] = checker::digest(changed["statement"]);
      }
      if (checker::check(changed)) {
        ++rejected;
        continue;
      }
      const auto again = checker::read<checker::Certificate>(changed);
      ++(of_statement ? other : same);
      const Looked looked = look_at(again.statement, !of_statement ? 1 : test::is_campaign() ? 60 : 10, random);
      ASSERT_FALSE(looked.against) << fmt::format("{}", fmt::join(*looked.against, ",")) << changed.dump();
    }
  }
  fmt::print("{} certificates, {} changes: {} rejected, {} prove the same, {} another statement that no size refutes\n",
             certificates, flips, rejected, same, other);
  EXPECT_GE(certificates, 2U);
  EXPECT_GE(rejected, flips / 2);
}

// Which of two axes m is the memory, nobody says.
TEST(RuleCertificates, NameEachDimensionOnce) {
  use::Random random(20261127, 24, 0);
  std::size_t seen = 0;
  for (const Statement& statement : statements()) {
    if (statement.rule->places.size() < 2) continue;
    const auto instance = instance_of(*statement.rule, random);
    const auto made = instance ? accepted(statement, *instance, 0, random) : std::nullopt;
    if (!made) continue;
    checker::Certificate twice = *made;
    twice.statement.rule->places.back().name = twice.statement.rule->places.front().name;
    twice.digest = checker::digest(twice.statement);
    EXPECT_EQ(checker::check(twice).value_or(""), "two dimensions of one name");
    if (++seen == 20) break;
  }
  EXPECT_EQ(seen, 20U);
}

TEST(RuleCertificates, AreReadStrictly) {
  use::Random random(20261125, 23, 0);
  const Statement& statement = statements().front();
  const auto instance = instance_of(*statement.rule, random);
  ASSERT_TRUE(instance);
  const auto made = accepted(statement, *instance, 0, random);
  ASSERT_TRUE(made);
  const auto with = [&](auto change_it) {
    checker::Certificate out = *made;
    change_it(out);
    out.digest = checker::digest(out.statement);
    return checker::check(out);
  };
  EXPECT_FALSE(with([](checker::Certificate&) {}));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.rule->symbols.push_back(c.statement.rule->symbols[0]); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.rule->symbols.push_back({"max of", 1}); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.at_most = 1; }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.value_expression.emplace(); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->steps.pop_back(); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->steps.push_back({"holds", {}, {}}); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->sizes.push_back(1); }));
  const std::string text = checker::print(*made, false);
  EXPECT_TRUE(checker::certificate_in(text));
  std::string why;
  EXPECT_FALSE(checker::certificate_in(text + '\0', &why));  // the parser would take it for the end
}

}  // namespace mutation_rules_campaign
}  // namespace vl
