// The pads that evaluations with one element leave as they are (refute.h), which are found by a law for floats, against
// an evaluation of each pad by itself.
#include "verifier/neutral/refute.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/drawn_codes.h"
#include "tests/support/shard.h"
#include "verifier/neutral/neutral.h"

namespace vl {
namespace neutral_refute_campaign {

using namespace neutral;  // NOLINT: the folder under test

Question drawn_question(test::WideEngine& random) {
  using enum Operation;
  const auto of = [&](std::initializer_list<const char*> names) {
    return *values::find_format(test::one_of(random, names));
  };
  Question out;
  out.operation = test::one_of(random, {Sum, Prod, Max, Min, SumOfSquares, Mean});
  out.type = of({"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f16", "bf16", "dl16"});
  out.accumulate = random.below(2) == 0 ? out.type : of({"f16", "bf16", "dl16", "f32", "f64"});
  out.start = test::one_of(random, {Start::First, Start::Zero, Start::MinusZero});
  out.tree = test::one_of(random, {Tree::Any, Tree::Sequential});
  out.max = test::one_of(random, {values::MaxRule::NanWins, values::MaxRule::NanLoses, values::MaxRule::X86});
  out.fused = random.below(2) == 0;
  out.equal = test::one_of(random, {Equality::Bits, Equality::AnyNan, Equality::AnyNanAndZero});
  out.divide = test::one_of(random, {Divide::Logical, Divide::Padded});
  out.mode.rounding = test::one_of(
      random, {values::Rounding::NearestEven, values::Rounding::NearestAway, values::Rounding::TowardZero});
  out.mode.flush = test::one_of(random, {values::Flush::None, values::Flush::Results, values::Flush::Both});
  out.contents = CodeSet::all(out.type);
  return out;
}

TEST(Refute, PadsThatChangeNothingAreFoundByALaw) {
  std::map<std::string, std::uint64_t> left;
  int questions = 0;
  const auto wanted = static_cast<int>(test::cases(120, 3000));
  test::WideEngine random(20261130);
  while (questions < wanted) {
    const Question question = drawn_question(random);
    if (!misfit(question).empty()) continue;
    ++questions;
    std::vector<Code> elements;
    for (auto count = 1 + random.below(3); count > 0; --count)
      elements.push_back(test::drawn_code(question.type, random));
    OneElement alone(question, elements);
    if (random.below(2) == 0) {  // beside two elements, too
      const bool starts = question.start != Start::First;
      const Term a{test::drawn_code(question.type, random), 0}, b{test::drawn_code(question.type, random), 0};
      alone.add(Evaluation{starts ? "sc+p+c+" : "cp+c+", {a, b}, {{}}});
    }
    std::vector<CodeRange> unchanged;
    for (Code code = 0; code <= question.type.mask(); ++code)
      if (!alone.is_changed_by(code)) unchanged.push_back({code, code});
    const CodeSet each(std::move(unchanged));
    left[std::string(name(question.operation))] += each.count();
    ASSERT_EQ(alone.unchanged(CodeSet::all(question.type)), each)
        << fmt::format("{} of {} in {} beside {}", name(question.operation), question.type.name,
                       question.accumulate.name, fmt::join(elements, ", "));
  }
  for (const auto& [operation, codes] : left) {
    fmt::print("{}: {} pads change nothing\n", operation, codes);
    EXPECT_GE(codes, 5U) << operation;
  }
  EXPECT_EQ(left.size(), 6U);
}

// Under DAZ subnormal pads are zeros of their sign. A sum from +0 may be flushed to -0, which takes two elements, and
// +0 added to that is +0. Each of 1,024 pads is told by the two of the first.
TEST(Refute, PadsThatTwoElementsTell) {
  Question question;
  question.operation = Operation::Sum;
  question.type = question.accumulate = *values::find_format("f16");
  question.start = Start::Zero;
  question.mode.flush = values::Flush::Both;
  question.contents = values::finite_codes(question.type);
  const auto found = largest(question);
  ASSERT_TRUE(std::holds_alternative<Largest>(found));
  EXPECT_EQ(std::get<Largest>(found).codes, CodeSet({{0x8000, 0x83FF}}));
  EXPECT_TRUE(std::get<Largest>(found).open.empty());
}

}  // namespace neutral_refute_campaign
}  // namespace vl
