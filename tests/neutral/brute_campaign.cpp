// Every answer about the largest neutral fill, against rows that are executed: of the 8-bit types with every fill, of
// the 16-bit ones with every fill that is not refuted at once. A fill that is said to be neutral changes no row; one
// that is not said to be changes some row; what is open is counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/neutral/brute.h"
#include "tests/support/shard.h"

namespace vl {
namespace neutral_brute_campaign {

using namespace neutral;  // NOLINT: the folder under test
using test::Brute;
using test::BruteLeaf;
using Kind = BruteLeaf::Kind;
using values::MaxRule;

const Format& of(std::string_view name) { return *values::find_format(name); }

struct Contents {
  const char* name;
  CodeSet codes;
};

std::vector<Contents> contents_of(const Format& type, Operation operation) {
  std::vector<Contents> out{{"any", CodeSet::all(type)}};
  if (type.is_float()) {
    out.push_back({"finite", finite_codes(type)});
    out.push_back({"non-nan", nans(type).complement(type)});
    if (has_negative_zero(type)) out.push_back({"no -0", CodeSet::of(negative_zero(type)).complement(type)});
  }
  if (is_additive(operation) || operation == Operation::Prod) return out;
  out.push_back({"[1, greatest]", numbers_between(type, order(type, values::one(type)), highest_order(type))});
  out.push_back(
      {"[-1, 1]",
       numbers_between(type,
                       type.kind == values::Kind::Unsigned ? 0 : order(type, values::negated(type, values::one(type))),
                       order(type, values::one(type)))});
  return out;
}

std::string in_words(const Question& q, const char* contents) {
  return fmt::format("{} of {} in {}, start {}, {}, max {}, {}, equal {}, contents {}", name(q.operation), q.type.name,
                     q.accumulate.name, q.start == Start::Zero ? "+0" : "first", q.tree == Tree::Any ? "any" : "seq",
                     static_cast<int>(q.max), q.fused ? "fused" : "rounded", static_cast<int>(q.equal), contents);
}

// The questions of a type but those of dot: of integers each, of floats every eleventh one, and with VL_SHARD each.
// Eleven has no factor in common with the numbers of words of an option, so each word meets each other one.
template <class Visit>
void for_questions(const Format& type, const Format& wide, Visit visit) {
  std::int64_t at = 0;
  const std::int64_t step = type.is_float() ? test::cases(11, 1) : 1;
  for (const Operation operation : {Operation::Sum, Operation::Prod, Operation::Max, Operation::Min, Operation::Any,
                                    Operation::All, Operation::SumOfSquares})
    for (const Start start : {Start::First, Start::Zero})
      for (const Tree tree : {Tree::Any, Tree::Sequential})
        for (const bool fused : {false, true})
          for (const MaxRule max : {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86})
            for (const Equality equal : {Equality::Bits, Equality::AnyNan, Equality::AnyNanAndZero})
              for (const Contents& contents : contents_of(type, operation)) {
                const bool extremum = operation == Operation::Max || operation == Operation::Min;
                if (!extremum && max != MaxRule::NanWins) continue;
                if (fused && tree == Tree::Any) continue;  // in brute_modes_test
                if (!type.is_float() && (equal != Equality::Bits || max != MaxRule::NanWins)) continue;
                const Question q{operation, type, wide, start, tree, max, fused, equal, contents.codes};
                if (misfit(q).empty() && at++ % step == 0) visit(q, contents.name);
              }
}

std::vector<BruteLeaf> row(const std::vector<Code>& valid, const std::vector<Code>& pads) {
  std::vector<BruteLeaf> out;
  for (const Code code : valid) out.push_back({Kind::Valid, code, code});
  for (const Code code : pads) out.push_back({Kind::Pad, code, code});
  return out;
}

// Whether some row with this fill changes: one valid element of all these, pairs and triples of fewer.
bool brute_refutes(Brute& brute, const std::vector<Code>& ones, const std::vector<Code>& edges, Code fill) {
  for (const Code a : ones)
    if (brute.changes(row({a}, {fill}))) return true;
  const std::size_t pairs = std::min<std::size_t>(edges.size(), 16), triples = std::min<std::size_t>(edges.size(), 4);
  for (std::size_t i = 0; i < triples; ++i)
    if (brute.changes(row({edges[i]}, {fill, fill}))) return true;
  for (std::size_t i = 0; i < pairs; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (brute.changes(row({edges[i], edges[j]}, {fill}))) return true;
  for (std::size_t i = 0; i < triples; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        if (brute.changes(row({edges[i], edges[j], edges[k]}, {fill}))) return true;
  return false;
}

// Pads of different codes of a neutral fill together.
void expect_mixtures_are_neutral(Brute& brute, const CodeSet& neutral, const Format& type, const std::vector<Code>& few,
                                 const std::string& what) {
  const auto fills = test::brute_edges(type, neutral);
  for (std::size_t i = 0; i < std::min<std::size_t>(fills.size(), 4); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (const Code a : few) {
        EXPECT_FALSE(brute.changes(row({a}, {fills[i], fills[j]}))) << what;
        EXPECT_FALSE(brute.changes(row({a, few.front()}, {fills[i], fills[j]}))) << what;
      }
}

struct Counts {
  int questions = 0, neutral = 0, refuted = 0, open = 0, open_neutral = 0;
};

void replay(const Question& q, const Outside& outside, const std::string& what) {
  std::vector<BruteLeaf> leaves;
  for (const Term& term : outside.refuted.evaluation.valid) leaves.push_back({Kind::Valid, term.a, term.a});
  for (const Term& term : outside.refuted.evaluation.pads) {
    EXPECT_EQ(term.a, outside.fill);
    leaves.push_back({Kind::Pad, term.a, term.a});
  }
  EXPECT_TRUE(Brute(q).changes(leaves)) << what << " fill " << outside.fill;
}

// Each question of a type of 8 bits, with every fill.
void compare_every_fill(const Format& type, const Format& wide, Counts& counts) {
  for_questions(type, wide, [&](const Question& q, const char* contents) {
    const std::string what = in_words(q, contents);
    const auto answer = largest(q);
    ASSERT_TRUE(std::holds_alternative<Largest>(answer)) << what;
    const Largest& found = std::get<Largest>(answer);
    Brute brute(q);
    std::vector<Code> ones;
    for (Code code = 0; code <= type.mask(); ++code)
      if (q.contents.contains(code)) ones.push_back(code);
    const auto edges = test::brute_edges(type, q.contents);
    ++counts.questions;
    int executed = 0;
    for (Code fill = 0; fill <= type.mask(); ++fill) {
      const bool neutral = found.codes.contains(fill), open = found.open.contains(fill);
      counts.neutral += neutral ? 1 : 0;
      counts.open += open ? 1 : 0;
      if ((neutral || open) && ++executed > 16) continue;  // each costs thousands of evaluations
      const bool changes = brute_refutes(brute, ones, edges, fill);
      ASSERT_FALSE(neutral && changes) << "NOT NEUTRAL: " << what << " fill " << fill;
      ASSERT_TRUE(neutral || open || changes) << "not refuted: " << what << " fill " << fill;
      counts.refuted += changes ? 1 : 0;
      if (open && !changes) ++counts.open_neutral;
      if (fill % 8 != 0) continue;
      const Verdict verdict = decide(q, CodeSet::of(fill));
      ASSERT_EQ(std::holds_alternative<Proved>(verdict), neutral) << what << " fill " << fill;
      ASSERT_EQ(std::holds_alternative<Unknown>(verdict), open) << what << " fill " << fill;
    }
    const std::vector<Code> few(edges.begin(), edges.begin() + std::min<std::ptrdiff_t>(4, std::ssize(edges)));
    expect_mixtures_are_neutral(brute, found.codes, type, few, what);
    for (const Outside& outside : found.outside) replay(q, outside, what);
  });
}

class EightBits : public testing::TestWithParam<const char*> {};

TEST_P(EightBits, AgreesOnEveryFill) {
  Counts counts;
  compare_every_fill(of(GetParam()), of(GetParam()), counts);
  fmt::print("{} questions: {} fills neutral, {} refuted, {} open ({} of them change no row)\n", counts.questions,
             counts.neutral, counts.refuted, counts.open, counts.open_neutral);
  EXPECT_GT(counts.questions, 20);
  EXPECT_GT(counts.neutral, 100);
  EXPECT_GT(counts.refuted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Brute, EightBits, testing::Values("f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i8", "u8"),
                         [](const auto& each) { return std::string(each.param); });

// Codes of 8 bits in an accumulator of 16: leaves are converted, so a signalling NaN is quiet.
class Widened : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Widened, AgreesOnEveryFill) {
  Counts counts;
  compare_every_fill(of(GetParam().first), of(GetParam().second), counts);
  EXPECT_GT(counts.questions, 10);
  EXPECT_GT(counts.neutral, 10);
  EXPECT_GT(counts.refuted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Brute, Widened,
                         testing::Values(std::pair("f8e5m2", "f16"), std::pair("f8e4m3", "dl16"),
                                         std::pair("f8e4m3fnuz", "bf16"), std::pair("i8", "i16")),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.first, each.param.second); });

class SixteenBits : public testing::TestWithParam<const char*> {};

// Every fill of sums without a start, up to NaN, and a seventh of the fills of the other questions.
TEST_P(SixteenBits, AgreesOnManyFills) {
  const Format& type = of(GetParam());
  Counts counts;
  for_questions(type, type, [&](const Question& q, const char* contents) {
    const std::string what = in_words(q, contents);
    const bool wide_contents = std::string_view(contents) == "any" || std::string_view(contents) == "finite";
    if (!wide_contents && q.operation != Operation::Max) return;
    const auto answer = largest(q);
    ASSERT_TRUE(std::holds_alternative<Largest>(answer)) << what;
    const Largest& found = std::get<Largest>(answer);
    Brute brute(q);
    const auto edges = test::brute_edges(type, q.contents);
    ++counts.questions;
    int executed = 0;
    const bool every = is_additive(q.operation) && q.equal == Equality::AnyNan && q.start == Start::First;
    for (Code fill = 0; fill <= type.mask(); fill += every ? 1 : 7) {
      const bool neutral = found.codes.contains(fill), open = found.open.contains(fill);
      counts.neutral += neutral ? 1 : 0;
      counts.open += open ? 1 : 0;
      if ((neutral || open) && ++executed > 8) continue;
      const bool changes = brute_refutes(brute, edges, edges, fill);
      ASSERT_FALSE(neutral && changes) << "NOT NEUTRAL: " << what << " fill " << fill;
      // Near the end of a fill of a fused sum it takes one content in thousands.
      const bool hard = q.fused && !changes;
      ASSERT_TRUE(neutral || open || changes || hard) << "not refuted: " << what << " fill " << fill;
      counts.refuted += changes ? 1 : 0;
    }
    for (const CodeRange& range : found.codes.ranges())
      for (const Code fill : {range.first, range.last})
        ASSERT_FALSE(brute_refutes(brute, edges, edges, fill)) << "NOT NEUTRAL: " << what << " fill " << fill;
    const std::vector<Code> few(edges.begin(), edges.begin() + 4);
    expect_mixtures_are_neutral(brute, found.codes, type, few, what);
    for (const Outside& outside : found.outside) replay(q, outside, what);
  });
  fmt::print("{} questions: {} fills neutral, {} refuted, {} open\n", counts.questions, counts.neutral, counts.refuted,
             counts.open);
  EXPECT_GT(counts.questions, 10);
  EXPECT_GT(counts.neutral, 100);
  EXPECT_GT(counts.refuted, 100000);
}

INSTANTIATE_TEST_SUITE_P(Brute, SixteenBits, testing::Values("f16", "bf16", "dl16", "i16"),
                         [](const auto& each) { return std::string(each.param); });

// f32 and f64, whose answers are laws alone: the ends of each range of a fill change no row, and codes outside, at
// random and at the borders, change one.
class Wide : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Wide, AgreesOnBordersAndRandomFills) {
  const Format &type = of(GetParam().first), &wide = of(GetParam().second);
  std::mt19937_64 random(20261121);
  Counts counts;
  for_questions(type, wide, [&](const Question& q, const char* contents) {
    const std::string what = in_words(q, contents);
    const auto answer = largest(q);
    if (std::holds_alternative<Unknown>(answer)) return;
    const Largest& found = std::get<Largest>(answer);
    Brute brute(q);
    const auto edges = test::brute_edges(type, q.contents);
    ++counts.questions;
    std::vector<Code> fills;
    for (const CodeRange& range : found.codes.ranges())
      if (fills.size() < 6) fills.insert(fills.end(), {range.first, range.last});
    for (const Outside& outside : found.outside) fills.push_back(outside.fill);
    for (int i = 0; i < 12; ++i) fills.push_back(random() & type.mask());
    for (const Code fill : fills) {
      const bool neutral = found.codes.contains(fill), open = found.open.contains(fill);
      const bool changes = brute_refutes(brute, edges, edges, fill);
      ASSERT_FALSE(neutral && changes) << "NOT NEUTRAL: " << what << " fill " << fill;
      ASSERT_TRUE(neutral || open || changes || q.fused) << "not refuted: " << what << " fill " << fill;
      counts.neutral += neutral ? 1 : 0;
      counts.refuted += changes ? 1 : 0;
    }
    for (const Outside& outside : found.outside) replay(q, outside, what);
  });
  fmt::print("{} questions: {} fills neutral, {} refuted\n", counts.questions, counts.neutral, counts.refuted);
  EXPECT_GT(counts.questions, 20);
  EXPECT_GT(counts.neutral, 20);
  EXPECT_GT(counts.refuted, 200);
}

INSTANTIATE_TEST_SUITE_P(Brute, Wide,
                         testing::Values(std::pair("f32", "f32"), std::pair("f64", "f64"), std::pair("f32", "f64"),
                                         std::pair("f16", "f32"), std::pair("bf16", "f32"), std::pair("dl16", "f32"),
                                         std::pair("f8e4m3", "f32"), std::pair("i32", "i32"), std::pair("i8", "i32"),
                                         std::pair("i64", "i64")),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.first, each.param.second); });

// dot: fills of both sides that people use, over contents of both sides, with the contents' pairs of edges.
class Pairs : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Pairs, AgreeOnFillsThatPeopleUse) {
  const Format &type = of(GetParam().first), &wide = of(GetParam().second);
  std::vector<CodeSet> fills{zeros(type),        CodeSet::of(0),     CodeSet::of(values::one(type)),
                             finite_codes(type), CodeSet::all(type), CodeSet::of(1)};
  if (has_negative_zero(type)) fills.push_back(CodeSet::of(negative_zero(type)));
  fills.push_back(numbers_between(type, 0, 3));
  fills.push_back(numbers_between(type, 0, highest_order(type)));
  if (has_nan(type)) fills.push_back(nans(type));
  int proved = 0, refuted = 0, unknown = 0, at = 0;
  for (const Start start : {Start::First, Start::Zero})
    for (const Tree tree : {Tree::Any, Tree::Sequential})
      for (const bool fused : {false, true})
        for (const Equality equal : {Equality::Bits, Equality::AnyNan, Equality::AnyNanAndZero})
          for (const CodeSet& contents : {CodeSet::all(type), finite_codes(type)}) {
            const Question q{Operation::Dot, type, wide, start, tree, MaxRule::NanWins, fused, equal, contents};
            if (!misfit(q).empty() || at++ % test::cases(13, 5) != 0) continue;
            Brute brute(q);
            auto edges = test::brute_edges(type, contents);
            edges.resize(std::min<std::size_t>(edges.size(), 9));
            for (const CodeSet& a : fills)
              for (const CodeSet& b : fills) {
                const Verdict verdict = decide(q, a, &b);
                unknown += std::holds_alternative<Unknown>(verdict) ? 1 : 0;
                if (const auto* found = std::get_if<Refuted>(&verdict)) {
                  ++refuted;
                  std::vector<BruteLeaf> leaves;
                  for (const Term& term : found->evaluation.valid) leaves.push_back({Kind::Valid, term.a, term.b});
                  for (const Term& term : found->evaluation.pads) {
                    EXPECT_TRUE(a.contains(term.a) && b.contains(term.b));
                    leaves.push_back({Kind::Pad, term.a, term.b});
                  }
                  EXPECT_TRUE(brute.changes(leaves));
                }
                if (!std::holds_alternative<Proved>(verdict)) continue;
                ++proved;
                auto x = test::brute_edges(type, a), y = test::brute_edges(type, b);
                x.resize(std::min<std::size_t>(x.size(), 4));
                y.resize(std::min<std::size_t>(y.size(), 4));
                for (const Code p : x)
                  for (const Code r : y)
                    for (const Code c : edges)
                      for (const Code d : edges) {
                        const BruteLeaf one{Kind::Valid, c, d}, pad{Kind::Pad, p, r}, other{Kind::Valid, d, p};
                        ASSERT_FALSE(brute.changes({one, pad})) << in_words(q, "") << " " << c << " " << d;
                        const bool valid = contents.contains(p);
                        ASSERT_TRUE(!valid || !brute.changes({one, other, pad}))
                            << in_words(q, "") << " " << c << " " << d;
                      }
              }
          }
  fmt::print("{} in {}: {} proved, {} refuted, {} unknown\n", type.name, wide.name, proved, refuted, unknown);
  EXPECT_GT(proved, 10);
  EXPECT_GT(refuted, 100);
}

INSTANTIATE_TEST_SUITE_P(Brute, Pairs,
                         testing::Values(std::pair("f8e5m2", "f8e5m2"), std::pair("f8e4m3", "f8e4m3"),
                                         std::pair("f8e4m3fnuz", "f8e4m3fnuz"), std::pair("i8", "i8"),
                                         std::pair("f8e4m3", "f16"), std::pair("f16", "f16"), std::pair("f16", "f32"),
                                         std::pair("bf16", "f32"), std::pair("dl16", "dl16"), std::pair("dl16", "f32"),
                                         std::pair("f32", "f32"), std::pair("i8", "i32")),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.first, each.param.second); });

}  // namespace neutral_brute_campaign
}  // namespace vl
