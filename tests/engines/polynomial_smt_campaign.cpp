// Z3's and isl's opinions on the cells of proofs for all sizes: they agree where the polynomials show a part, and find
// sizes and elements where a part fails. A cell that fails is given to them as if it had been shown.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/spyre/spyre.h"
#include "encodings/tirx/tirx.h"
#include "verifier/engines/solvers/rule_obligations.h"
#include "verifier/engines/solvers/rule_sets.h"

namespace vl::engines {
namespace engines_polynomial_smt_campaign {

struct RuleText {
  const char* layout;
  const char* tensor;
  const char* where;
};

map::Rule rule_of(const RuleText& text) {
  const bool is_spyre = std::string_view(text.layout).starts_with("Spyre");
  const auto tensor = map::parse_rule_tensor(text.tensor);
  const auto reading = (is_spyre ? spyre::family() : tirx::family()).read_rule(text.layout, *tensor);
  auto where = *text.where == 0 ? std::vector<map::Condition>{} : *map::parse_conditions(text.where);
  return *map::with_conditions(*reading->rule_for_all_sizes(), std::move(where));
}

// A share of the units of an answer. No clock plays a part in it.
Budget few_units() {
  Budget out;
  out.rlimit = Budget::kUnits / 5;
  return out;
}

// How many of a part's questions were asked and agreed with; every leaf holds.
RuleOpinion opinion(const RuleText& text, AllSizesPart part) {
  const map::Rule rule = rule_of(text);
  const AllSizesPart parts[] = {part};
  const Leaves leaves = leaves_of(rule, parts);
  EXPECT_TRUE(leaves.proved()) << text.layout;
  return second_opinion(rule, parts, leaves, few_units());
}

TEST(PolynomialSmt, AgreesWithWhatIsShown) {
  const RuleText rows[] = {
      {"S[(M,N):(N,1)]", "f16[M,N]", ""},
      {"S[(M,N,K):(N*K,K,1)]", "f16[M,N,K]", ""},
      {"S[(M,N):(P,1)]", "f16[M,N]", "P >= N"},
      {"S[(M,64):(P,1)] + 7", "f16[M,64]", "P % 128 == 0"},
      {"S[(8,N):(1@laneid,1)]", "f16[8,N]", ""},
      {"SpyreTensorLayout((N,), torch.float32)", "f32[N]", ""},
      {"SpyreTensorLayout((N, M), torch.float16)", "f16[N,M]", ""},
      {"SpyreTensorLayout((N, M, 150), torch.float16)", "f16[N,M,150]", ""},
      {"SpyreTensorLayout((N, M), torch.float16, [0, 1, -1])", "f16[N,M]", ""},
  };
  std::size_t asked = 0, agreed = 0;
  for (const RuleText& row : rows)
    for (const AllSizesPart part : {AllSizesPart::InBox, AllSizesPart::Apart}) {
      const RuleOpinion z3 = opinion(row, part);
      EXPECT_FALSE(z3.against) << row.layout << "\n" << *z3.against;
      EXPECT_GT(z3.asked, 0U) << row.layout;
      asked += z3.asked, agreed += z3.agreed;
    }
  fmt::print("z3 agrees on {} of {} questions\n", agreed, asked);
  EXPECT_GE(agreed * 10, asked * 8);
}

TEST(PolynomialSmt, FindsSizesWhereAPartFails) {
  struct Wrong {
    RuleText text;
    AllSizesPart part;
  };
  const Wrong rows[] = {
      {{"S[(M,N):(P,1)]", "f16[M,N]", ""}, AllSizesPart::Apart},
      {{"S[(M,N):(K,K)]", "f16[M,N]", ""}, AllSizesPart::Apart},
      {{"S[(M,N):(1@laneid,1)]", "f16[M,N]", ""}, AllSizesPart::InBox},
      {{"SpyreTensorLayout(device_size=[M, K//64, N, 64], stride_map =[K, 64, M*K, 1], "
        "device_dtype=DataFormats.SEN169_FP16)",
        "f16[N,M,K]", ""},
       AllSizesPart::InBox},
  };
  for (const Wrong& row : rows) {
    const map::Rule rule = rule_of(row.text);
    const AllSizesPart parts[] = {row.part};
    Leaves leaves = leaves_of(rule, parts);
    std::erase_if(leaves.all, [](const Leaf& leaf) { return leaf.kind != Leaf::Kind::Fails; });
    ASSERT_FALSE(leaves.all.empty()) << row.text.layout;
    const RuleOpinion z3 = second_opinion(rule, parts, leaves, few_units(), 8);
    EXPECT_TRUE(z3.against) << row.text.layout << ": " << z3.agreed << " of " << z3.asked;
    EXPECT_EQ(z3.agreed, 0U) << row.text.layout;
  }
}

// A solver knows no swizzle of unbounded numbers.
TEST(PolynomialSmt, AsksNothingOfASwizzledBox) {
  const RuleText text{"ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "f16[M,64]", ""};
  EXPECT_EQ(opinion(text, AllSizesPart::InBox).asked, 0U);
  EXPECT_GT(opinion(text, AllSizesPart::Apart).asked, 0U);
}

RuleOpinion isl_opinion(const RuleText& text, AllSizesPart part) {
  const map::Rule rule = rule_of(text);
  const AllSizesPart parts[] = {part};
  const Leaves leaves = leaves_of(rule, parts);
  EXPECT_TRUE(leaves.proved()) << text.layout;
  return linear_opinion(rule, parts, leaves, few_units());
}

TEST(PolynomialIsl, AgreesWithWhatIsShownAndLinear) {
  const RuleText rows[] = {
      {"S[(M,64):(72,1)]", "f16[M,64]", ""},
      {"S[(M,64):(64,1)] + 7", "f16[M,64]", ""},
      {"S[(8,N):(1@laneid,1)]", "f16[8,N]", ""},
      {"SpyreTensorLayout((N,), torch.float32)", "f32[N]", ""},
      {"SpyreTensorLayout((N, 150), torch.float16)", "f16[N,150]", ""},
  };
  for (const RuleText& row : rows)
    for (const AllSizesPart part : {AllSizesPart::InBox, AllSizesPart::Apart}) {
      const RuleOpinion isl = isl_opinion(row, part);
      EXPECT_FALSE(isl.against) << row.layout << "\n" << *isl.against;
      EXPECT_GT(isl.asked, 0U) << row.layout;
      EXPECT_EQ(isl.agreed, isl.asked) << row.layout;
    }
}

TEST(PolynomialIsl, FindsSizesWhereAPartFails) {
  const std::pair<RuleText, AllSizesPart> rows[] = {
      {{"S[(M,64):(63,1)]", "f16[M,64]", ""}, AllSizesPart::Apart},
      {{"S[(64,N):(192,1)]", "f16[64,N]", ""}, AllSizesPart::Apart},
      {{"S[(8,N):(1@laneid,32@laneid)]", "f16[8,N]", ""}, AllSizesPart::InBox},
      {{"SpyreTensorLayout(device_size=[2, N, 64], stride_map=[64, 150, 1], device_dtype=DataFormats.SEN169_FP16)",
        "f16[N,150]", ""},
       AllSizesPart::InBox},
  };
  for (const auto& [text, part] : rows) {
    const map::Rule rule = rule_of(text);
    const AllSizesPart parts[] = {part};
    Leaves leaves = leaves_of(rule, parts);
    std::erase_if(leaves.all, [](const Leaf& leaf) { return leaf.kind != Leaf::Kind::Fails; });
    ASSERT_FALSE(leaves.all.empty()) << text.layout;
    const RuleOpinion isl = linear_opinion(rule, parts, leaves, few_units(), 8);
    EXPECT_TRUE(isl.against) << text.layout << ": " << isl.agreed << " of " << isl.asked;
    EXPECT_EQ(isl.agreed, 0U) << text.layout;
  }
}

TEST(PolynomialIsl, StatesNoProductOfSizesAndNoSwizzledBox) {
  EXPECT_EQ(isl_opinion({"S[(M,N):(P,1)]", "f16[M,N]", "P >= N"}, AllSizesPart::Apart).asked, 0U);
  EXPECT_EQ(isl_opinion({"ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "f16[M,64]", ""}, AllSizesPart::InBox).asked, 0U);
}

}  // namespace engines_polynomial_smt_campaign
}  // namespace vl::engines
