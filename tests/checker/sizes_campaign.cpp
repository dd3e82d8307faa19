// Each step of a proof by cases leaves no size out: whatever sizes are drawn, one of its branches has them. A branch
// has sizes unless it is seen to be empty where all symbols are the sizes.
#include "verifier/checker/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "encodings/use/random.h"

namespace vl::checker {
namespace checker_sizes_campaign {

using Texts = std::vector<RuleText::Symbol>;

ExpressionText name(const char* word) { return {word, 0}; }

// The sizes of a set at which a polynomial of its is 0, as the set says it.
std::vector<SizeSet> where_zero(const SizeSet& sizes, const std::function<Polynomial(const SizeSet&)>& polynomial) {
  std::vector<SizeSet> open{sizes};
  for (const int sign : {1, -1}) {
    std::vector<SizeSet> left;
    for (const SizeSet& one : open)
      for (SizeSet& part : one.branches({"compare", write_polynomial(polynomial(one) * sign), {}, {}}))
        if (!part.shows(polynomial(part) * -sign - 1)) left.push_back(std::move(part));
    open = std::move(left);
  }
  return open;
}

bool is_variable(const SizeSet& sizes, std::size_t v) {
  try {
    static_cast<void>(sizes.branches({"compare", write_polynomial(Polynomial::variable(v)), {}, {}}));
    return true;
  } catch (const Rejected&) {
    return false;
  }
}

// Whether small values of the variables, which keep all facts, are those sizes. Each variable is 0, and then no
// variable more, or 1 and more, and then counted from there.
bool has_values(const SizeSet& sizes, const Texts& symbols, const Integers& numbers) {
  std::size_t v = 0;
  while (v < Polynomial::kVariables && !is_variable(sizes, v)) ++v;
  if (v == Polynomial::kVariables) {
    bool same = true;
    for (std::size_t k = 0; k < symbols.size(); ++k)
      same = same && sizes.value(name(symbols[k].name.c_str())).number() == Wide(numbers[k]);
    return same;
  }
  std::optional<SizeSet> left = sizes;
  for (int value = 0; value <= 8 && left; ++value) {
    const auto parts = left->branches({"compare", write_polynomial(Polynomial::variable(v) * -1), {}, {}});
    left.reset();
    for (const SizeSet& part : parts) {
      if (is_variable(part, v)) left = part;
      else if (has_values(part, symbols, numbers)) return true;
    }
  }
  return false;
}

bool has(const SizeSet& sizes, const Texts& symbols, const Integers& numbers) {
  std::vector<SizeSet> open{sizes};
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const auto apart = [&](const SizeSet& one) { return one.value(name(symbols[k].name.c_str())) - numbers[k]; };
    std::vector<SizeSet> left;
    for (const SizeSet& one : open) std::ranges::move(where_zero(one, apart), std::back_inserter(left));
    open = std::move(left);
  }
  return std::ranges::any_of(open, [&](const SizeSet& one) { return has_values(one, symbols, numbers); });
}

std::vector<Integers> drawn_polynomial(use::Random& random, bool of_positive_terms) {
  Polynomial out = random.between(of_positive_terms ? 1 : -3, 3);
  for (int k = 0; k < 2; ++k) {
    Polynomial term = random.between(of_positive_terms ? 0 : -2, 2);
    for (int factors = 0; factors < 2; ++factors)
      if (random.chance(60)) term = term * Polynomial::variable(random.below(random.chance(85) ? 4 : 7));
    out = out + term;
  }
  return write_polynomial(out);
}

CaseStep drawn_step(use::Random& random) {
  const auto v = static_cast<std::int64_t>(random.below(random.chance(85) ? 4 : 7));
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
  for (std::uint64_t round = 0; round < 1200; ++round) {
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
    for (int k = 0; k < 6; ++k) {
      const Integers numbers{random.between(1, 7), random.between(0, 7), random.between(1, 5)};
      bool found = false;
      for (const SizeSet& one : leaves) found = found || has(one, symbols, numbers);
      ASSERT_TRUE(found) << "round " << round << ": " << numbers[0] << " " << numbers[1] << " " << numbers[2];
    }
  }
  EXPECT_GE(divided, 100);
  EXPECT_GE(several, 8);
}

// floor(p / d) by a name, next to a multiple of it: of all numbers Q it is the one that floor gives.
TEST(Sizes, QuotientsByNamesAreWhatTheyAre) {
  const Texts symbols{{"N", 1}, {"M", 1}, {"E", 1}, {"Q", 0}};
  const ExpressionText n = name("N"), m = name("M"), e = name("E"), one{{}, 1}, two{{}, 2};
  const std::vector<ExpressionText> said{{"//", 0, {n, e}},
                                         {"ceil", 0, {n, e}},
                                         {"//", 0, {{"+", 0, {n, m}}, e}},
                                         {"ceil", 0, {{"+", 0, {n, e}}, e}},
                                         {"//", 0, {{"+", 0, {{"+", 0, {n, {"*", 0, {e, two}}}}, one}}, e}},
                                         {"%", 0, {{"+", 0, {n, two}}, e}},
                                         {"//", 0, {{"*", 0, {n, two}}, {"*", 0, {e, two}}}}};
  for (const ExpressionText& quotient : said) {
    std::vector<SizeSet> open, where_it_is;
    for (const SizeSet& half : SizeSet(symbols).branches({"divide", {}, 0, {}, {{{1, 2, 1}, {1}}}}))
      std::ranges::move(half.branches({"divide", {}, 1, {}, write_polynomial(half.value(e))}),
                        std::back_inserter(open));
    EXPECT_EQ(open.size(), 2U);
    while (!open.empty()) {
      const SizeSet sizes = std::move(open.back());
      open.pop_back();
      try {
        static_cast<void>(sizes.value(quotient));
        std::ranges::move(
            where_zero(sizes, [&](const SizeSet& in) { return in.value(quotient) - in.value(name("Q")); }),
            std::back_inserter(where_it_is));
      } catch (const Undecided& no) {
        for (SizeSet& part : sizes.branches(no.step)) open.push_back(std::move(part));
      }
    }
    for (std::int64_t of_e = 1; of_e <= 4; ++of_e)
      for (std::int64_t of_n = 1; of_n <= 5; ++of_n)
        for (const std::int64_t of_m : {1, 3, 4}) {
          const auto number = SizeSet(symbols, {of_n, of_m, of_e, 0}).value(quotient).number();
          ASSERT_TRUE(number.has_value());
          for (std::int64_t other = std::max<std::int64_t>(0, number->narrow() - 1); other <= number->narrow() + 1;
               ++other)
            EXPECT_EQ(std::ranges::any_of(where_it_is,
                                          [&](const SizeSet& in) {
                                            return has(in, symbols, {of_n, of_m, of_e, other});
                                          }),
                      other == number->narrow())
                << of_n << " " << of_m << " " << of_e << " " << other;
        }
  }
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
  // A divisor with a variable that is none: the next step could take it for a remainder of its own.
  for (const std::size_t none : {3, 4, 23})
    EXPECT_THROW(
        static_cast<void>(all.branches({"divide", {}, 0, {}, write_polynomial(Polynomial::variable(none) + 1)})),
        Rejected);
  const auto halves = all.branches({"compare", write_polynomial(m * -1), {}, {}});  // M = 0, and m is no variable more
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_THROW(static_cast<void>(halves[0].branches({"divide", {}, 0, {}, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 0, 2, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 0, {}})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"residue", {}, 0, {}, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 9, {}, write_polynomial(m + 1)})), Rejected);
  EXPECT_THROW(static_cast<void>(all.branches({"divide", {}, 24, {}, write_polynomial(m + 1)})), Rejected);
}

}  // namespace checker_sizes_campaign
}  // namespace vl::checker
