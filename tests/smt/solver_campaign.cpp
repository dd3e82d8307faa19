// solve(): known answers, brute force on random maps, models that are replayed, and the limit that was exhausted.
#include "encodings/smt/solver.h"

#include <gtest/gtest.h>

#include <limits>

#include "encodings/map/text.h"
#include "tests/smt/obligations.h"

namespace vl::smt {
namespace smt_solver_campaign {

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index k62 = Index{1} << 62;

map::Map read(std::string_view text) { return *map::parse(text); }

Linear sum(std::vector<std::pair<TermId, Index>> terms, Index constant = 0) {
  return Linear{constant, std::move(terms)};
}

struct Known {
  const char* name;
  std::vector<map::Range> ranges;  // of v0, v1, …
  std::vector<Formula> required;
  std::vector<Index> model;  // the only one; empty for unsat
};

void PrintTo(const Known& row, std::ostream* out) { *out << row.name; }

class KnownAnswer : public testing::TestWithParam<std::tuple<Known, Theory>> {};

TEST_P(KnownAnswer, IsFound) {
  const auto& [row, theory] = GetParam();
  Obligation obligation;
  for (const map::Range& range : row.ranges) obligation.variable(range);
  for (const Formula& formula : row.required) obligation.require(formula);
  const Outcome outcome = solve(obligation, Budget{}, theory);
  ASSERT_EQ(answer(outcome), row.model.empty() ? "unsat" : "sat");
  if (row.model.empty()) return;
  EXPECT_EQ(std::get<Satisfiable>(outcome).values, row.model);
}

const std::vector<Known> kKnown = {
    {"OneValue", {{7, 7}}, {}, {7}},
    {"Equation", {{0, 9}, {0, 9}}, {is_zero(sum({{0, 10}, {1, 1}}, -42))}, {4, 2}},
    {"EquationWithoutSolution", {{0, 9}, {0, 9}}, {is_zero(sum({{0, 2}, {1, 4}}, -7))}, {}},
    {"OutOfRange", {{0, 9}}, {equals_constant(0, 10)}, {}},
    {"NegativeRange", {{-5, -3}}, {at_most_zero(sum({{0, 1}}, 5))}, {-5}},
    {"NegativeCoefficient",
     {{-5, 5}, {-5, 5}},
     {is_zero(sum({{0, -3}, {1, 4}}, 35)), negate(equals_constant(0, 1))},
     {5, -5}},
    {"BothSigns", {{-8, 7}}, {at_most_zero(sum({{0, 1}}, 8))}, {-8}},
    {"And", {{0, 9}}, {all_of({within(0, 3, 9), within(0, 0, 3)})}, {3}},
    {"AndWithoutSolution", {{0, 9}}, {all_of({within(0, 4, 9), within(0, 0, 3)})}, {}},
    {"EmptyAnd", {{2, 2}}, {all_of({})}, {2}},
    {"NotEmptyAnd", {{2, 2}}, {negate(all_of({}))}, {}},
    {"EmptyOr", {{2, 2}}, {any_of({})}, {}},
    {"NotEmptyOr", {{2, 2}}, {negate(any_of({}))}, {2}},
    {"Or", {{0, 9}}, {any_of({equals_constant(0, 12), equals_constant(0, 5)})}, {5}},
    {"Not", {{0, 2}}, {negate(equals_constant(0, 0)), negate(equals_constant(0, 2))}, {1}},
    {"NotNot", {{0, 2}}, {negate(negate(equals_constant(0, 1)))}, {1}},
    {"NotWithin", {{0, 9}}, {negate(within(0, 0, 8))}, {9}},
    {"DeMorgan", {{0, 9}}, {negate(any_of({within(0, 0, 4), within(0, 6, 9)}))}, {5}},
    {"Nested",
     {{0, 3}, {0, 3}},
     {any_of({all_of({equals(0, 1), any_of({})}), all_of({equals_constant(0, 1), equals_constant(1, 3)})})},
     {1, 3}},
    {"EmptyWithin", {{0, 9}}, {within(0, 5, 4)}, {}},
    {"Equals", {{0, 5}, {5, 9}}, {equals(0, 1)}, {5, 5}},
    {"PigeonHole", {{0, 1}, {0, 1}, {0, 1}}, {negate(equals(0, 1)), negate(equals(0, 2)), negate(equals(1, 2))}, {}},
    {"LargeValues",
     {{k62 - 1, k62 + 1}, {k62, k62 + 5}},
     {is_zero(sum({{0, 1}, {1, -1}}, 6)), negate(within(1, k62, k62 + 4))},
     {k62 - 1, k62 + 5}},
    {"LargestSum",
     {{kMost - 1, kMost}, {kMost - 1, kMost}},
     {at_most_zero(sum({{0, -1}, {1, -1}}, kMost)), equals_constant(0, kMost), equals(0, 1)},
     {kMost, kMost}},
    {"LargeProducts",
     {{0, kMost}, {0, kMost}},
     {is_zero(sum({{0, kMost}, {1, -(kMost - 1)}})), negate(equals_constant(0, 0)), within(0, 0, kMost - 1)},
     {kMost - 1, kMost}},
    {"LargeNegative",
     {{-kMost, 0}},
     {at_most_zero(sum({{0, 2}}, kMost)), at_most_zero(sum({{0, -2}}, -kMost)), is_zero(sum({{0, 2}}, kMost - 1))},
     {}},
};

INSTANTIATE_TEST_SUITE_P(Table, KnownAnswer,
                         testing::Combine(testing::ValuesIn(kKnown),
                                          testing::Values(Theory::Integers, Theory::BitVectors)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  (std::get<1>(row.param) == Theory::Integers ? "OfIntegers" : "OfBitVectors");
                         });

TEST(Solve, OfNothingIsSatisfiable) {
  const Outcome outcome = solve(Obligation{}, Budget{});
  ASSERT_EQ(answer(outcome), "sat");
  EXPECT_TRUE(std::get<Satisfiable>(outcome).values.empty());
}

/// A model of collision(f): two points of the domain that differ and have one value.
bool is_collision(const map::Map& f, const std::vector<Index>& values) {
  const auto rank = static_cast<std::ptrdiff_t>(f.domain().rank());
  const Point x(values.begin(), values.begin() + rank), y(values.begin() + rank, values.end());
  return f.domain().contains(x) && f.domain().contains(y) && x != y && test::naive(f, x) == test::naive(f, y);
}

TEST(Solve, FindsACollisionIffTwoPointsShareAValue) {
  std::size_t sat = 0, unsat = 0;
  test::for_all(160, [&] {
    map::Map f = *test::maps({.rank = 3, .volume = 30, .least_extent = 1, .stages = 2});
    if (*rc::gen::arbitrary<bool>() && f.outputs() > 1) {  // the first output alone collides more often
      std::vector<map::Stage> stages = f.stages();
      stages.push_back(map::Affine{{map::pick(0)}});
      f = *map::Map::create(f.domain(), std::move(stages));
    }
    const Outcome outcome = solve(collision(f), Budget{});
    RC_ASSERT(answer(outcome) == (collides(f) ? "sat" : "unsat"));
    const auto* found = std::get_if<Satisfiable>(&outcome);
    RC_ASSERT((found == nullptr || is_collision(f, found->values)));
    ++(found != nullptr ? sat : unsat);
  });
  EXPECT_GE(sat, 25U);
  EXPECT_GE(unsat, 30U);
}

TEST(Solve, FindsAPreimageIffThereIsOne) {
  std::size_t sat = 0, unsat = 0;
  test::for_all(160, [&] {
    const map::Map f = *test::maps({.rank = 3, .volume = 30, .least_extent = 1, .stages = 3});
    if (f.outputs() == 0) return;
    const map::Range& range = f.ranges(f.stages().size()).back();
    const Index wanted = *test::numbers(range.low - 1, range.high + 1);
    const Outcome outcome = solve(preimage(f, f.outputs() - 1, wanted), Budget{});
    RC_ASSERT(answer(outcome) == (hits(f, f.outputs() - 1, wanted) ? "sat" : "unsat"));
    const auto* found = std::get_if<Satisfiable>(&outcome);
    if (found != nullptr) {
      RC_ASSERT(f.domain().contains(found->values));
      RC_ASSERT(test::naive(f, found->values).back() == wanted);
    }
    ++(found != nullptr ? sat : unsat);
  });
  EXPECT_GE(sat, 25U);
  EXPECT_GE(unsat, 30U);
}

TEST(Solve, ProvesEverySmallSwizzleInjectiveAtItsLeastWidth) {
  std::size_t proved = 0;
  for (int base = 0; base <= 1; ++base)
    for (int bits = 0; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const auto direction : {map::Swizzle::Direction::Down, map::Swizzle::Direction::Up}) {
          const auto f = *map::Map::create(*map::Space::create({{"x", Index{1} << (base + bits + shift)}}),
                                           {map::Stage{map::Swizzle{0, base, bits, shift, direction}}});
          ASSERT_EQ(answer(solve(collision(f), Budget{})), "unsat") << print(f);
          ++proved;
        }
  EXPECT_EQ(proved, 48U);
}

TEST(Solve, FindsTheCollisionOfAnAffineRowBeforeASwizzle) {
  const map::Map f = read("(x:4, y:5) -> affine(4*x0 + x1) -> swizzle(0; 0, 2, 2, down)");
  const Outcome outcome = solve(collision(f), Budget{});
  ASSERT_EQ(answer(outcome), "sat");
  EXPECT_TRUE(is_collision(f, std::get<Satisfiable>(outcome).values));
}

TEST(Solve, AnswersForASwizzleNear62Bits) {
  const map::Map f = read("(x:4611686018427387904) -> swizzle(0; 0, 31, 31, down)");
  EXPECT_EQ(answer(solve(collision(f), Budget{})), "unsat");
  const Outcome found = solve(preimage(f, 0, k62 - 1), Budget{});
  ASSERT_EQ(answer(found), "sat");
  EXPECT_EQ(std::get<Satisfiable>(found).values, (std::vector<Index>{(k62 - 1) - ((Index{1} << 31) - 1)}));
}

TEST(Solve, FindsTheOnlyPreimageOfANegativeDigit) {
  const map::Map f = read("(x:20) -> affine(x0 - 10) -> split(0; 8, 3, 1)");
  for (const Theory theory : {Theory::Integers, Theory::BitVectors}) {
    Obligation obligation;
    const auto y = obligation.apply(f, obligation.point_of(f.domain()));
    obligation.require(all_of({equals_constant(y[0], -2), equals_constant(y[1], 2), equals_constant(y[2], 0)}));
    const Outcome outcome = solve(obligation, Budget{}, theory);
    ASSERT_EQ(answer(outcome), "sat");
    EXPECT_EQ(std::get<Satisfiable>(outcome).values, (std::vector<Index>{0}));
  }
}

TEST(Obligation, RefusesMapsOutsideTheirDomain) {
  const map::Map f = read("(x:4) -> affine(x0)");
  Obligation obligation;
  const TermId wide = obligation.variable({0, 4});
  const TermId negative = obligation.variable({-1, 3});
  EXPECT_THROW(static_cast<void>(obligation.apply(f, {wide})), InternalError);
  EXPECT_THROW(static_cast<void>(obligation.apply(f, {negative})), InternalError);
  EXPECT_THROW(static_cast<void>(obligation.apply(f, {})), InternalError);
  EXPECT_THROW(static_cast<void>(obligation.variable({1, 0})), InternalError);
}

TEST(Obligation, KnowsTheRangesOfItsTerms) {
  const map::Map f = read("(x:5) -> affine(-3*x0 + 1, x0)");
  Obligation obligation;
  const auto x = obligation.point_of(f.domain());
  const auto y = obligation.apply(f, x);
  EXPECT_EQ(obligation.terms(), 3U);
  EXPECT_EQ(obligation.range(x[0]), (map::Range{0, 4}));
  EXPECT_EQ(obligation.range(y[0]), (map::Range{-11, 1}));
  EXPECT_EQ(obligation.variables(), x);
}

Budget limited(std::chrono::milliseconds wall, std::uint64_t rlimit) {
  Budget budget;
  budget.wall = wall;
  budget.rlimit = rlimit;
  return budget;
}

class Budgets : public testing::TestWithParam<Theory> {};

TEST_P(Budgets, OfResourceUnitsEndInResourceLimit) {
  const Outcome outcome = solve(hard(), limited(std::chrono::minutes(5), 20'000), GetParam());
  ASSERT_TRUE(std::holds_alternative<Undecided>(outcome)) << answer(outcome);
  EXPECT_EQ(std::get<Undecided>(outcome).why, Undecided::Why::ResourceLimit) << answer(outcome);
}

TEST_P(Budgets, OfTimeEndInTimeout) {
  const Outcome outcome = solve(hard(), limited(std::chrono::milliseconds(1), 4'000'000'000), GetParam());
  ASSERT_TRUE(std::holds_alternative<Undecided>(outcome)) << answer(outcome);
  EXPECT_EQ(std::get<Undecided>(outcome).why, Undecided::Why::Timeout) << answer(outcome);
}

INSTANTIATE_TEST_SUITE_P(Theories, Budgets, testing::Values(Theory::Integers, Theory::BitVectors),
                         [](const auto& row) { return row.param == Theory::Integers ? "OfIntegers" : "OfBitVectors"; });

}  // namespace smt_solver_campaign
}  // namespace vl::smt
