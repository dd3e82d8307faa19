// Operations: dimensions and scales from shapes, and the checks of given ones.
#include "encodings/use/operation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/operations.h"

namespace vl::use {
namespace use_operation_campaign {

using List = std::vector<Index>;
using test::make;
using test::said;

Operand of(const List& size, List scales = {}) {
  List order;
  for (std::size_t i = 0; i < size.size(); ++i) order.push_back(static_cast<Index>(i));
  return test::constructed(size, order, std::move(scales));
}

std::vector<List> scales(const Result<Operation>& operation) {
  VL_CHECK(operation.has_value(), operation ? "" : operation.error().message);
  std::vector<List> out;
  for (const Operand& operand : operation->operands) out.push_back(operand.scales);
  return out;
}

std::string dims(const Result<Operation>& operation) {
  std::string out;
  for (const OperationDim& dim : operation->dims) out += fmt::format("{}={} ", dim.name, dim.extent);
  return out;
}

std::string error(const Result<Operation>& operation) { return operation ? "no error" : operation.error().message; }

// Seed 003, The Scales Mapping: the three examples.
TEST(Scales, OfAMatmulAreThoseOfTheDocument) {
  const auto made = make("matmul", {of({1024, 512}), of({512, 256})}, {of({1024, 256})});
  EXPECT_EQ(scales(made), (std::vector<List>{{0, 1, -1}, {-1, 0, 1}, {0, -1, 1}}));
  EXPECT_EQ(dims(made), "M=1024 K=512 N=256 ");
}
TEST(Scales, OfABatchedMatmulAreThoseOfTheDocument) {
  const auto made = make("bmm", {of({3, 4, 5}), of({3, 5, 6})}, {of({3, 4, 6})});
  EXPECT_EQ(scales(made), (std::vector<List>{{0, 1, 2, -1}, {0, -1, 1, 2}, {0, 1, -1, 2}}));
  EXPECT_EQ(dims(made), "B=3 M=4 K=5 N=6 ");
}
TEST(Scales, OfABroadcastAreThoseOfTheDocument) {
  const auto made = make("broadcast", {of({128, 1, 512}), of({128, 256, 512})}, {of({128, 256, 512})});
  EXPECT_EQ(scales(made), (std::vector<List>{{0, -1, 2}, {0, 1, 2}, {0, 1, 2}}));
}

TEST(Scales, OfALowerRankAreAlignedAtTheRight) {
  EXPECT_EQ(scales(make("pointwise", {of({7}), of({})}, {of({3, 7})})), (std::vector<List>{{-1, 0}, {-1, -1}, {0, 1}}));
}
TEST(Scales, OfABmmWithAFlatWeightLeaveItsBatchOut) {
  const auto made = make("bmm", {of({2, 3, 4, 5}), of({5, 6})}, {of({2, 3, 4, 6})});
  EXPECT_EQ(scales(made), (std::vector<List>{{0, 1, 2, 3, -1}, {-1, -1, -1, 0, 1}, {0, 1, 2, -1, 3}}));
  EXPECT_EQ(dims(made), "B0=2 B1=3 M=4 K=5 N=6 ");
}
TEST(Scales, OfAReductionComeFromTheShapes) {
  EXPECT_EQ(scales(make("sum", {of({4, 5})}, {of({4})})), (std::vector<List>{{0, 1}, {0, -1}}));
  EXPECT_EQ(scales(make("sum", {of({4, 5})}, {of({5})})), (std::vector<List>{{0, 1}, {-1, 0}}));
  EXPECT_EQ(scales(make("sum", {of({4, 5})}, {of({4, 1})})), (std::vector<List>{{0, 1}, {0, -1}}));
  EXPECT_EQ(scales(make("max", {of({4, 5, 6})}, {of({})})), (std::vector<List>{{0, 1, 2}, {-1, -1, -1}}));
}
TEST(Scales, OfASquareReductionNeedTheReducedDimension) {
  EXPECT_NE(error(make("sum", {of({4, 4})}, {of({4})})).find("more than one choice"), std::string::npos);
  OperationHints hints;
  hints.reduced = List{0};
  EXPECT_EQ(scales(make("sum", {of({4, 4})}, {of({4})}, RuleSet::Upstream, hints)),
            (std::vector<List>{{0, 1}, {-1, 0}}));
  hints.reduced = List{1};
  EXPECT_EQ(scales(make("sum", {of({4, 4})}, {of({4})}, RuleSet::Upstream, hints)),
            (std::vector<List>{{0, 1}, {0, -1}}));
}
TEST(Scales, OfTopKHaveADimensionOfTheirOwnForK) {
  const auto made = make("topk", {of({8, 128})}, {of({8, 4}), of({8, 4})});
  EXPECT_EQ(scales(made), (std::vector<List>{{0, 1, -1}, {0, -1, 1}, {0, -1, 1}}));
  EXPECT_EQ(dims(made), "d0=8 d1=128 k=4 ");
}

TEST(Shapes, ThatDoNotFitAreAnInputErrorThatSaysWhich) {
  EXPECT_EQ(error(make("matmul", {of({4, 5}), of({6, 7})}, {of({4, 7})})), "y [6,7] has K = 6, the others have 5");
  EXPECT_EQ(error(make("matmul", {of({4, 5}), of({5, 7})}, {of({4, 8})})), "y [5,7] has N = 7, the others have 8");
  EXPECT_EQ(error(make("matmul", {of({4, 5}), of({5, 7})}, {of({3, 7})})), "x [4,5] has M = 4, the others have 3");
  EXPECT_NE(error(make("bmm", {of({2, 4, 5}), of({3, 5, 7})}, {of({2, 4, 7})})).find("does not broadcast"),
            std::string::npos);
  EXPECT_NE(error(make("pointwise", {of({4, 3})}, {of({4, 5})})).find("does not broadcast"), std::string::npos);
  EXPECT_NE(error(make("pointwise", {of({1, 4})}, {of({4})})).find("rank"), std::string::npos);
  EXPECT_NE(error(make("sum", {of({4, 5})}, {of({4, 5})})).find("nothing is reduced"), std::string::npos);
  EXPECT_NE(error(make("sum", {of({4, 5})}, {of({6})})).find("no dimensions can be dropped"), std::string::npos);
  EXPECT_NE(error(make("topk", {of({4, 5})}, {of({3, 2})})).find("it changes 2"), std::string::npos);
  EXPECT_NE(error(make("matmul", {of({4, 5})}, {of({4, 5})})).find("1 inputs and 1 results"), std::string::npos);
  EXPECT_NE(error(make("sum", {of({4}), of({4})}, {of({})})).find("one input and one result"), std::string::npos);
}

TEST(Shapes, OfANamedReductionAreChecked) {
  OperationHints hints;
  hints.reduced = List{1};
  EXPECT_NE(error(make("sum", {of({4, 5})}, {of({5})}, RuleSet::Upstream, hints)).find("is not"), std::string::npos);
  hints.reduced = List{2};
  EXPECT_NE(error(make("sum", {of({4, 5})}, {of({4})}, RuleSet::Upstream, hints)).find("reduced dimension 2"),
            std::string::npos);
  hints.reduced = List{0};
  EXPECT_NE(error(make("pointwise", {of({4})}, {of({4})}, RuleSet::Upstream, hints)).find("reduces nothing"),
            std::string::npos);
}

TEST(GivenScales, OutsideTheirVocabularyAreInputErrors) {
  EXPECT_NE(error(make("matmul", {of({4, 5}, {0, 1, -4}), of({5, 6}, {-1, 0, 1})}, {of({4, 6}, {0, -1, 1})}))
                .find("-4 is not a scale"),
            std::string::npos);
  EXPECT_NE(error(make("matmul", {of({4, 5}, {0, 2, -1}), of({5, 6}, {-1, 0, 1})}, {of({4, 6}, {0, -1, 1})}))
                .find("2 is not a scale"),
            std::string::npos);
  EXPECT_NE(
      error(make("matmul", {of({4, 5}, {0, 1}), of({5, 6}, {-1, 0, 1})}, {of({4, 6}, {0, -1, 1})})).find("scales"),
      std::string::npos);
  EXPECT_NE(
      error(make("matmul", {of({4, 5}, {0, 1, -1}), of({5, 6})}, {of({4, 6}, {0, -1, 1})})).find("2 of 3 operands"),
      std::string::npos);
}

TEST(GivenDims, NameTheDerivedOnesAndMustHaveTheirExtents) {
  OperationHints hints;
  hints.dims = std::vector<OperationDim>{{"rows", 4}, {"cols", 5}};
  const auto made = make("pointwise", {of({4, 5})}, {of({4, 5})}, RuleSet::Upstream, hints);
  EXPECT_EQ(dims(made), "rows=4 cols=5 ");
  hints.dims->back().extent = 6;
  EXPECT_NE(error(make("pointwise", {of({4, 5})}, {of({4, 5})}, RuleSet::Upstream, hints)).find("cols is given as 6"),
            std::string::npos);
  hints.dims = std::vector<OperationDim>{{"a", 4}, {"a", 5}};
  EXPECT_NE(error(make("pointwise", {of({4, 5})}, {of({4, 5})}, RuleSet::Upstream, hints)).find("named twice"),
            std::string::npos);
}

struct Wrong {
  const char* name;
  List x;
  List y;
  List out;
  const char* says;
};

class WrongScales : public testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(
    OfAMatmul, WrongScales,
    testing::Values(
        Wrong{
            "SwappedX", {1, 0, -1}, {-1, 0, 1}, {0, -1, 1}, "operand 0 (x) names its host dimension 1 of size 5 for M"},
        Wrong{"NamedTwice",
              {0, 0, -1},
              {-1, 0, 1},
              {0, -1, 1},
              "operand 0 (x) names its host dimension 0 of size 4 for K"},
        Wrong{"Unnamed",
              {0, -1, -1},
              {-1, 0, 1},
              {0, -1, 1},
              "operand 0 (x) has a host dimension 1 of size 5 that no operation dimension names"},
        Wrong{"ElidedLarge", {0, -3, -1}, {-1, 0, 1}, {0, -1, 1}, "operand 0 (x) elides K with -3"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(WrongScales, AreRefutedInWords) {
  const Wrong& wrong = GetParam();
  OperationHints hints;
  hints.dims = std::vector<OperationDim>{{"M", 4}, {"K", 5}, {"N", 6}};
  for (const RuleSet rules : {RuleSet::Documents, RuleSet::Upstream}) {
    const auto made = make("matmul", {of({4, 5}, wrong.x), of({5, 6}, wrong.y)}, {of({4, 6}, wrong.out)}, rules, hints);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_NE(said(*made).find(wrong.says), std::string::npos) << said(*made);
  }
}

TEST(NamedDims, MayStandInAnyOrderWhereTheShapesGiveTheirNames) {
  OperationHints hints;
  hints.dims = std::vector<OperationDim>{{"M", 4}, {"N", 6}, {"K", 5}};
  const auto made = make("matmul", {of({4, 5}), of({5, 6})}, {of({4, 6})}, RuleSet::Upstream, hints);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->dims, (std::vector<OperationDim>{{"M", 4}, {"K", 5}, {"N", 6}}));
  hints.dims = std::vector<OperationDim>{{"M", 4}, {"N", 5}, {"K", 6}};
  const auto wrong = make("matmul", {of({4, 5}), of({5, 6})}, {of({4, 6})}, RuleSet::Upstream, hints);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "K is given as 6, the shapes say 5");
}

// All extents equal, so that only the roles can be wrong.
TEST(GivenScales, ThatSumWhatOnlyOneInputHasAreRefuted) {
  const auto made = make("matmul", {of({64, 64}, {0, 1, -1}), of({64, 64}, {-1, 0, 1})}, {of({64, 64}, {-1, 0, 1})});
  ASSERT_TRUE(made.has_value());
  EXPECT_NE(said(*made).find("refuted: operand"), std::string::npos) << said(*made);
  const auto right = make("matmul", {of({64, 64}, {0, 1, -1}), of({64, 64}, {-1, 0, 1})}, {of({64, 64}, {0, -1, 1})});
  EXPECT_EQ(said(*right), "proved");
}

// Every assignment of scales -1, 0, 1 to a square matmul: exactly those that name each operand's two host dimensions
// once and share one K that out lacks and one N that x lacks pass the shapes. By symmetry of the names these are:
// choose the three pairs {M,K}, {K,N}, {M,N} over three dimensions (6 ways), each pair in 2 orders: 48.
TEST(GivenScales, OfASquareMatmulPassTheShapesInExactly48Ways) {
  std::vector<List> all;
  for (Index a = -1; a < 2; ++a)
    for (Index b = -1; b < 2; ++b)
      for (Index c = -1; c < 2; ++c) all.push_back({a, b, c});
  int asked = 0;
  int passed = 0;
  const Operand square = of({2, 2});
  for (const List& x : all)
    for (const List& y : all)
      for (const List& out : all) {
        Operand a = square;
        Operand b = square;
        Operand c = square;
        a.scales = x;
        b.scales = y;
        c.scales = out;
        OperationHints hints;
        hints.dims = std::vector<OperationDim>{{"d0", 2}, {"d1", 2}, {"d2", 2}};
        const auto made = make("matmul", {a, b}, {c}, RuleSet::Upstream, hints);
        ASSERT_TRUE(made.has_value());
        const auto constraints = shape_constraints(*made);
        ++asked;
        passed +=
            std::ranges::all_of(constraints, [](const Constraint& each) { return each.rule.have == each.rule.want; })
                ? 1
                : 0;
      }
  EXPECT_EQ(asked, 27 * 27 * 27);
  EXPECT_EQ(passed, 48);
}

}  // namespace use_operation_campaign
}  // namespace vl::use
