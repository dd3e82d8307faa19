// Each step of a proof by cases leaves no size out: whatever sizes are drawn, one of its branches has them. A branch
// has sizes unless it is seen to be empty where all symbols are the sizes.
#include "verifier/checker/sizes.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "encodings/use/random.h"

namespace vl::checker {
namespace checker_sizes_test {

using Texts = std::vector<RuleText::Symbol>;

ExpressionText name(const char* word) { return {word, 0}; }

// The sizes of the set at which a symbol is a number.
std::vector<SizeSet> where_is(const SizeSet& sizes, const std::string& symbol, std::int64_t number) {
  std::vector<SizeSet> open{sizes}, out;
  for (const int sign : {1, -1}) {
    std::vector<SizeSet> left;
    for (const SizeSet& one : open) {
      const Polynomial p = (one.value(name(symbol.c_str())) - number) * sign;
      for (SizeSet& part : one.branches({"compare", write_polynomial(p), {}, {}}))
        if (!part.shows((part.value(name(symbol.c_str())) - number) * -sign - 1)) left.push_back(std::move(part));
    }
    open = std::move(left);
  }
  return open;
}

bool has(const SizeSet& sizes, const Texts& symbols, const Integers& numbers) {
  std::vector<SizeSet> open{sizes};
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    std::vector<SizeSet> left;
    for (const SizeSet& one : open)
      for (SizeSet& part : where_is(one, symbols[k].name, numbers[k])) left.push_back(std::move(part));
    open = std::move(left);
  }
  return !open.empty();
}

std::vector<Integers> drawn_polynomial(use::Random& random, bool of_positive_terms) {
  Polynomial out = random.between(of_positive_terms ? 1 : -3, 3);
  for (int k = 0; k < 2; ++k) {
    Polynomial term = random.between(of_positive_terms ? 0 : -2, 2);
    for (int factors = 0; factors < 2; ++factors)
      if (random.chance(60)) term = term * Polynomial::variable(random.below(4));
    out = out + term;
  }
  return write_polynomial(out);
}

CaseStep drawn_step(use::Random& random) {
  const auto v = static_cast<std::int64_t>(random.below(5));
  switch (random.below(5)) {
    case 0: return {"compare", drawn_polynomial(random, false), {}, {}};
    case 1: return {"divide", {}, v, random.between(1, 4)};
    case 2: return {"residue", {}, v, random.between(1, 4)};
    case 3: return {"quotient", drawn_polynomial(random, true), {}, {}, drawn_polynomial(random, true)};
    default: return {"divide", {}, v, {}, drawn_polynomial(random, true)};
  }
}

TEST(Sizes, OfEachStepAreInABranch) {
  const Texts symbols{{"N", 1}, {"M", 0}, {"E", 1}};
  int divided = 0, several = 0;
  for (std::uint64_t round = 0; round < 500; ++round) {
    use::Random random(20261128, 1, round);
    std::vector<SizeSet> leaves{SizeSet(symbols)};
    for (int k = 0; k < 3; ++k) {
      const CaseStep step = drawn_step(random);
      const std::size_t at = random.below(leaves.size());
      try {
        auto branches = leaves[at].branches(step);
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
        if (step.step == "divide" && step.divisor) ++divided, several += branches.size() > 1 ? 1 : 0;
        for (SizeSet& one : branches) leaves.push_back(std::move(one));
      } catch (const Rejected&) {  // a variable or a polynomial that is none
      }
      if (leaves.empty()) break;
    }
    for (int k = 0; k < 12; ++k) {
      const Integers numbers{random.between(1, 7), random.between(0, 7), random.between(1, 5)};
      bool found = false;
      for (const SizeSet& one : leaves) found = found || has(one, symbols, numbers);
      ASSERT_TRUE(found) << "round " << round << ": " << numbers[0] << " " << numbers[1] << " " << numbers[2];
    }
  }
  EXPECT_GE(divided, 100);
  EXPECT_GE(several, 10);
}

// N = E·q + r + 1 with r < E: the last lane is below E, N is at least r + 1, and ceil(N/E) is q + 1.
TEST(Sizes, AreDividedByAName) {
  const SizeSet all(Texts{{"N", 1}, {"M", 1}, {"E", 1}});
  const CaseStep by_lanes{"divide", {}, 0, {}, write_polynomial(all.value(name("E")))};
  const auto once = all.branches(by_lanes);
  ASSERT_EQ(once.size(), 1U);
  const ExpressionText sticks{"ceil", 0, {name("N"), name("E")}}, last{"%", 0, {name("N"), name("E")}};
  const Polynomial left = once[0].value({"-", 0, {{"*", 0, {sticks, name("E")}}, name("N")}});
  EXPECT_TRUE(once[0].shows(left));
  EXPECT_TRUE(once[0].shows(once[0].value(name("E")) - 1 - left));
  // Whether N is a multiple of E is another case.
  EXPECT_THROW(static_cast<void>(once[0].value(last)), Undecided);

  // The rest of M is below that of N, or is as much and more.
  const CaseStep again{"divide", {}, 1, {}, write_polynomial(once[0].value(name("E")))};
  const auto twice = once[0].branches(again);
  ASSERT_EQ(twice.size(), 2U);
  const ExpressionText columns{"ceil", 0, {name("M"), name("E")}};
  for (const SizeSet& one : twice) {
    const Polynomial lanes = one.value(name("E")), places = one.value(sticks) * one.value(columns) * lanes * lanes;
    EXPECT_TRUE(one.shows(places - one.value(name("N")) * one.value(name("M"))));
    EXPECT_FALSE(one.shows(one.value(name("N")) * one.value(name("M")) - places));
  }
}

TEST(Sizes, AreNotDividedByWhatMayBeNone) {
  const SizeSet all(Texts{{"N", 1}, {"M", 0}, {"E", 1}});
  const Polynomial n = Polynomial::variable(0), m = Polynomial::variable(1);
  for (const Polynomial& by : {m, m - 1, n + 1, n * m + 1, Polynomial(0), Polynomial(-2)})
    EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 0, {}, write_polynomial(by)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 0, 2, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 0, {}})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"residue", {}, 0, {}, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 9, {}, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 24, {}, write_polynomial(m + 1)})), Rejected);
}

}  // namespace checker_sizes_test
}  // namespace vl::checker
