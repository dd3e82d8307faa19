// Expressions and conditions: values, rejected texts with their places, and printing that keeps the value.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "encodings/map/rule.h"

namespace vl::map {
namespace map_expression_test {

struct Valued {
  const char* text;
  Index value;  // at N = 150, M = 7, P = 64
};

constexpr Valued kValued[] = {
    {"N", 150},
    {"ceil(N/64)*64 - N", 42},
    {"N // P", 2},
    {"-N // P", -3},
    {"N % P", 22},
    {"-N % P", 42},
    {"align(N, P)", 192},
    {"min(N, M)", 7},
    {"max(N, M + P)", 150},
    {"2**10 * M", 7168},
    {"-2**2", -4},
    {"(M - 7) * N", 0},
    {"M - 7 - 1", -1},
    {"8 // 3 * M", 14},
    {"2*ceil((N+1)/(M-2))", 62},
    {"ceil(N*M//2/64)", 9},
    {"ceil(-N/64)", -2},
    {"N*(P//M) % 8", 6},
    {"M*M*M", 343},
    {"0x10 + M", 23},
    {"max(0, -N)", 0},
};

const Sizes kAt = {{"N", 150}, {"M", 7}, {"P", 64}};

TEST(Expression, HasPythonsValueAndKeepsItWhenPrinted) {
  for (const auto& [text, value] : kValued) {
    const auto read = parse_expression(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(*evaluate(*read, kAt), value) << text;
    const auto again = parse_expression(print(*read));
    ASSERT_TRUE(again.has_value()) << text << " is printed " << print(*read);
    for (Index n = 1; n < 70; n += 3)
      for (Index p = 1; p < 9; ++p) {
        const Sizes at = {{"N", n}, {"M", 3}, {"P", p}};
        const auto one = evaluate(*read, at), other = evaluate(*again, at);
        if (one) {
          EXPECT_EQ(*one, *other) << text << " is printed " << print(*read);
        }
      }
  }
}

TEST(Expression, IsPrintedMultipliedOut) {
  const auto printed = [](const char* text) { return print(*parse_expression(text)); };
  EXPECT_EQ(printed("192*N*M - M*150*N"), "42*N*M");
  EXPECT_EQ(printed("64*ceil(N/64) - N"), "64*ceil(N/64) - N");
  EXPECT_EQ(printed("(M + 1)*(M - 1)"), "M*M - 1");
  EXPECT_EQ(printed("64*(N//64)"), "64*(N//64)");
  EXPECT_EQ(printed("(P - N)*(M - 1) - (P*M - N*M - P + N)"), "0");
}

// (N + M + P + 1)^17 has 1,140 terms, more than a polynomial holds, so each part is printed as it is.
TEST(Expression, KeepsItsValueWhenItIsTooLongToBeMultipliedOut) {
  std::string text = "N//M - ceil(M/P) + N%P*min(N, M) - max(M, P) + 1";
  for (int k = 0; k < 17; ++k) text += "*(N + M + P + 1)";
  const auto read = parse_expression(text);
  ASSERT_TRUE(read.has_value());
  const auto again = parse_expression(print(*read));
  ASSERT_TRUE(again.has_value()) << print(*read);
  for (Index n = 1; n < 5; ++n)
    for (Index m = 1; m < 5; ++m)
      for (Index p = 1; p < 5; ++p) {
        const Sizes at = {{"N", n}, {"M", m}, {"P", p}};
        const auto one = evaluate(*read, at), other = evaluate(*again, at);
        ASSERT_TRUE(one && other);
        EXPECT_EQ(*one, *other) << print(*read);
      }
}

struct Rejected {
  const char* text;
  ErrorCode code;
  std::size_t offset;
};

constexpr Rejected kRejected[] = {
    {"", ErrorCode::Syntax, 0},
    {"N +", ErrorCode::Syntax, 3},
    {"N M", ErrorCode::Syntax, 2},
    {"2*None", ErrorCode::Syntax, 2},
    {"N + in", ErrorCode::Syntax, 4},
    {"N / 2", ErrorCode::Syntax, 2},
    {"N // 0", ErrorCode::Value, 6},
    {"ceil(N/0)", ErrorCode::Value, 9},
    {"ceil(N, 2)", ErrorCode::Syntax, 6},
    // As Python binds, these are N + 1/2, N/2 + 1, N/2*M and N/2/3, and no quotient of two integers.
    {"ceil(N+1/2)", ErrorCode::Syntax, 6},
    {"ceil(N/2+1)", ErrorCode::Syntax, 8},
    {"ceil(N/2*M)", ErrorCode::Syntax, 8},
    {"ceil(N/2/3)", ErrorCode::Syntax, 8},
    {"align(N, 0)", ErrorCode::Value, 11},
    {"floor(N, 2)", ErrorCode::Syntax, 0},
    {"2 ** N", ErrorCode::Value, 2},
    {"2 ** -1", ErrorCode::Value, 2},
    {"2 ** 64", ErrorCode::Overflow, 2},
    {"9223372036854775808", ErrorCode::Overflow, 0},
    {"9223372036854775807 + 1", ErrorCode::Overflow, 23},
    {"(N", ErrorCode::Syntax, 2},
    {"1.5", ErrorCode::Syntax, 1},
};

TEST(Expression, IsRejectedWithItsPlace) {
  for (const auto& [text, code, offset] : kRejected) {
    const auto read = parse_expression(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(name(read.error().code), name(code)) << text << ": " << read.error().message;
    EXPECT_EQ(read.error().offset, offset) << text << ": " << read.error().message;
  }
  EXPECT_FALSE(parse_expression(std::string(5000, '('))) << "5000 levels";
  EXPECT_FALSE(parse_expression(std::string(5000, '-') + "N"));
  std::string doubled = "N";
  for (int k = 0; k < 40; ++k) doubled = "align(N, " + doubled + ")";
  EXPECT_FALSE(parse_expression(doubled)) << "2^40 parts";
}

TEST(Expression, HasNoValueBeyond64BitsOrBelowItsDivisors) {
  const Sizes large = {{"N", Index{1} << 62}, {"P", 0}};
  for (const auto& [text, code] : {std::pair{"N*N", ErrorCode::Overflow},
                                   {"2*N", ErrorCode::Overflow},
                                   {"N // P", ErrorCode::Value},
                                   {"N % (P - 1)", ErrorCode::Value},
                                   {"Q", ErrorCode::Value}}) {
    const auto value = evaluate(*parse_expression(text), large);
    ASSERT_FALSE(value.has_value()) << text;
    EXPECT_EQ(name(value.error().code), name(code)) << text;
  }
}

TEST(Conditions, AreReadAndHold) {
  const auto read = parse_conditions("P >= N, M % 64 == 0 and M*64 < 2**31");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ(print((*read)[1]), "M % 64 == 0");
  const auto all = [&](Index n, Index m, Index p) {
    bool out = true;
    for (const Condition& one : *read) out = out && *holds(one, {{"N", n}, {"M", m}, {"P", p}});
    return out;
  };
  EXPECT_TRUE(all(5, 128, 5));
  EXPECT_FALSE(all(6, 128, 5));
  EXPECT_FALSE(all(5, 129, 5));
  EXPECT_FALSE(all(5, Index{1} << 25, 5));
  for (const char* text : {"", "P", "P >= ", "P >= N,", "1 <= N <= 8", "P >> N", "P != N"})
    EXPECT_FALSE(parse_conditions(text).has_value()) << text;
}

TEST(RuleTensor, HasNamesForSizes) {
  const auto tensor = parse_rule_tensor("f16[N, 2*M, 150]");
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(print(*tensor), "f16[N,2*M,150]");
  EXPECT_TRUE(has_symbols(*tensor));
  EXPECT_FALSE(has_symbols(*parse_rule_tensor("5x100xf16")));
  for (const char* text : {"f16[N", "f16[N;M]", "f17[N]", "f16[N]]", "f16[-1]", "f16[N,,M]", "N[3]"})
    EXPECT_FALSE(parse_rule_tensor(text).has_value()) << text;
}

TEST(Rule, TakesLowerBoundsFromItsConditions) {
  const auto with = [](const char* where) {
    Rule rule;
    rule.symbols = {{"N", 1}};
    return with_conditions(rule, *parse_conditions(where));
  };
  EXPECT_EQ(with("N >= 0")->symbols.front().low, 0);
  EXPECT_EQ(with("N > 4")->symbols.front().low, 5);
  EXPECT_EQ(with("N >= 2, N >= 0")->symbols.front().low, 2);
  EXPECT_EQ(with("N <= 8")->where.size(), 1U);
  EXPECT_FALSE(with("N >= -1").has_value());
  EXPECT_EQ(with("M >= N")->symbols.size(), 2U);
}

// A layout of N elements in as many slots, and N times N copies of each.
TEST(Rule, HasNoInstanceOfMorePointsThanNumbers) {
  Rule rule;
  rule.symbols = {{"N", 1}};
  const Expression n = Expression::named("N");
  rule.logical = {n};
  rule.strides = {1};
  rule.levels = {{1, n}};
  rule.places = {{.name = "m", .extent = n, .filled = 0, .constant = 0, .terms = {{0, 1}}}};
  rule.replicas = {n, n};
  EXPECT_EQ(instance(rule, {{"N", 8}})->replicas().volume(), 64);
  const auto large = instance(rule, {{"N", Index{1} << 32}});
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::Overflow);
}

}  // namespace map_expression_test
}  // namespace vl::map
