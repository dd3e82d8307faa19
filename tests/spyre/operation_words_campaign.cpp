// Answers about operations in words: which operand has what, and what the operation needs of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/spyre/operation.h"
#include "tests/support/operations.h"

namespace vl::spyre {
namespace spyre_operation_words_campaign {

using List = std::vector<Index>;
using test::constructed;
using test::make;
using test::said;
using use::Operand;
using use::RuleSet;

std::string said_of(const std::string& name, std::vector<Operand> inputs, const Operand& result,
                    RuleSet rules = RuleSet::Upstream) {
  const auto made = make(name, std::move(inputs), {result}, rules);
  return made ? said(*made) : "error: " + made.error().message;
}

TEST(Words, NameTheOperandWhatItHasAndWhatIsNeeded) {
  const Operand x = constructed({1024, 512}, {0, 1});
  const Operand y = constructed({512, 256}, {0, 1});
  const Operand out = constructed({1024, 256}, {0, 1});
  EXPECT_EQ(said_of("matmul", {x, y}, out), "proved");
  EXPECT_EQ(said_of("matmul", {x, constructed({512, 256}, {1, 0})}, out),
            "refuted: operand 1 (y) has its stick on K, matmul needs N");
  EXPECT_EQ(said_of("matmul", {constructed({1024, 512}, {1, 0}), y}, out),
            "refuted: operand 0 (x) has its stick on M, matmul needs K");
  EXPECT_EQ(said_of("matmul", {x, y}, constructed({1024, 256}, {1, 0})),
            "refuted: operand 2 (out) has its stick on M, matmul needs N");
  EXPECT_EQ(said_of("matmul", {x, y}, constructed({1024, 256}, {0, 1, -1})),
            "refuted: operand 2 (out) has no stick dimension, matmul needs N");
}

TEST(Exx2, NeedsItsStickReducedAndTwoValuesAStick) {
  const Operand x = constructed({8, 128}, {0, 1});
  const auto sparse = [](const char* arrangement) {
    return test::operand("f16[8]", fmt::format("SpyreTensorLayout((8,), (1,), torch.float16, [0,-1]{})", arrangement));
  };
  const Operand two = sparse(", ElementArrangement.EXX2");
  EXPECT_EQ(said_of("exx2", {x}, two), "proved");
  EXPECT_NE(said_of("exx2", {x}, sparse("")).find("needs the element arrangement EXX2"), std::string::npos);
  EXPECT_NE(said_of("exx2", {constructed({8, 128}, {1, 0})}, two).find("exx2 needs the reduced dimension"),
            std::string::npos);
  EXPECT_NE(said_of("exx2", {x}, two, RuleSet::Documents).find("sparse sticks of one"), std::string::npos);
  EXPECT_EQ(said_of("exx2", {x}, sparse(""), RuleSet::Documents), "proved");
  EXPECT_NE(said_of("exx2", {x}, sparse(", ElementArrangement.QFP8CH")).find("EXX2"), std::string::npos);
}

TEST(LayerNormNorm, TakesNoViewsAndKeepsTheStick) {
  const Operand x = constructed({8, 128}, {0, 1});
  const Operand stats = constructed({8, 1}, {0, 1, -1});
  EXPECT_EQ(said_of("layernormnorm", {x, stats}, x), "proved");
  EXPECT_NE(said_of("layernormnorm", {x, stats}, constructed({8, 128}, {1, 0})).find("keeps the stick"),
            std::string::npos);
  map::Tensor view;
  view.size = {8, 128};
  view.strides = List{256, 1};
  const Operand strided = test::operand(view, "SpyreTensorLayout([2,8,64], [64,256,1], SEN169_FP16)");
  EXPECT_NE(said_of("layernormnorm", {strided, stats}, x).find("takes no views"), std::string::npos);
}

TEST(Operands, WithAnotherElementArrangementAreUnsupported) {
  const Operand odd = test::operand(
      "f16[8,128]", "SpyreTensorLayout((8,128), (128,1), torch.float16, [0,1], ElementArrangement.QFP8CH)");
  EXPECT_NE(said_of("pointwise", {odd}, odd).find("unsupported: the rules do not cover"), std::string::npos);
}

TEST(Operands, PassedOnUnchangedNeedTheSameElementsPerStick) {
  const Operand a = constructed({8, 128}, {0, 1});
  const Operand wide = test::operand("f32[8,128]", "SpyreTensorLayout([2,8,64], [64,128,1], IEEE_FP32)");
  EXPECT_EQ(
      said_of("pointwise", {a}, wide),
      "refuted: operand 1 (result) has the device sizes of operand 0 (a) with 32 elements per stick, there it is 64");
  EXPECT_EQ(said_of("pointwise", {a}, test::operand("f32[8,128]", "SpyreTensorLayout((8,128), torch.float32)")),
            "proved");
}

TEST(Operands, WithAnOffsetStickCanOnlyBeRestickified) {
  map::Tensor slice;
  slice.size = {8, 32};
  slice.strides = List{64, 1};
  slice.view_offset = 32;
  const Operand half = test::operand(slice, "SpyreTensorLayout([1,8,64], [64,64,1], SEN169_FP16)");
  for (const RuleSet rules : {RuleSet::Documents, RuleSet::Upstream})
    EXPECT_NE(said_of("pointwise", {half}, half, rules)
                  .find("d1 + 32: a stick that starts at lane 32 can only be restickified"),
              std::string::npos);
}

// K = 100 in one stick of 64: its lane is K, a variable alone, but element [0, 64] has no slot.
TEST(Operands, WhoseElementsHaveNoSlotAreRefutedByOneOfThem) {
  const Operand x = test::operand("f16[4,100]", "SpyreTensorLayout([1,4,64], [-1,100,1], SEN169_FP16)");
  EXPECT_EQ(said_of("matmul", {x, constructed({100, 64}, {0, 1})}, constructed({4, 64}, {0, 1})),
            "refuted: operand 0 (x): element [0, 64] has no slot: d2 would be 64, and its extent is 64");
}

TEST(Operands, MayBeDerivedLayouts) {
  const Operand x = constructed({256, 256}, {0, 1});
  map::Tensor turned;
  turned.size = {256, 256};
  const Operand moved = test::operand(turned, "SpyreTensorLayout((256, 256), torch.float16).restickify(0)");
  EXPECT_NE(said_of("pointwise", {moved}, x).find("operand 0 (a) has its stick on d0"), std::string::npos);
  EXPECT_EQ(said_of("pointwise", {moved}, moved), "proved");
}

TEST(ScalesOfAReduction, AreMinusTwoForUpstreamAndMinusOneForTheDocuments) {
  const auto asked = [](Index scale, RuleSet rules) {
    const auto made =
        make("sum", {constructed({8, 100}, {0, 1}, {0, 1})}, {constructed({8}, {0, -1}, {0, scale})}, rules);
    return said(*made);
  };
  EXPECT_EQ(asked(-2, RuleSet::Upstream), "proved");
  EXPECT_NE(asked(-1, RuleSet::Upstream).find("-2 drives the mask"), std::string::npos);
  EXPECT_EQ(asked(-1, RuleSet::Documents), "proved");
  EXPECT_NE(asked(-2, RuleSet::Documents).find("the document knows -1 and -3 only"), std::string::npos);
  // Not along the stick: -1, and -2 is wrong.
  const auto across = [](Index scale) {
    const auto made = make("sum", {constructed({8, 100}, {0, 1}, {0, 1})}, {constructed({100}, {0}, {scale, 0})});
    return said(*made);
  };
  EXPECT_EQ(across(-1), "proved");
  EXPECT_NE(across(-2).find("has the scale -2 on d0"), std::string::npos);
}

TEST(ScalesOfAnElidedDimension, AreOfTheDocumentsAlone) {
  const auto asked = [](RuleSet rules) {
    const auto made = make("pointwise", {constructed({8, 1, 128}, {0, 1, 2}, {0, -3, 2})},
                           {constructed({8, 1, 128}, {0, 1, 2}, {0, -3, 2})}, rules);
    return said(*made);
  };
  EXPECT_EQ(asked(RuleSet::Documents), "proved");
  EXPECT_NE(asked(RuleSet::Upstream).find("since #787"), std::string::npos);
}

}  // namespace spyre_operation_words_campaign
}  // namespace vl::spyre
