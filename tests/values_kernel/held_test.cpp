// What is known of the operands of a padded run: block floats, and elements that pads may be.
#include <gtest/gtest.h>

#include "verifier/values_kernel/reductions.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace values_kernel_held_test {

using Ranges = ReductionText::Ranges;

const Ranges kAll = {{"0x0", "0xFFFF"}};
const Ranges kNoMinusZero = {{"0x0", "0x7FFF"}, {"0x8001", "0xFFFF"}};

ReductionText sum_of(const char* type, Ranges contents, Ranges fill) {
  ReductionText out;
  out.operation = "sum", out.type = type, out.accumulate = "f32", out.start = "first", out.order = "any";
  out.max = "nan-wins", out.equal = "any-nan", out.contents = std::move(contents), out.fill = std::move(fill);
  return out;
}

bool rejects(const ReductionText& said, const HeldText& held, std::size_t operand = 0) {
  try {
    static_cast<void>(holds_elements(said, operand, held));
  } catch (const Rejected&) {
    return true;
  }
  return false;
}

TEST(HeldElements, PadsOfBlocksAreZeros) {
  const HeldText blocks{kNoMinusZero, "bfp8"};
  EXPECT_FALSE(rejects(sum_of("bf16", kNoMinusZero, {{"0x0", "0x0"}}), blocks));
  EXPECT_FALSE(rejects(sum_of("bf16", kNoMinusZero, {{"0x0", "0x0"}}), {kNoMinusZero, "bfp2"}));
  EXPECT_TRUE(rejects(sum_of("bf16", kNoMinusZero, {{"0x8000", "0x8000"}}), blocks)) << "-0 is read as +0";
  EXPECT_TRUE(rejects(sum_of("bf16", kNoMinusZero, {{"0x0", "0x1"}}), blocks));
  EXPECT_TRUE(rejects(sum_of("bf16", kNoMinusZero, {{"0x3F80", "0x3F80"}}), blocks)) << "1 shares its exponent";
  EXPECT_TRUE(rejects(sum_of("f16", kNoMinusZero, {{"0x0", "0x0"}}), blocks)) << "blocks are read as bf16";
  EXPECT_TRUE(rejects(sum_of("bf16", kNoMinusZero, {{"0x0", "0x0"}}), {kNoMinusZero, "bfp16"}));
}

TEST(HeldElements, AreAmongTheContents) {
  EXPECT_TRUE(rejects(sum_of("f16", {{"0x0", "0x7BFF"}}, {{"0x0", "0x0"}}), {kAll, std::nullopt}));
  EXPECT_TRUE(rejects(sum_of("f16", kAll, {{"0x0", "0x0"}}), {{}, std::nullopt}));
  EXPECT_TRUE(rejects(sum_of("f16", kAll, {{"0x0", "0x0"}}), {kAll, std::nullopt}, 1)) << "a sum has one operand";
}

TEST(HeldElements, PadsThatMayBeElementsHoldWhatTheyHold) {
  const auto holds = [](const Ranges& fill, const Ranges& elements) {
    return holds_elements(sum_of("f16", kAll, fill), 0, {elements, std::nullopt});
  };
  EXPECT_TRUE(holds(kAll, kAll));
  EXPECT_TRUE(holds({{"0x0", "0x7BFF"}}, {{"0x3C00", "0x3C00"}}));
  EXPECT_FALSE(holds({{"0x0", "0x0"}}, {{"0x3C00", "0x3C00"}}));
  EXPECT_FALSE(holds({{"0x0", "0x10"}, {"0x12", "0x20"}}, {{"0x8", "0x14"}})) << "0x11 is missing";
}

}  // namespace values_kernel_held_test
}  // namespace vl::values_kernel
