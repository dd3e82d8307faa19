// Fills under other modes of arithmetic, against rows that are executed: subnormals flushed, other roundings, integers
// that saturate, a start of -0. Every fill of the 8-bit types.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/neutral/brute.h"

namespace vl {
namespace neutral_brute_modes_campaign {

using namespace neutral;  // NOLINT: the folder under test
using test::Brute;
using test::BruteLeaf;
using values::Flush;
using values::Integers;
using values::Mode;
using values::Rounding;

const Format& of(std::string_view name) { return *values::find_format(name); }

CodeSet subnormals(const Format& type) {
  std::vector<CodeRange> out;
  for (Code code = 0; code <= type.mask(); ++code)
    if (is_subnormal(type, code)) out.push_back({code, code});
  return CodeSet(std::move(out));
}

std::vector<CodeSet> contents_of(const Format& type) {
  if (!type.is_float()) return {CodeSet::all(type), CodeSet::all(type).without(CodeSet::of(0), type)};
  const CodeSet all = CodeSet::all(type), full = all.without(subnormals(type), type);
  std::vector<CodeSet> out{all, full, full.intersected(finite_codes(type)),
                           numbers_between(type, 0, highest_order(type))};
  if (has_negative_zero(type)) out.push_back(full.without(CodeSet::of(negative_zero(type)), type));
  return out;
}

std::vector<Mode> modes_of(const Format& type) {
  if (!type.is_float()) return {{Rounding::NearestEven, Flush::None, Integers::Saturate}};
  std::vector<Mode> out;
  for (const Rounding rounding : {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero})
    for (const Flush flush : {Flush::None, Flush::Results, Flush::Both})
      out.push_back({rounding, flush, Integers::Wrap});
  return out;
}

std::string in_words(const Question& q) {
  return fmt::format("{} of {} start {} tree {} fused {} equal {} rounding {} flush {} contents {}", name(q.operation),
                     q.type.name, static_cast<int>(q.start), static_cast<int>(q.tree), q.fused,
                     static_cast<int>(q.equal), static_cast<int>(q.mode.rounding), static_cast<int>(q.mode.flush),
                     q.contents.count());
}

std::vector<BruteLeaf> row(const std::vector<Code>& valid, const std::vector<Code>& pads) {
  std::vector<BruteLeaf> out;
  for (const Code code : valid) out.push_back({BruteLeaf::Kind::Valid, code, code});
  for (const Code code : pads) out.push_back({BruteLeaf::Kind::Pad, code, code});
  return out;
}

bool brute_refutes(Brute& brute, const std::vector<Code>& ones, const std::vector<Code>& edges, Code fill) {
  for (const Code a : ones)
    if (brute.changes(row({a}, {fill}))) return true;
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (brute.changes(row({edges[i], edges[j]}, {fill})) || (i < 5 && brute.changes(row({edges[i]}, {fill, fill}))))
        return true;
  for (std::size_t i = 0; i < std::min<std::size_t>(edges.size(), 5); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        if (brute.changes(row({edges[i], edges[j], edges[k]}, {fill}))) return true;
  return false;
}

template <class Visit>
void for_questions(const Format& type, Visit visit) {
  int at = 0;
  for (const Operation operation : {Operation::Sum, Operation::Prod, Operation::Max, Operation::SumOfSquares})
    for (const Start start : {Start::First, Start::Zero, Start::MinusZero})
      for (const Tree tree : {Tree::Any, Tree::Sequential})
        for (const bool fused : {false, true})
          for (const Equality equal : {Equality::Bits, Equality::AnyNan, Equality::AnyNanAndZero})
            for (const Mode& mode : modes_of(type))
              for (const CodeSet& contents : contents_of(type)) {
                Question q{operation, type, type, start, tree, values::MaxRule::NanWins, fused, equal, contents};
                q.mode = mode;
                if (!type.is_float() && equal != Equality::Bits) continue;
                if (misfit(q).empty() && (at++ % 127 == 0 || !type.is_float())) visit(q);
              }
}

class Modes : public testing::TestWithParam<const char*> {};

TEST_P(Modes, AgreeOnEveryFill) {
  int questions = 0, unknown = 0, neutral = 0, refuted = 0, open = 0, open_neutral = 0;
  const Format& type = of(GetParam());
  for_questions(type, [&](const Question& q) {
    const auto answer = largest(q);
    ++questions;
    const auto* found = std::get_if<Largest>(&answer);
    if (found == nullptr) {
      ++unknown;
      EXPECT_EQ(q.mode.flush, Flush::Both) << in_words(q);
      EXPECT_TRUE(std::holds_alternative<Unknown>(decide(q, CodeSet::of(1)))) << in_words(q);
      return;
    }
    Brute brute(q);
    std::vector<Code> ones;
    for (Code code = 0; code <= type.mask(); ++code)
      if (q.contents.contains(code)) ones.push_back(code);
    const auto edges = test::brute_edges(type, q.contents);
    int executed = 0;
    for (Code fill = 0; fill <= type.mask(); ++fill) {
      const bool is_neutral = found->codes.contains(fill), is_open = found->open.contains(fill);
      neutral += is_neutral ? 1 : 0;
      open += is_open ? 1 : 0;
      if ((is_neutral || is_open) && ++executed > 10) continue;
      const bool changes = brute_refutes(brute, ones, edges, fill);
      ASSERT_FALSE(is_neutral && changes) << "NOT NEUTRAL: " << in_words(q) << " fill " << fill;
      ASSERT_TRUE(is_neutral || is_open || changes) << "not refuted: " << in_words(q) << " fill " << fill;
      refuted += changes ? 1 : 0;
      open_neutral += is_open && !changes ? 1 : 0;
      if (fill % 16 != 0) continue;
      const Verdict verdict = decide(q, CodeSet::of(fill));
      ASSERT_EQ(std::holds_alternative<Proved>(verdict), is_neutral) << in_words(q) << " fill " << fill;
      ASSERT_EQ(std::holds_alternative<Unknown>(verdict), is_open) << in_words(q) << " fill " << fill;
    }
    const auto fills = test::brute_edges(type, found->codes);
    for (std::size_t i = 0; i < std::min<std::size_t>(fills.size(), 4); ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t k = 0; k < std::min<std::size_t>(edges.size(), 6); ++k)
          EXPECT_FALSE(brute.changes(row({edges[k]}, {fills[i], fills[j]})) ||
                       brute.changes(row({edges[k], edges[0]}, {fills[i], fills[j]})))
              << in_words(q);
  });
  fmt::print("{} questions ({} unknown): {} fills neutral, {} refuted, {} open ({} of them change no row)\n", questions,
             unknown, neutral, refuted, open, open_neutral);
  EXPECT_GT(questions - unknown, 10);
  EXPECT_GT(neutral, 10);
  EXPECT_GT(refuted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Brute, Modes, testing::Values("f8e4m3", "f8e5m2", "f8e4m3fnuz", "i8", "u8"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace neutral_brute_modes_campaign
}  // namespace vl
