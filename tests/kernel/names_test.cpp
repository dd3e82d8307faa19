// Proofs about names, worked out: each rule with a layout for which it holds at all sizes, and the same without one of
// its conditions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kernel/names.h"
#include "verifier/kernel/claims/moves.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::kernel::tests {
namespace names_test {

Polynomial poly(const char* text) { return parse_polynomial(text); }

NamedSteps proof(const char* text) {
  NamedSteps out;
  for (const nlohmann::json& one : nlohmann::json::parse(text)) out.push_back(read_step<Polynomial>(one));
  return out;
}

BasicRow<Polynomial> row(const std::vector<const char*>& coefficients, const char* constant = "0") {
  BasicRow<Polynomial> out{poly(constant), {}};
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (!(poly(coefficients[i]) == Polynomial(0))) out.terms.emplace_back(i, poly(coefficients[i]));
  return out;
}

BasicStage<Polynomial> affine(std::vector<BasicRow<Polynomial>> rows) {
  BasicStage<Polynomial> out;
  out.rows = std::move(rows);
  return out;
}

BasicStage<Polynomial> split(std::size_t input, const std::vector<const char*>& weights) {
  BasicStage<Polynomial> out;
  out.kind = BasicStage<Polynomial>::Kind::Split, out.input = input;
  for (const char* weight : weights) out.weights.push_back(poly(weight));
  return out;
}

NamedLayout layout(const std::vector<const char*>& logical, std::vector<BasicStage<Polynomial>> stages,
                   std::size_t outputs, const std::vector<const char*>& physical) {
  NamedLayout out;
  for (const char* extent : logical) {
    out.map.domain.names.push_back("x" + std::to_string(out.map.domain.names.size()));
    out.map.domain.extents.push_back(poly(extent));
  }
  for (const char* extent : physical) {
    out.physical.names.push_back("p" + std::to_string(out.physical.names.size()));
    out.physical.extents.push_back(poly(extent));
  }
  out.logical = logical.size();
  out.map.stages = std::move(stages), out.map.outputs = outputs;
  return out;
}

std::vector<Polynomial> given(const std::vector<const char*>& facts) {
  std::vector<Polynomial> out;
  out.reserve(facts.size());
  for (const char* fact : facts) out.push_back(poly(fact));
  return out;
}

std::string why_not_in(const NamedLayout& layout, const std::vector<const char*>& facts, const char* steps) {
  try {
    BasicGoals<Polynomial>(layout, nullptr, given(facts)).in(layout.physical, proof(steps));
    return {};
  } catch (const Rejected& no) {
    return no.what();
  }
}

std::string why_not_apart(const NamedLayout& layout, const std::vector<const char*>& facts, const char* steps) {
  try {
    BasicGoals<Polynomial>(layout, nullptr, given(facts)).apart(false, proof(steps));
    return {};
  } catch (const Rejected& no) {
    return no.what();
  }
}

// M = v0 + 1 rows of N = v1 + 1 with a pitch of P = N + v2.
TEST(KernelNamesRules, RowsOfAPitchAreApartWhereItIsNotBelowTheRow) {
  const char* const steps = R"([["run",0],["large",0,0],["large",0,1],["apart"]])";
  const auto rows = [](const char* pitch) {
    return layout({"v0+1", "v1+1"}, {affine({row({pitch, "1"})})}, 1, {"v0*v1+v0*v2+v0+v1+1"});
  };
  EXPECT_EQ(why_not_apart(rows("v1+v2+1"), {}, steps), "");
  EXPECT_EQ(why_not_apart(rows("v2+1"), {}, steps), "a coefficient that others reach");
  EXPECT_EQ(why_not_apart(rows("v2+1"), {"-v1+v2"}, steps), "a coefficient that others reach");
  const char* const spans = R"([["run",0],["large",0,0,0,"v2",[0,0,[[0,1]]]],["large",0,1],["apart"]])";
  EXPECT_EQ(why_not_apart(rows("v2+1"), {"-v1+v2"}, spans), "");
  EXPECT_EQ(why_not_apart(rows("v2+1"), {"-v1+v2+1"}, spans), "a span that is not shown");
  EXPECT_EQ(why_not_apart(rows("v2"), {"-v1+v2"}, spans), "a coefficient that others reach");
  EXPECT_EQ(why_not_in(rows("v1+v2+1"), {}, R"([["run",0],["in"]])"), "");
  EXPECT_EQ(why_not_in(rows("v1+v2+2"), {}, R"([["run",0],["in"]])"), "a place that may be no slot");
}

// M = 64·v0 + v1 + 1 with v1 < 64 has v0 + 1 blocks of 64.
TEST(KernelNamesRules, BlocksReachTheEndAndKeepWhatLiesBeyondAsAFact) {
  const NamedLayout sticks = layout({"64*v0+v1+1"}, {affine({row({"1"})}), split(0, {"64", "1"})}, 2, {"v0+1", "64"});
  const auto named = [&](const char* count, const char* by) {
    return why_not_in(sticks, {"-v1+63"},
                      (std::string(R"([["block",0,64,")") + count + "\"" + by + R"(],["run",0],["in"]])").c_str());
  };
  EXPECT_EQ(named("v0+1", R"(,[0,0,[],[[0,1]]])"), "");
  EXPECT_EQ(named("v0+1", ""), "blocks of nothing, or that end too early");
  EXPECT_EQ(named("v0", R"(,[0,0,[],[[0,1]]])"), "blocks of nothing, or that end too early");
  EXPECT_EQ(named("v0+2", R"(,[0,0,[],[[0,1]]])"), "a place that may be no slot");
  EXPECT_EQ(named("-v0-1", R"(,[0,0,[],[[0,1]]])"), "blocks of nothing, or that end too early");
  EXPECT_EQ(why_not_in(sticks, {}, R"([["block",0,64],["run",0],["in"]])"), "blocks of nothing, or that end too early");

  const NamedLayout whole = layout({"64*v0+64"}, {affine({row({"1"})}), split(0, {"64", "1"})}, 2, {"v0+1", "64"});
  EXPECT_EQ(why_not_in(whole, {}, R"([["block",0,64],["run",0],["in"]])"), "");
  // A size that is below 0 makes no blocks, though the product of both is the extent.
  EXPECT_EQ(why_not_in(whole, {}, R"([["block",0,-64,"-v0-1"],["run",0],["in"]])"),
            "blocks of nothing, or that end too early");
}

// A multiple is of something that is given, and is not below 0.
TEST(KernelNamesRules, MultiplesOfFactsAreNamedAndNotNegative) {
  const NamedLayout padded = layout({"v0+1"}, {affine({row({"1"})})}, 1, {"v1+1"});
  EXPECT_EQ(why_not_in(padded, {"-v0+v1"}, R"([["run",0],["in",[0,0,[[0,1]]]]])"), "");
  EXPECT_EQ(why_not_in(padded, {"-v0+v1"}, R"([["run",0],["in",[0,0,[[0,2]]]]])"), "a place that may be no slot");
  EXPECT_EQ(why_not_in(padded, {"v0-v1"}, R"([["run",0],["in",[0,0,[[0,-1]]]]])"), "a multiple that is not positive");
  EXPECT_EQ(why_not_in(padded, {"v0-v1"}, R"([["run",0],["in",[0,0,[[0,"v0-v1-1"]]]]])"),
            "a multiple that is not positive");
  EXPECT_EQ(why_not_in(padded, {"-v0+v1"}, R"([["run",0],["in",[0,0,[[1,1]]]]])"), "a multiple of nothing");
  EXPECT_EQ(why_not_in(padded, {}, R"([["run",0],["in"]])"), "a place that may be no slot");
}

TEST(KernelNamesRules, ABoxHasAPointAtAllSizesOrIsGivenToHaveOne) {
  const NamedLayout maybe = layout({"v0-v1"}, {affine({row({"1"})})}, 1, {"v0"});
  const char* const steps = R"([["run",0],["in",[0,0,[],[]]]])";
  EXPECT_EQ(why_not_in(maybe, {}, steps), "a box without a point");
  EXPECT_EQ(why_not_in(maybe, {"v0-v1"}, steps), "a box without a point");
  EXPECT_EQ(why_not_in(maybe, {"v0-v1-1"}, steps), "");
}

// Differences of x0 < 3 beside 4·x1: 4 divides the others, and |1·d0| <= 2.
TEST(KernelNamesRules, ANamedDivisorOfTheOthersExceedsTheDifference) {
  const auto two = [](const char* first, const char* second) {
    return layout({"v0+1", "v1+1"}, {affine({row({first, second}), row({"0", "1"})})}, 2, {"9", "9"});
  };
  const auto with = [](const char* m) {
    return std::string(R"([["run",0],["mod",0,0,")") + m + R"("],["large",1,1],["apart"]])";
  };
  EXPECT_EQ(why_not_apart(two("1", "v0+1"), {}, with("v0+1").c_str()), "");
  EXPECT_EQ(why_not_apart(two("1", "v0+2"), {}, with("v0+1").c_str()), "a coefficient that others cancel");
  EXPECT_EQ(why_not_apart(two("1", "v0"), {}, with("v0").c_str()), "a coefficient that others cancel");
  EXPECT_EQ(why_not_apart(two("2", "v0+1"), {}, with("v0+1").c_str()), "a coefficient that others cancel");
  EXPECT_EQ(why_not_apart(two("2", "2*v0+1"), {}, with("2*v0+1").c_str()), "");
  // A coefficient that is 0 at some size tells nothing there.
  EXPECT_EQ(why_not_apart(two("v2", "v0*v2+v0+v2+1"), {}, with("v0*v2+v0+v2+1").c_str()),
            "a coefficient that others cancel");
  EXPECT_EQ(why_not_apart(two("v2+1", "v0*v2+v0+v2+1"), {}, with("v0*v2+v0+v2+1").c_str()), "");
}

// x < N by a weight P: a value of its own below Q, where P·Q >= N.
TEST(KernelNamesRules, AQuotientWithoutAFormHasARangeThatIsShown) {
  const NamedLayout tiles = layout({"v0+1"}, {affine({row({"1"})}), split(0, {"v1+1", "1"})}, 2, {"v2+1", "v1+1"});
  const auto why = [&](const char* steps) {
    return why_not_in(tiles, {"-v0+v1*v2+v1+v2"}, steps);
  };  // (v1 + 1)·(v2 + 1) - 1 - v0
  EXPECT_EQ(why(R"([["run",0,[1,0,"div",0,"v2+1",[[0,1]]]],["in"]])"), "");
  EXPECT_EQ(why(R"([["run",0,[1,0,"div",0,"v2+1"]],["in"]])"), "a quotient out of its range");
  EXPECT_EQ(why(R"([["run",0,[1,0,"div",0,"v2",[[0,1]]]],["in"]])"), "a quotient out of its range");
  EXPECT_EQ(why(R"([["run",0,[1,0,"div",1,"v2+1",[[0,1]]]],["in"]])"), "a quotient out of its range");
  EXPECT_EQ(why(R"([["run",0],["in"]])"), "a value that has no form");
}

TEST(KernelNamesRules, ASwizzleKeepsWholeBlocksAndRestsThatItKeeps) {
  const auto swizzled = [](const char* extent) {  // bit 0 ^= bit 1: blocks of 2, a period of 4
    NamedLayout out = layout({extent}, {affine({row({"1"})})}, 1, {extent});
    BasicStage<Polynomial> stage;
    stage.kind = BasicStage<Polynomial>::Kind::Swizzle, stage.bits = 1, stage.shift = 1;
    out.map.stages.push_back(stage);
    return out;
  };
  const auto why = [&](const char* extent, const char* end) {
    return why_not_in(swizzled(extent), {},
                      (std::string(R"([["run",0,[1,0,"div",0,")") + end + R"("]],["in"]])").c_str());
  };
  EXPECT_EQ(why("2*v0+2", "2*v0+2"), "");
  EXPECT_EQ(why("4*v0+1", "4*v0+1"), "");  // the last one is a multiple of 4, and stays
  EXPECT_EQ(why("4*v0+3", "4*v0+3"), "a swizzle that leads out of its range");  // 4v + 2 goes to 4v + 3
  EXPECT_EQ(why("4*v0+3", "4*v0+4"), "a place that may be no slot");
  EXPECT_EQ(why("4*v0+4", "4*v0+2"), "a swizzle that leads out of its range");
  EXPECT_EQ(why("v0+1", "v0+1"), "a name where a number is needed");
  EXPECT_EQ(why_not_in(swizzled("2*v0+2"), {}, R"([["run",0],["in"]])"), "a value that has no form");
}

TEST(KernelNamesRules, PointsAreCountedByNames) {
  const NamedLayout rows = layout({"v0+1", "v1+1"}, {affine({row({"v1+2", "1"})})}, 1, {"v0*v1+2*v0+v1+1"});
  const BasicGoals<Polynomial> goals(rows);
  EXPECT_EQ(goals.occupied(proof(R"([["run",0],["large",0,0],["large",0,1],["count"]])")), poly("v0*v1+v0+v1+1"));
  EXPECT_THROW(static_cast<void>(goals.occupied(proof(R"([["run",0],["large",0,0],["count"]])"))), Rejected);
  EXPECT_THROW(static_cast<void>(goals.occupied(proof(R"([["run",0],["large",0,0],["large",0,1],["reach"]])"))),
               Rejected);
  EXPECT_THROW(static_cast<void>(goals.occupied(proof(R"([["sweep"]])"))), Rejected);
}

// N = v0 + 2 elements, element x at P·x on the host and at x on the device.
TEST(KernelNamesRules, MovesOfNestsAreThoseOfTheElements) {
  const NamedLayout host = layout({"v0+2"}, {affine({row({"v1+1"})})}, 1, {"v0*v1+v0+v1+2"});
  const NamedLayout device = layout({"v0+2"}, {affine({row({"1"})})}, 1, {"v0+2"});
  const auto left = [&](const char* extent, const char* read, const char* written, const char* steps) {
    BasicNest<Polynomial> nest;
    nest.box.names = {"i"}, nest.box.extents = {poly(extent)};
    nest.slots[0] = row({read}), nest.slots[1] = row({written});
    const std::vector<BasicNest<Polynomial>> nests{nest};
    try {
      return print(BasicMoves<Polynomial>(host, device, nests).implement(proof(steps)));
    } catch (const Rejected& no) {
      return std::string(no.what());
    }
  };
  const char* const steps = R"([["keys",1],["run",0],["large",0,0],["moves",0,1]])";
  EXPECT_EQ(left("v0+2", "v1+1", "1", steps), "0");
  EXPECT_EQ(left("v0+1", "v1+1", "1", steps), "1");  // an element that no move serves
  EXPECT_EQ(left("v0+3", "v1+1", "1", steps), "an element that may not exist");
  EXPECT_EQ(left("v0+2", "v1+2", "1", steps), "a move to or from another slot");
  EXPECT_EQ(left("v0+2", "v1+1", "0", steps), "a coefficient that others reach");
  EXPECT_EQ(left("v0+2", "v1+1", "1", R"([["keys",1],["run",0],["moves",0,1]])"), "two points may have the same place");
  EXPECT_EQ(left("v0+2", "v1+1", "1", R"([["keys",1],["run",0],["large",0,0],["moves",1,1]])"),
            "an element that may not exist");
  EXPECT_EQ(left("v0+2", "v1+1", "1", R"([["sweep"]])"), "moves told apart by nothing");
}

// Core c holds element 4·c, of 4·v0 + 5.
TEST(KernelNamesRules, SlotsThatAreHeldAreThoseOfElements) {
  const auto why = [](const char* extent, const char* box, const char* guard, const char* steps) {
    const NamedLayout cores = layout(
        {extent}, {affine({row({"1"})}), split(0, {"4", "1"}), affine({row({"1", "0"}), row({"0", guard})})}, 1, {box});
    const std::vector<BasicNest<Polynomial>> slots{{cores.physical, {{}, cores.physical.number()}}};
    try {
      BasicMoves<Polynomial>(cores, cores, slots).held(proof(steps));
      return std::string();
    } catch (const Rejected& no) {
      return std::string(no.what());
    }
  };
  const char* const steps = R"([["moves",0,4]])";
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", steps), "");
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", R"([["moves",3,4]])"), "an element that may not exist");
  EXPECT_EQ(why("4*v0+4", "v0+2", "0", steps), "an element that may not exist");
  EXPECT_EQ(why("4*v0+5", "v0+3", "0", steps), "an element that may not exist");
  EXPECT_EQ(why("4*v0+8", "v0+2", "1", R"([["moves",3,4]])"), "an element without a slot");
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", R"([["moves",0,0]])"), "a move to or from another slot");
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", R"([["cut",0,1],["moves",0,0]])"), "a cell that is not closed");
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", R"([["moves",0,4],["moves",0,4]])"), "a step after the last cell");
  EXPECT_EQ(why("4*v0+5", "v0+2", "0", R"([["inside"]])"), "a step that shows something else");
}

// Coordinates by axis: a guard is no axis, and has to be 0.
TEST(KernelNamesRules, GuardsOfNamedLayoutsAreZeroWhereTwoAreEqual) {
  const auto why = [](const char* guard) {
    NamedLayout one = layout({"v0+1"}, {affine({row({"1"}), row({guard})})}, 2, {"v0+1"});
    one.named = true;
    const NamedLayout other = one;
    try {
      BasicGoals<Polynomial>(one, &other).equal(proof(R"([["run",0],["run",1],["eq"]])"));
      return std::string();
    } catch (const Rejected& no) {
      return std::string(no.what());
    }
  };
  EXPECT_EQ(why("0"), "");
  EXPECT_EQ(why("1"), "a guard that is not 0");
}

// A division by 0 is refused, even where a swizzle of the same line was recorded before.
TEST(KernelNamesRules, AWeightOfZeroIsNotTheSwizzleOfTheSameLine) {
  BasicStage<Polynomial> swizzle;
  swizzle.kind = BasicStage<Polynomial>::Kind::Swizzle, swizzle.bits = 1, swizzle.shift = 1;
  const NamedLayout one = layout({"4*v0+4"}, {affine({row({"1"})}), swizzle}, 1, {"4*v0+4"});
  const NamedLayout other = layout({"4*v0+4"}, {affine({row({"1"})}), split(0, {"0", "1"})}, 2, {"4*v0+4", "4*v0+4"});
  const NamedSteps steps = proof(R"([["run",0,[1,0,"div",0,"4*v0+4"]],["run",1,[1,0,"div",0,"4*v0+4"]],["eq"]])");
  EXPECT_THROW((BasicGoals<Polynomial>(one, &other).equal(steps)), Rejected);
}

// Polynomials of 969 terms: what copies them charges for all of them.
TEST(KernelNamesRules, LargePolynomialsCountAsOftenAsTheyAreCopied) {
  Polynomial sum = 1;
  for (std::size_t v = 0; v < 16; ++v) sum = sum + Polynomial::variable(v);
  const Polynomial cube = sum * sum * sum;
  NamedLayout large = layout({"1", "5000"}, {affine({row({"1", "1"})})}, 1, {"v0+1"});
  for (std::size_t i = 2; i < 40; ++i) {
    large.map.domain.names.push_back("y" + std::to_string(i)), large.map.domain.extents.emplace_back(2);
    large.map.stages[0].rows[0].terms.emplace_back(i, cube);
  }
  large.logical = 40;
  const auto why = [&](const char* name, int times) {
    NamedSteps steps = proof(R"([["run",0]])");
    const bool cuts = std::string(name) == "cut";
    for (int k = 0; k < times; ++k)
      steps.push_back({name, {cuts ? 1 : 0, cuts ? Polynomial(4'999 - k) : Polynomial(0)}});
    const Metered metered;
    try {
      BasicGoals<Polynomial>(large).apart(false, steps);
      return std::string();
    } catch (const Rejected& no) {
      EXPECT_LE(metered.done(), kMostWork / 4);
      return std::string(no.what());
    }
  };
  EXPECT_EQ(why("large", 20'000), "a cell that is not closed");  // x0 has one value: no row is looked at
  EXPECT_EQ(why("cut", 4'000), "the certificate needs more memory than 256 MiB");
}

TEST(KernelNamesText, PolynomialsHaveOneTextEach) {
  for (const char* text : {"0", "7", "-7", "v0", "-v0+1", "64*v0*v1^2-3*v3+1", "v23^255"})
    EXPECT_EQ(print(poly(text)), text);
  for (const char* text :
       {"",  "+1",  "1+v0", "v0+v0", "v0+0",  "0*v0", "1*v0", "v0*v0", "v0^1", "v0^256", "v24",
        "v", "v0*", "v0+",  "--v0",  "v0 +1", " v0",  "3*4",  "v0*3",  "07",   "v00",    "9223372036854775808",
        "x", "v-1"})
    EXPECT_THROW(static_cast<void>(poly(text)), Rejected) << text;
}

TEST(KernelNamesText, StepsAreReadAsTheyAreWritten) {
  for (const char* text : {R"(["block",0,"v0+1","v1+2",[0,0,[],[[3,"v0"],[4,2]]]])",
                           R"(["run",0,[1,0,"div",0,"v2+1",[[0,1]]],[2,1,"v0",[[1,1]]]])", R"(["large",0,1,0,"v0"])"}) {
    const nlohmann::json json = nlohmann::json::parse(text);
    EXPECT_EQ(write_step(read_step<Polynomial>(json)), json) << text;
    EXPECT_THROW(static_cast<void>(read_step<Wide>(json)), Rejected) << text;
  }
}

// A polynomial takes more than the value of JSON that says it.
TEST(KernelNamesText, NumbersOfAStepCountWhereTheyAreKept) {
  nlohmann::json json = {"digits"};
  for (int k = 0; k < 1000; ++k) json.push_back(1);
  const Metered metered(1 << 20, 100'000);
  EXPECT_EQ(read_step<Wide>(json).numbers.size(), 1000U);
  EXPECT_THROW(static_cast<void>(read_step<Polynomial>(json)), OverBudget);
}

}  // namespace names_test
}  // namespace vl::kernel::tests
