// Each step of sizes, and the same step without one of its conditions, which would say something false.
#include "verifier/kernel/core/sizes.h"

#include <gtest/gtest.h>

#include "verifier/kernel/reader/steps.h"

namespace vl::kernel {
namespace kernel_sizes_test {

// M, N, P >= 1 are v0 + 1, v1 + 1, v2 + 1.
Sizes all() { return Sizes::from(std::vector<Wide>{1, 1, 1}); }

std::vector<Polynomial> said(const std::vector<const char*>& texts) {
  std::vector<Polynomial> out;
  for (const char* const text : texts) out.push_back(parse_polynomial(text));
  return out;
}

std::vector<Sizes> after(Sizes sizes, const char* name, const std::vector<const char*>& numbers,
                         Multiples<Polynomial> by = {}) {
  BasicStep<Polynomial> step{name, said(numbers), {}};
  if (!by.empty()) step.notes.push_back({0, 0, false, {}, std::move(by), {}, {}, {}});
  return std::move(sizes).after(step);
}

// The sizes where some polynomials are >= 0.
Sizes where(const std::vector<const char*>& facts) {
  Sizes out = all();
  for (const char* const fact : facts) out = after(std::move(out), "split", {fact}).at(0);
  return out;
}

bool refuses(Sizes sizes, const char* name, const std::vector<const char*>& numbers, Multiples<Polynomial> by = {}) {
  try {
    static_cast<void>(after(std::move(sizes), name, numbers, std::move(by)));
  } catch (const Rejected&) {
    return true;
  }
  return false;
}

bool shows(const Sizes& sizes, const char* p) { return sizes.shows(parse_polynomial(p)); }

TEST(KernelSizesStep, SplitMakesTwoPlacesThatTogetherAreAll) {
  const auto halves = after(all(), "split", {"-v1+v2"});
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_TRUE(shows(halves[0], "-v1+v2"));
  EXPECT_TRUE(shows(halves[0], "-v1+v2+5"));
  EXPECT_FALSE(shows(halves[0], "-v1+v2-1"));
  EXPECT_TRUE(shows(halves[1], "v1-v2-1"));
  EXPECT_EQ(after(all(), "split", {"v1"}).size(), 1U);  // v1 < 0 has no size
  EXPECT_TRUE(refuses(all(), "split", {"v3"}));         // an unused variable
  EXPECT_TRUE(refuses(all(), "split", {"v1", "v2"}));
}

TEST(KernelSizesStep, InferTakesMultiplesOfFacts) {
  const Sizes sizes = where({"-v0+v1", "-v1+v2"});
  EXPECT_TRUE(shows(after(sizes, "infer", {"-v0+v2"}, {{0, 1}, {1, 1}})[0], "-v0+v2"));
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+v2-1"}, {{0, 1}, {1, 1}}));  // 0 of M = N = P
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+v2"}, {{0, 1}}));
  EXPECT_TRUE(refuses(sizes, "infer", {"v0-v1"}, {{0, -1}}));  // a fact turned round
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+v2"}, {{0, 1}, {2, 1}}));
}

// Its multiples are its only note, which says nothing else.
TEST(KernelSizesStep, InferTakesOneNoteOfMultiples) {
  const Sizes sizes = where({"-v0+v1"});
  const Note<Polynomial> by{0, 0, false, {}, {{0, 1}}, {}, {}, {}};
  const auto takes = [&](const std::vector<Note<Polynomial>>& notes) {
    try {
      return Sizes(sizes).after({"infer", said({"-v0+v1+1"}), notes}).size() == 1;
    } catch (const Rejected&) {
      return false;
    }
  };
  EXPECT_TRUE(takes({by}));
  EXPECT_FALSE(takes({by, by}));
  for (int field = 0; field < 6; ++field) {
    Note<Polynomial> other = by;
    if (field == 0) other.stage = 1;
    if (field == 1) other.at = 1;
    if (field == 2) other.uses = true;
    if (field == 3) other.quotient.emplace();
    if (field == 4) other.extent = Polynomial(1);
    if (field == 5) other.below = {{0, 1}};
    EXPECT_FALSE(takes({other})) << field;
  }
}

// 2·v0 <= 5 is v0 <= 2 of integers, and not v0 <= 1.
TEST(KernelSizesStep, InferRoundsInTheIntegers) {
  const Sizes sizes = where({"-2*v0+5"});
  EXPECT_TRUE(shows(after(sizes, "infer", {"-v0+2", "2"}, {{0, 1}})[0], "-v0+2"));
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+1", "2"}, {{0, 1}}));
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+2"}, {{0, 1}}));
  EXPECT_TRUE(refuses(sizes, "infer", {"-v0+1", "-2"}, {{0, 1}}));  // a multiple that turns the order round
  EXPECT_TRUE(refuses(all(), "infer", {"-v0-2", "-1"}));
  EXPECT_TRUE(refuses(sizes, "infer", {"-2*v0+5", "2", "2"}, {{0, 1}}));
}

TEST(KernelSizesStep, InferOfWhatIsNotEndsThePlace) {
  EXPECT_TRUE(after(where({"-v0+v1-1", "v0-v1"}), "infer", {"-1"}, {{0, 1}, {1, 1}}).empty());
  EXPECT_TRUE(refuses(where({"-v0+v1", "v0-v1"}), "infer", {"-1"}, {{0, 1}, {1, 1}}));
}

TEST(KernelSizesStep, LiftCountsAVariableFromWhatItIsAtLeast) {
  const Sizes sizes = after(where({"-v1+v2"}), "lift", {"2", "v1"})[0];
  EXPECT_EQ(print(sizes.symbols()[2]), "v1+v2+1");
  EXPECT_TRUE(refuses(all(), "lift", {"2", "v1"}));              // P may be less
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "lift", {"2", "v2"}));  // by itself
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "lift", {"3", "v1"}));  // of no variable
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "lift", {"2", "v1", "v1"}));
  const Sizes below = after(where({"-v0+v1+v2"}), "lift", {"2", "v0-v1"})[0];
  EXPECT_TRUE(shows(below, "v0-v1+v2"));  // v2 was at least 0
  EXPECT_FALSE(shows(below, "v0-v1"));
}

TEST(KernelSizesStep, PinTakesAVariableForWhatItIs) {
  const Sizes sizes = after(where({"-v1+v2", "v1-v2"}), "pin", {"2", "v1"})[0];
  EXPECT_EQ(print(sizes.symbols()[2]), "v1+1");
  EXPECT_FALSE(sizes.has(2));
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "pin", {"2", "v1"}));
  EXPECT_TRUE(refuses(where({"v1-v2"}), "pin", {"2", "v1"}));
  const Sizes difference = after(where({"-v0+v1+v2", "v0-v1-v2"}), "pin", {"2", "v0-v1"})[0];
  EXPECT_TRUE(shows(difference, "v0-v1"));
  EXPECT_FALSE(shows(difference, "v0-v1-1"));
}

TEST(KernelSizesStep, DivideGivesAQuotientAndARestBelowTheDivisor) {
  const Sizes sizes = after(all(), "divide", {"0", "v1+1"})[0];
  EXPECT_EQ(print(sizes.symbols()[0]), "v0*v1+v0+v3+1");
  EXPECT_TRUE(shows(sizes, "v1-v3"));
  EXPECT_FALSE(shows(sizes, "v1-v3-1"));
  for (const char* const by : {"v1", "0", "-2", "v1-1", "v0+1", "v0*v1+1", "v3+1"})
    EXPECT_TRUE(refuses(all(), "divide", {"0", by})) << by;
}

TEST(KernelSizesStep, ResidueMakesAPlaceForEachRest) {
  const auto thirds = after(all(), "residue", {"1", "3"});
  ASSERT_EQ(thirds.size(), 3U);
  EXPECT_EQ(print(thirds[2].symbols()[1]), "3*v1+3");
  EXPECT_TRUE(refuses(all(), "residue", {"1", "0"}));
  EXPECT_TRUE(refuses(all(), "residue", {"1", "513"}));
  EXPECT_TRUE(refuses(all(), "residue", {"1", "v0"}));
  EXPECT_TRUE(refuses(all(), "residue", {"1", "3", "3"}));
  EXPECT_TRUE(refuses(all(), "residue", {"1"}));
  for (const char* const variable : {"-1", "3", "24"}) EXPECT_TRUE(refuses(all(), "residue", {variable, "2"}));
}

TEST(KernelSizesStep, QuotientIsAVariableWithWhatItIs) {
  const Sizes sizes = after(all(), "quotient", {"v0", "v1+1"})[0];
  EXPECT_EQ(print(*sizes.quotient(Polynomial::variable(0), Polynomial::variable(1) + 1)), "v3");
  EXPECT_TRUE(shows(sizes, "v0-v1*v3-v3"));
  EXPECT_TRUE(shows(sizes, "-v0+v1*v3+v1+v3"));
  EXPECT_TRUE(refuses(all(), "quotient", {"v0-v1", "2"}));  // of what may be negative
  EXPECT_TRUE(refuses(all(), "quotient", {"v0", "v1"}));    // by what may be 0
  EXPECT_TRUE(refuses(all(), "quotient", {"v0", "v1+1", "v0"}));
  EXPECT_TRUE(refuses(all(), "quotient", {"v0"}));
}

TEST(KernelSizesStep, FloorTellsAQuotientThatIsShown) {
  const Sizes sizes = where({"v1-v2"});  // v2 < N
  const Sizes told = after(sizes, "floor", {"v0*v1+v0+v2", "v1+1", "v0"})[0];
  EXPECT_EQ(print(*told.quotient(parse_polynomial("v0*v1+v0+v2"), Polynomial::variable(1) + 1)), "v0");
  EXPECT_EQ(sizes.quotient(parse_polynomial("v0*v1+v0+v2"), Polynomial::variable(1) + 1), std::nullopt);
  EXPECT_TRUE(refuses(all(), "floor", {"v0*v1+v0+v2", "v1+1", "v0"}));    // v2 may be more
  EXPECT_TRUE(refuses(sizes, "floor", {"v0*v1+v0+v2", "v1+1", "v0+1"}));  // one too much
  EXPECT_TRUE(refuses(sizes, "floor", {"v0*v1+v0+v2", "v1+1"}));
}

TEST(KernelSizesStep, DropForgetsAFactAndNoOther) {
  const Sizes sizes = after(where({"-v1+v2", "v0-v1"}), "drop", {"0"})[0];
  EXPECT_FALSE(shows(sizes, "-v1+v2"));
  EXPECT_TRUE(shows(sizes, "v0-v1"));
  EXPECT_TRUE(refuses(sizes, "drop", {"1"}));
  EXPECT_TRUE(refuses(sizes, "drop", {"0", "0"}));
}

TEST(KernelSizesStep, HasNoMoreVariablesThanAPolynomial) {
  const std::vector<Wide> most(Polynomial::kVariables, 1), more(Polynomial::kVariables + 1, 1);
  EXPECT_TRUE(refuses(Sizes::from(most), "divide", {"0", "v1+1"}));
  EXPECT_TRUE(refuses(Sizes::from(most), "quotient", {"v0", "v1+1"}));
  EXPECT_THROW(static_cast<void>(Sizes::from(more)), Rejected);
}

TEST(KernelSizesStep, OfAnotherNameOrWithMultiplesThatItDoesNotTakeIsRefused) {
  EXPECT_TRUE(refuses(all(), "holds", {}));
  EXPECT_TRUE(refuses(where({"-v1+v2", "v1-v2"}), "hold", {"2", "v1"}));  // as "pin" takes them
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "split", {"v0"}, {{0, 1}}));
  EXPECT_TRUE(refuses(where({"-v1+v2"}), "lift", {"2", "v1"}, {{0, 1}}));
}

// Quotients by numbers go by coefficients: (64·M + 63) // 64 is M, and of 64·M + N nothing is said.
TEST(KernelSizesQuotient, IsWhatCoefficientsSay) {
  EXPECT_EQ(print(*all().quotient(parse_polynomial("64*v0+63"), 64)), "v0");
  EXPECT_EQ(print(*all().quotient(parse_polynomial("64*v0-1"), 64)), "v0-1");
  EXPECT_EQ(all().quotient(parse_polynomial("64*v0+v1"), 64), std::nullopt);
  EXPECT_EQ(print(*all().quotient(parse_polynomial("v0*v1+v0"), Polynomial::variable(1) + 1)), "v0");
  EXPECT_THROW(static_cast<void>(all().quotient(1, Polynomial::variable(1))), Rejected);
}

}  // namespace kernel_sizes_test
}  // namespace vl::kernel
