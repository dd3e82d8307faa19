// Laws between expressions for all sizes, held against their values: quotients by names and by numbers, products, and
// conditions, which are side facts of cells. What the engine shows, or the checker accepts, holds at all small sizes
// that satisfy the conditions; where the engine says that a cell fails, some size fails unless the cell has none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/use/random.h"
#include "tests/support/shard.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {
namespace engines_polynomial_signs_scope_campaign {

using map::Expression;
using Kind = Expression::Kind;
using Relation = map::Condition::Relation;

constexpr const char* kNames[] = {"M", "N", "A"};

Expression small(use::Random& random) {
  if (random.chance(40)) return random.between(1, 8);
  const Expression name = Expression::named(kNames[random.below(3)]);
  return random.chance(30) ? name * random.between(2, 4) : name;
}
Expression larger(use::Random& random) {
  const Expression a = small(random), b = small(random);
  switch (random.below(5)) {
    case 0: return a;
    case 1: return a + b;
    case 2: return Expression::of(Kind::Ceil, a, b) * b;
    default: return a * b;
  }
}

// Mostly true, or nearly so.
map::Condition law(use::Random& random) {
  const Expression e = larger(random), d = small(random), c = small(random);
  const Expression up = Expression::of(Kind::Ceil, e, d), down = Expression::of(Kind::Quotient, e, d);
  const Expression off = random.chance(60) ? Expression(0) : Expression(random.between(-1, 1));
  switch (random.below(8)) {
    case 0: return {up * d + off, Relation::AtLeast, e};
    case 1: return {up * d - e, Relation::Less, d + off};
    case 2: return {down * d + off, Relation::AtMost, e};
    case 3: return {Expression::of(Kind::Ceil, up, c) + off, Relation::Equal, Expression::of(Kind::Ceil, e, d * c)};
    case 4: return {Expression::of(Kind::Ceil, up * d, d * c) * c * d + off, Relation::AtLeast, e};
    case 5: return {Expression::of(Kind::Remainder, e, d), Relation::Less, d + off};
    case 6: return {Expression::of(Kind::Ceil, e * c, d) + off, Relation::AtMost, up * c};
    default: return {larger(random), Relation::AtLeast, e};
  }
}

map::Rule drawn_rule(use::Random& random) {
  map::Rule out;
  for (const char* name : kNames) out.symbols.push_back({name, 1});
  for (std::uint64_t k = random.below(3); k > 0; --k)
    out.where.push_back({larger(random), random.chance(80) ? Relation::AtLeast : Relation::Less, larger(random)});
  out.logical = {1}, out.strides = {1}, out.levels = {{1, 1}};
  out.places.push_back({"m", map::Unit::Element, 1, 1, 0, {{0, 1}}});
  out.laws = {law(random)};
  return out;
}

struct Counted {
  std::size_t existing = 0, failing = 0;
};
Counted look_at(const map::Rule& rule, Index most) {
  Counted out;
  for (Index m = 1; m <= most; ++m)
    for (Index n = 1; n <= most; ++n)
      for (Index a = 1; a <= most; ++a) {
        const map::Sizes sizes{{"M", m}, {"N", n}, {"A", a}};
        const auto holds = [&](const map::Condition& one) { return *map::holds(one, sizes); };
        if (!std::ranges::all_of(rule.where, holds)) continue;
        ++out.existing;
        out.failing += holds(rule.laws.front()) ? 0 : 1;
      }
  return out;
}

TEST(PolynomialSigns, ShowLawsThatHoldAtAllSmallSizes) {
  const test::Shard shard = test::shard_of(1);
  // Most of the time goes into laws that the checker cannot show: 600 take 15 s.
  const std::size_t rounds = test::is_campaign() ? 20'000 : 600;
  std::size_t proved = 0, accepted = 0, failing = 0, holding = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    use::Random random(20261127, 3, shard.index * rounds + round);
    const map::Rule rule = drawn_rule(random);
    const Counted seen = look_at(rule, 9);
    (seen.failing > 0 ? failing : holding) += 1;
    AllSizesOptions options;
    options.most_cells = 64;
    const Leaves leaves = leaves_of_laws(rule, options);
    const std::string text = fmt::format("{}, where {} conditions", map::print(rule.laws.front()), rule.where.size());
    if (leaves.proved()) {
      ++proved;
      ASSERT_EQ(seen.failing, 0U) << text;
    }
    for (const Leaf& leaf : leaves.all) {
      if (leaf.kind != Leaf::Kind::Fails) continue;
      for (const map::Sizes& sizes : leaf.cell.samples(4)) ASSERT_FALSE(*map::holds(rule.laws.front(), sizes)) << text;
    }
    const checker::Statement said =
        claims::all_sizes_statement(*claims::find_claim("well-formed"), rule, {}, std::nullopt, {});
    if (!claims::all_sizes_cases(said)) continue;
    ++accepted;
    ASSERT_EQ(seen.failing, 0U) << text;
  }
  fmt::print("{} laws: {} fail at small sizes, {} hold; {} shown, {} accepted\n", rounds, failing, holding, proved,
             accepted);
  EXPECT_GE(failing, rounds / 10);
  EXPECT_GE(proved * 2, holding);
  EXPECT_GE(accepted * 2, holding);
}

}  // namespace engines_polynomial_signs_scope_campaign
}  // namespace vl::engines
