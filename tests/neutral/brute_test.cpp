// Every answer about the largest neutral fill, against rows that are executed: of the 8-bit types with every fill, of
// the 16-bit ones with every fill that is not refuted at once. A fill that is said to be neutral changes no row; one
// that is not said to be changes some row; what is open is counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/neutral/brute.h"

namespace vl {
namespace neutral_brute_test {

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

// All questions of a type but those of dot.
template <class Visit>
void for_all_questions(const Format& type, const Format& wide, Visit visit) {
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
                if (!type.is_float() && (equal != Equality::Bits || max != MaxRule::NanWins)) continue;
                const Question q{operation, type, wide, start, tree, max, fused, equal, contents.codes};
                if (misfit(q).empty()) visit(q, contents.name);
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
  const std::size_t pairs = std::min<std::size_t>(edges.size(), 14), triples = std::min<std::size_t>(edges.size(), 4);
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
  for_all_questions(type, wide, [&](const Question& q, const char* contents) {
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

}  // namespace neutral_brute_test
}  // namespace vl
