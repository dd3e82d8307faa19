// Rows and trees of oracle/ops: expected values are literals, or what the processor computes in float and double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "encodings/use/random.h"
#include "oracle/ops/rows.h"
#include "tests/support/property.h"

namespace vl::test {
namespace ops_rows_test {

using namespace oracle::ops;  // NOLINT: the folder under test
using values::find_format;

const Format& of(std::string_view name) { return *find_format(name); }

std::string in_words(const Tree& tree) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < tree.leaves; ++i) parts.push_back(std::to_string(i));
  for (const auto& [left, right] : tree.nodes) parts.push_back(fmt::format("({}+{})", parts[left], parts[right]));
  return parts.back();
}

TEST(Order, MakesTheTreeOfItsDefinition) {
  struct Row {
    const char* order;
    std::size_t leaves;
    bool start;
    const char* tree;
  };
  const Row rows[] = {
      {"seq", 1, false, "0"},
      {"seq", 4, false, "(((0+1)+2)+3)"},
      {"seq-desc", 4, false, "(((3+2)+1)+0)"},
      {"seq-desc", 4, true, "(((0+3)+2)+1)"},
      {"tree", 5, false, "(((0+1)+(2+3))+4)"},
      {"tree", 6, false, "(((0+1)+(2+3))+(4+5))"},
      {"lanes(2)", 5, false, "(((0+2)+4)+(1+3))"},
      {"lanes(8)", 3, false, "((0+1)+2)"},
  };
  for (const Row& row : rows) {
    const auto order = parse_order(row.order);
    ASSERT_TRUE(order.has_value()) << row.order;
    EXPECT_EQ(print(*order), row.order);
    EXPECT_EQ(in_words(tree_of(*order, row.leaves, row.start)), row.tree);
  }
}

TEST(Order, OfARandomTreeUsesEveryPartOnceAndMeetsManyTrees) {
  std::map<std::string, int> met;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Tree tree = tree_of({Order::Kind::Random, 1, seed}, 3, false);
    std::vector<int> used(tree.leaves + tree.nodes.size(), 0);
    for (const auto& [left, right] : tree.nodes) ++used[left], ++used[right];
    for (std::size_t i = 0; i + 1 < used.size(); ++i) ASSERT_EQ(used[i], 1);
    ++met[in_words(tree)];
  }
  EXPECT_EQ(met.size(), 12U);  // 3 choices of the last one, 2 sides, 2 orders of the pair
}

TEST(Order, RejectsWhatIsNone) {
  for (const char* text : {"", "any", "seq ", "lanes", "lanes()", "lanes(0)", "lanes(-1)", "lanes(2", "lanes(1048577)",
                           "lanes(99999999999999999999)", "random(x)", "random(1)1", "tree(2)"})
    EXPECT_FALSE(parse_order(text).has_value()) << text;
  EXPECT_TRUE(parse_order("random(18446744073709551615)").has_value());
}

// A row in the notation "8000 p0000 …": codes in hexadecimal, pads with a p; of dot "3c00*4000".
std::vector<Term> terms_of(std::string_view text) {
  std::vector<Term> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    Term term;
    term.pad = word.front() == 'p';
    if (term.pad) word.remove_prefix(1);
    const std::size_t star = word.find('*');
    term.a = std::stoull(std::string(word.substr(0, star)), nullptr, 16);
    if (star != std::string_view::npos) term.b = std::stoull(std::string(word.substr(star + 1)), nullptr, 16);
    out.push_back(term);
    at = end + 1;
  }
  return out;
}

struct Case {
  const char* operation;
  const char* type;
  const char* accumulate;
  const char* with;  // words: start minus fused loses x86 results both saturate
  const char* order;
  const char* terms;
  Code padded, valid;  // of the accumulator
};

Arithmetic arithmetic_of(const Case& row) {
  Arithmetic out{of(row.accumulate)};
  const std::string_view with = row.with;
  const auto has = [&](std::string_view word) { return with.find(word) != std::string_view::npos; };
  out.start = has("minus") ? values::Start::MinusZero : has("start") ? values::Start::Zero : values::Start::First;
  out.mode.flush = has("both") ? values::Flush::Both : has("results") ? values::Flush::Results : values::Flush::None;
  if (has("saturate")) out.mode.integers = values::Integers::Saturate;
  out.fused = has("fused");
  out.max = has("loses") ? values::MaxRule::NanLoses : has("x86") ? values::MaxRule::X86 : values::MaxRule::NanWins;
  return out;
}

TEST(Rows, GiveTheLiteralsOfTheirDefinition) {
  const Case rows[] = {
      {"sum", "f16", "f16", "", "seq", "8000 p0000", 0x0000, 0x8000},               // -0 + +0 is +0
      {"sum", "f16", "f16", "", "seq", "8000 p8000", 0x8000, 0x8000},               // -0 is neutral
      {"sum", "f16", "f16", "start", "seq", "8000 p0000", 0x0000, 0x0000},          // the start alone makes it +0
      {"sum", "f16", "f16", "", "seq", "3c00 p4000 4200", 0x4600, 0x4400},          // 1 + 2 + 3 = 6, 1 + 3 = 4
      {"sum", "f16", "f32", "", "seq", "7bff 7bff p0001", 0x47ffe000, 0x47ffe000},  // 2^-24 is lost beside 131008
      {"sum", "f16", "f16", "", "tree", "6800 p0000 3c00 3c00", 0x6801, 0x6801},
      {"prod", "f16", "f16", "", "seq", "4000 p3c00 4200", 0x4600, 0x4600},  // 2 * 3
      {"prod", "f16", "f16", "", "seq", "4000 p0000", 0x0000, 0x4000},
      {"max", "f16", "f16", "", "seq", "fc00 pfbff", 0xfbff, 0xfc00},
      {"max", "f16", "f16", "", "seq", "7e00 pfc00", 0x7e00, 0x7e00},
      {"max", "f16", "f16", "loses", "seq", "7e00 pfc00", 0xfc00, 0x7e00},
      {"max", "f16", "f16", "x86", "seq", "3c00 p7e00", 0x7e00, 0x3c00},
      {"min", "dl16", "dl16", "", "seq", "4000 p7ffe", 0x4000, 0x4000},
      {"any", "f16", "f16", "", "seq", "8000 p7e00", 1, 0},
      {"all", "f16", "f16", "", "seq", "3c00 p8000", 0, 1},
      {"sumsq", "f32", "f32", "start fused", "seq", "00000001", 0x0, 0x0},
      {"dot", "f32", "f32", "start fused", "seq", "00000001*80000001", 0x80000000, 0x80000000},
      {"dot", "f32", "f32", "start", "seq", "00000001*80000001", 0x00000000, 0x00000000},
      {"dot", "f16", "f32", "start", "seq", "3c00*4000 p0000*7c00", 0x7fc00000, 0x40000000},  // 0 times infinity
      // 2^-126 less 2^-126·(1 + 2^-23) is flushed to -0, which a pad +0 turns into +0.
      {"sum", "f32", "f32", "start results", "seq", "00800000 80800001 p00000000", 0x00000000, 0x80000000},
      {"sum", "f32", "f32", "both", "seq", "00000001 p80000000", 0x00000000, 0x00000001},  // alone it is not flushed
      {"sum", "f32", "f32", "start minus", "seq", "80000000 p80000000", 0x80000000, 0x80000000},
      {"sum", "i8", "i8", "saturate", "seq", "7f p1", 0x7f, 0x7f},
      {"sum", "f32", "f32", "", "seq", "00800000 80800001", 0x80000001, 0x80000001},
      // 2048 + (1 + 1) = 2050, where the same words over three terms, (2048 + 1) + 1, give 2048: a tie, twice.
      {"sum", "f16", "f16", "", "tree", "6800 3c00 3c00", 0x6800, 0x6800},
      {"sum", "i8", "i8", "", "seq", "7f p1", 0x80, 0x7f},
  };
  for (const Case& row : rows) {
    const Operation operation = *find_operation(row.operation);
    const Arithmetic arithmetic = arithmetic_of(row);
    ASSERT_EQ(misfit(operation, arithmetic, of(row.type), of(row.accumulate)), "") << row.terms;
    const Scalar scalar(operation, arithmetic, of(row.type));
    const auto terms = terms_of(row.terms);
    const Tree tree = tree_of(*parse_order(row.order), terms.size() + (scalar.starts() ? 1 : 0), scalar.starts());
    const std::string what = fmt::format("{} of {} {}: {}", row.operation, row.type, row.with, row.terms);
    EXPECT_EQ(reduced(scalar, tree, terms, true), row.padded) << what;
    EXPECT_EQ(reduced(scalar, tree, terms, false), row.valid) << what;
  }
}

// f16: c0 = 1 + 2^-10, and c1 = (2^-11 + 2^-21)(1 - 2^-10) = 2^-11 - 2^-31, which is rounded to 2^-11. By fma the sum
// is just below a tie, c0; with the rounded product it is the tie, 1 + 2^-9. A node that adds a part, and not a term,
// stays such a node where a pad is cut out of that part.
TEST(Rows, FuseWhereTheTreeHasATermOnTheRight) {
  Arithmetic arithmetic{of("f16")};
  arithmetic.fused = true;
  const Scalar scalar(Operation::Dot, arithmetic, of("f16"));
  const std::vector<Term> terms = {{0x3c01, 0x3c00, false}, {0x1001, 0x3bfe, false}, {0x0000, 0x0000, true}};
  const Tree chain = tree_of({}, 2, false);
  EXPECT_EQ(reduced(scalar, chain, std::span(terms).first(2), true), Code{0x3c01});
  const Tree tree{3, {{1, 2}, {0, 3}}};  // c0 + (c1 + p0)
  EXPECT_EQ(reduced(scalar, tree, terms, true), Code{0x3c02});
  EXPECT_EQ(reduced(scalar, tree, terms, false), Code{0x3c02});
}

TEST(Rows, OfPadsAloneHaveNoValidResult) {
  const Scalar scalar(Operation::Sum, {of("f16")}, of("f16"));
  const auto terms = terms_of("p3c00 p4000");
  const Tree tree = tree_of({}, 2, false);
  EXPECT_EQ(reduced(scalar, tree, terms, true), Code{0x4200});
  EXPECT_EQ(reduced(scalar, tree, terms, false), std::nullopt);
}

TEST(Rows, ArgmaxTakesTheFirstOrLastOfEqualElements) {
  struct Row {
    Operation operation;
    Ties ties;
    values::MaxRule max;
    const char* terms;
    std::size_t padded, valid;
  };
  using values::MaxRule;
  const Row rows[] = {
      {Operation::ArgMax, Ties::First, MaxRule::NanWins, "fc00 fc00 pfc00", 0, 0},
      {Operation::ArgMax, Ties::Last, MaxRule::NanWins, "fc00 fc00 pfc00", 2, 1},
      {Operation::ArgMax, Ties::First, MaxRule::NanWins, "fc00 pfbff", 1, 0},
      {Operation::ArgMax, Ties::First, MaxRule::NanWins, "3c00 7e00 4000 p7e01", 1, 1},
      {Operation::ArgMax, Ties::First, MaxRule::NanLoses, "7e00 3c00 pfc00", 1, 1},
      {Operation::ArgMax, Ties::First, MaxRule::NanWins, "8000 0000", 0, 0},  // two zeros are equal
      {Operation::ArgMin, Ties::First, MaxRule::NanWins, "4000 3c00 p0000", 2, 1},
  };
  for (const Row& row : rows) {
    Arithmetic arithmetic{of("f16")};
    arithmetic.ties = row.ties;
    arithmetic.max = row.max;
    const Scalar scalar(row.operation, arithmetic, of("f16"));
    EXPECT_EQ(place_in(scalar, terms_of(row.terms), true), row.padded) << row.terms;
    EXPECT_EQ(place_in(scalar, terms_of(row.terms), false), row.valid) << row.terms;
  }
}

TEST(Scalar, DividesAsTheProcessorDoes) {
  for_all(6000, [&] {
    WideEngine random = *engines<WideEngine>();
    const auto code = static_cast<std::uint32_t>(random.below(3) == 0 ? random() & 0x007fffff : random());
    const Index n = roll(random, 1, random.below(2) == 0 ? 100 : 1 << 24);  // exact in float
    volatile float a = std::bit_cast<float>(code), b = static_cast<float>(n);
    volatile float q = a / b;
    if (is_nan(of("f32"), code)) return;
    RC_ASSERT(divided(of("f32"), code, n) == std::bit_cast<std::uint32_t>(static_cast<float>(q)));
    const std::uint64_t wide = random();
    volatile double x = std::bit_cast<double>(wide), y = static_cast<double>(n);
    volatile double z = x / y;
    if (is_nan(of("f64"), wide)) return;
    RC_ASSERT(divided(of("f64"), wide, n) == std::bit_cast<std::uint64_t>(static_cast<double>(z)));
  });
  EXPECT_EQ(divided(of("f16"), 0x3c00, 3), Code{0x3555});
  EXPECT_EQ(divided(of("f16"), 0x8001, 2), Code{0x8000});  // half of the least subnormal, a tie
  EXPECT_EQ(divided(of("f16"), 0xfc00, 7), Code{0xfc00});
}

// Sums and products of f32 by every order, with the processor's float.
TEST(Rows, AreWhatTheProcessorComputes) {
  int compared = 0;
  for_all(3000, [&] {
    WideEngine random = *engines<WideEngine>();
    const auto chance = [&](std::uint64_t percent) { return random.below(100) < percent; };
    const std::size_t count = 1 + random.below(9);
    std::vector<Term> terms(count);
    for (Term& term : terms) {
      term.a = static_cast<Code>(roll(random, 0x3e000000, 0x42000000)) | (chance(50) ? 0x80000000U : 0U);
      term.b = static_cast<Code>(roll(random, 0x3e000000, 0x42000000));
      term.pad = chance(30);
    }
    const Order orders[] = {{},
                            {Order::Kind::Descending},
                            {Order::Kind::Tree},
                            {Order::Kind::Lanes, 3},
                            {Order::Kind::Random, 1, random()}};
    const Tree tree = tree_of(orders[random.below(5)], count, false);
    const Operation operation = chance(50) ? Operation::Dot : Operation::Sum;
    for (const bool with_pads : {true, false}) {
      std::vector<std::optional<float>> parts;
      for (const Term& term : terms) {
        const float a = std::bit_cast<float>(static_cast<std::uint32_t>(term.a));
        volatile float product = a * std::bit_cast<float>(static_cast<std::uint32_t>(term.b));
        const bool out = term.pad && !with_pads;
        parts.push_back(out ? std::nullopt : std::optional<float>(operation == Operation::Dot ? product : a));
      }
      for (const auto& [left, right] : tree.nodes) {
        const auto a = parts[left], b = parts[right];
        volatile float sum = a.value_or(0) + b.value_or(0);
        parts.push_back(a && b ? std::optional<float>(sum) : a ? a : b);
      }
      const auto got = reduced(Scalar(operation, {of("f32")}, of("f32")), tree, terms, with_pads);
      RC_ASSERT(got.has_value() == parts.back().has_value());
      if (!got) continue;
      RC_ASSERT(*got == std::bit_cast<std::uint32_t>(*parts.back()));
      ++compared;
    }
  });
  EXPECT_GT(compared, 5000);
}

TEST(Scalar, RefusesWhatDoesNotFit) {
  const auto says = [&](Operation operation, Arithmetic with, const char* type, const char* result) {
    return !misfit(operation, with, of(type), of(result)).empty();
  };
  Arithmetic f32{of("f32")}, start{of("f32")}, fused{of("f32")};
  start.start = values::Start::Zero;
  fused.fused = true;
  EXPECT_TRUE(says(Operation::Max, start, "f32", "f32"));
  EXPECT_TRUE(says(Operation::Sum, fused, "f32", "f32"));
  EXPECT_TRUE(says(Operation::Sum, f32, "i8", "i8"));
  EXPECT_TRUE(says(Operation::Sum, f32, "f16", "i8"));
  EXPECT_TRUE(says(Operation::Mean, {of("i32")}, "i32", "i32"));
  EXPECT_TRUE(says(Operation::ArgMax, f32, "f32", "f32"));
  EXPECT_FALSE(says(Operation::ArgMax, f32, "f32", "i32"));
  EXPECT_FALSE(says(Operation::Dot, start, "f16", "f16"));
}

}  // namespace ops_rows_test
}  // namespace vl::test
