// Every answer about rows, means, norms, orders and exponentials, against rows that are executed by rows_brute.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tests/neutral/brute.h"
#include "tests/neutral/rows_brute.h"
#include "tests/support/shard.h"

namespace vl {
namespace rows_brute_campaign {

using namespace rows_brute;  // NOLINT: the truth

using namespace neutral;  // NOLINT: the folder under test
using values::MaxRule;

struct Contents {
  const char* name;
  CodeSet codes;
};
std::vector<Contents> contents_of(const Format& type) {
  std::vector<Contents> out{{"any", CodeSet::all(type)}};
  const bool below = type.kind != values::Kind::Unsigned;
  const std::int64_t one = order(type, values::one(type));
  out.push_back(
      {"[-1..1]", numbers_between(type, below ? order(type, values::negated(type, values::one(type))) : 0, one)});
  out.push_back({"[1..]", numbers_between(type, one, highest_order(type))});
  if (!type.is_float()) return out;
  out.push_back({"finite", finite_codes(type)});
  out.push_back({"non-nan", nans(type).complement(type)});
  out.push_back({"NaN", nans(type)});
  out.push_back({"0", zeros(type)});
  return out;
}

std::string in_words(const Question& q, const char* contents) {
  return fmt::format(
      "{} of {} in {}, start {}, max {}, equal {}, divide {}, ties {}, pads {}, blocks {}, k {}, contents {}",
      name(q.operation), q.type.name, q.accumulate.name, q.start == Start::Zero ? "+0" : "first",
      static_cast<int>(q.max), static_cast<int>(q.equal), static_cast<int>(q.divide), static_cast<int>(q.ties),
      static_cast<int>(q.pads), static_cast<int>(q.blocks), q.k, contents);
}

struct Asked {
  Question question;
  const char* contents;
};

// Every question about an operation that has a meaning.
std::vector<Asked> questions_about(Operation operation, const Format& type, const Format& wide) {
  std::vector<Asked> out;
  for (const Contents& contents : contents_of(type))
    for (const Start start : {Start::First, Start::Zero})
      for (const MaxRule max : {MaxRule::NanWins, MaxRule::NanLoses})
        for (const Equality equal : {Equality::Bits, Equality::AnyNan, Equality::AnyNanAndZero})
          for (const Divide divide : {Divide::Logical, Divide::Padded})
            for (const Ties ties : {Ties::First, Ties::Last, Ties::Unspecified})
              for (const Pads pads : {Pads::Anywhere, Pads::After})
                for (const Blocks blocks : {Blocks::Whole, Blocks::Valid, Blocks::Unguarded, Blocks::Guarded})
                  for (const unsigned k : {1U, 2U}) {
                    Question q{operation, type, wide, start, Tree::Any, max, false, equal, contents.codes};
                    q.divide = divide, q.ties = ties, q.pads = pads, q.blocks = blocks, q.k = k;
                    const bool orders = is_ordering(operation);
                    if (!orders && max != MaxRule::NanWins) continue;
                    if (!orders && equal == Equality::Bits && type.is_float()) continue;  // doubles have other NaNs
                    if (!type.is_float() && equal != Equality::Bits) continue;
                    if (misfit(q).empty()) out.push_back({q, contents.name});
                  }
  return out;
}

// Some questions about each operation, as evenly as they come; or those of VL_SHARD.
template <class Visit>
void for_questions(const Format& type, const Format& wide, std::size_t some, Visit visit) {
  using enum Operation;
  for (const Operation operation : {Mean, LayerNorm, RmsNorm, Variance, Welford, Softmax, LogSumExp, ArgMax, ArgMin,
                                    TopK, TopKIndices, Sort, SortDescending, CumSum, CumSumReverse}) {
    const auto all = questions_about(operation, type, wide);
    const test::Shard shard = test::shard_of(1);
    const std::size_t step = test::is_campaign() ? 1 : std::max<std::size_t>(1, all.size() / some);
    for (std::size_t at = static_cast<std::size_t>(operation) % step; at < all.size(); at += step)
      if (shard.has(at)) visit(all[at].question, all[at].contents);
  }
}

// The rows of some elements and one pad or two, in each order and with each end of a block that the question allows.
template <class Visit>
bool some_row(const Question& q, const std::vector<Code>& valid, const std::vector<Code>& pads, Visit visit) {
  Slots all;
  for (const Code code : valid) all.insert(all.end(), q.k, Slot{code, false, false});
  const std::size_t elements = all.size(), size = elements + pads.size();
  const bool after = q.pads == Pads::After, blocks = q.blocks != Blocks::Whole;
  for (unsigned mask = 0; mask < 1U << size; ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != pads.size()) continue;
    if (after && mask != (((1U << pads.size()) - 1) << elements)) continue;
    for (unsigned ends = 0; ends < (blocks ? 1U << (size - 1) : 1U); ++ends) {
      Slots row;
      std::size_t c = 0, p = 0;
      bool valid_in_block = false, each_valid = true;
      for (unsigned i = 0; i < size; ++i) {
        const bool pad = (mask >> i & 1U) != 0, end = (ends >> i & 1U) != 0;
        row.push_back({pad ? pads[p++] : all[c++].code, pad, end});
        valid_in_block = valid_in_block || !pad;
        if (!end && i + 1 < size) continue;
        each_valid = each_valid && valid_in_block;
        valid_in_block = false;
      }
      if (q.blocks == Blocks::Valid && !each_valid) continue;
      if (visit(row)) return true;
    }
  }
  return false;
}

bool some_row_changes(const Question& q, const Executed& executed, const std::vector<Code>& valid,
                      const std::vector<Code>& pads) {
  return some_row(q, valid, pads, [&](const Slots& row) { return executed.changes(row); });
}

bool refutes(const Question& q, const std::vector<Code>& ones, const std::vector<Code>& edges, Code fill) {
  const Executed executed(q);
  if (q.contents.contains(fill) && some_row_changes(q, executed, {fill}, {fill})) return true;
  for (const Code a : ones)
    if (some_row_changes(q, executed, {a}, {fill})) return true;
  const std::size_t pairs = std::min<std::size_t>(edges.size(), 10);
  for (std::size_t i = 0; i < pairs; ++i)
    for (std::size_t j = 0; j < pairs; ++j)
      if (some_row_changes(q, executed, {edges[i], edges[j]}, {fill})) return true;
  for (const Code a : ones)
    if (some_row_changes(q, executed, {a}, {fill, fill})) return true;
  return false;
}

struct Counts {
  int questions = 0, neutral = 0, refuted = 0, open = 0, open_neutral = 0, mixtures = 0, replayed = 0;
};

// Whether the row of a counterexample changes here, too.
bool replays(const Question& q, const Refuted& refuted) {
  Slots row;
  std::size_t valid = 0, pads = 0;
  for (const char sign : refuted.evaluation.shape) {
    if (sign == '+') continue;  // a mean: its trees are those of sums
    if (sign == '|') row.back().block_ends = true;
    else if (sign == 'c') row.push_back({refuted.evaluation.valid.at(valid++).a, false, false});
    else if (sign == 'p') row.push_back({refuted.evaluation.pads.at(pads++).a, true, false});
  }
  return Executed(q).changes(row);
}

void expect_mixtures(const Question& q, const CodeSet& neutral, const std::vector<Code>& edges, const std::string& what,
                     Counts& counts) {
  const Executed executed(q);
  const auto fills = test::brute_edges(q.type, neutral);
  for (std::size_t i = 0; i < std::min<std::size_t>(fills.size(), 4); ++i)
    for (std::size_t j = 0; j < std::min<std::size_t>(fills.size(), 4); ++j)
      for (std::size_t c = 0; c < std::min<std::size_t>(edges.size(), 6); ++c, ++counts.mixtures)
        ASSERT_FALSE(some_row_changes(q, executed, {edges[c], edges.front()}, {fills[i], fills[j]})) << what;
}

// `step`: which fills are tried; `ones`: the elements of rows of one.
void compare(const Question& q, const char* contents, Code step, const std::vector<Code>& ones, Counts& counts) {
  const std::string what = in_words(q, contents);
  const auto answer = largest(q);
  ASSERT_TRUE(std::holds_alternative<Largest>(answer)) << what;
  const Largest& found = std::get<Largest>(answer);
  const auto edges = test::brute_edges(q.type, q.contents);
  ++counts.questions;
  int executed = 0;
  std::vector<Code> fills;
  for (Code fill = 0; fill <= q.type.mask(); fill += step) fills.push_back(fill);
  for (const CodeRange& range : found.codes.ranges()) fills.insert(fills.end(), {range.first, range.last});
  for (const Outside& outside : found.outside) fills.push_back(outside.fill);
  for (const Code fill : fills) {
    const bool neutral = found.codes.contains(fill), open = found.open.contains(fill);
    counts.neutral += neutral ? 1 : 0;
    counts.open += open ? 1 : 0;
    if ((neutral || open) && ++executed > 24) continue;
    bool changed = refutes(q, ones, edges, fill);
    ASSERT_FALSE(neutral && changed) << "NOT NEUTRAL: " << what << " fill " << fill;
    if (!neutral && !open && !changed) {  // one element in thousands tells
      const Verdict verdict = decide(q, CodeSet::of(fill));
      const auto* shown = std::get_if<Refuted>(&verdict);
      changed = shown != nullptr && replays(q, *shown);
      ++counts.replayed;
    }
    ASSERT_TRUE(neutral || open || changed) << "not refuted: " << what << " fill " << fill;
    counts.refuted += changed ? 1 : 0;
    counts.open_neutral += open && !changed ? 1 : 0;
    if (fill % 16 != 0) continue;
    const Verdict verdict = decide(q, CodeSet::of(fill));
    ASSERT_EQ(std::holds_alternative<Proved>(verdict), neutral) << what << " fill " << fill;
    // A longer search may refute what is open.
    ASSERT_TRUE(open || !std::holds_alternative<Unknown>(verdict)) << what << " fill " << fill;
  }
  for (const Outside& outside : found.outside) {
    const bool tree = q.operation == Operation::Mean;  // of any shape
    ASSERT_TRUE(tree || replays(q, outside.refuted)) << what << " fill " << outside.fill;
  }
  expect_mixtures(q, found.codes, edges, what, counts);
}

void print(const char* type, const Counts& counts) {
  fmt::print(
      "{}: {} questions: {} fills neutral, {} refuted, {} open ({} of them change no row), {} mixtures, {} replayed\n",
      type, counts.questions, counts.neutral, counts.refuted, counts.open, counts.open_neutral, counts.mixtures,
      counts.replayed);
}

class RowsOfEightBits : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RowsOfEightBits, AgreeOnEveryFill) {
  const Format& type = of(GetParam().first);
  Counts counts;
  for_questions(type, of(GetParam().second), 2, [&](const Question& q, const char* contents) {
    std::vector<Code> ones;
    for (Code code = 0; code <= type.mask(); ++code)
      if (q.contents.contains(code)) ones.push_back(code);
    compare(q, contents, 1, ones, counts);
  });
  print(GetParam().first, counts);
  EXPECT_GE(counts.questions, 15);
  EXPECT_GT(counts.neutral, 30);
  EXPECT_GT(counts.refuted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Brute, RowsOfEightBits,
                         testing::Values(std::pair("f8e4m3", "f8e4m3"), std::pair("f8e5m2", "f8e5m2"),
                                         std::pair("f8e4m3fnuz", "f8e4m3fnuz"), std::pair("f8e5m2", "f16"),
                                         std::pair("f8e4m3", "dl16"), std::pair("i8", "i8"), std::pair("u8", "u8")),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.first, each.param.second); });

class RowsOfSixteenBits : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RowsOfSixteenBits, AgreeOnManyFills) {
  const Format& type = of(GetParam().first);
  Counts counts;
  for_questions(type, of(GetParam().second), 1, [&](const Question& q, const char* contents) {
    compare(q, contents, 97, test::brute_edges(type, q.contents), counts);
  });
  print(GetParam().first, counts);
  EXPECT_GE(counts.questions, 8);
  EXPECT_GT(counts.neutral, 10);
  EXPECT_GT(counts.refuted, 1000);
}

INSTANTIATE_TEST_SUITE_P(Brute, RowsOfSixteenBits,
                         testing::Values(std::pair("f16", "f16"), std::pair("bf16", "bf16"), std::pair("dl16", "dl16"),
                                         std::pair("f16", "f32"), std::pair("i16", "i16")),
                         [](const auto& each) { return fmt::format("{}_{}", each.param.first, each.param.second); });

// Places of f64 are further apart than a signed 64-bit number says. Beside 1e300 to 1e301 every number below counts as
// exp(-inf); 1e300 and what is above counts.
TEST(RowsOfSixtyFourBits, SoftmaxTakesWhatIsFarBelowAndNothingElse) {
  const Format& f64 = of("f64");
  const auto code = [](double x) { return std::bit_cast<Code>(x); };
  Question q;
  q.operation = Operation::Softmax, q.type = q.accumulate = f64;
  q.contents = values::CodeSet({{code(1e300), code(1e301)}});
  const auto is_proved = [&](double fill) {
    return std::holds_alternative<Proved>(decide(q, values::CodeSet::of(code(fill))));
  };
  for (const double fill : {double{-INFINITY}, -1e308, -1.0, -0.0, 0.0, 1.0, 1e299})
    EXPECT_TRUE(is_proved(fill)) << fill;
  for (const double fill : {1e300, 5e300, 1e301, 1e302, 1e308, double{INFINITY}}) EXPECT_FALSE(is_proved(fill)) << fill;
  q.contents = values::CodeSet({{code(1.0), code(2.0)}});
  for (const double fill : {double{-INFINITY}, -1e308, -800.0}) EXPECT_TRUE(is_proved(fill)) << fill;
  for (const double fill : {-700.0, 0.0, 1.0, 3.0, 1e308}) EXPECT_FALSE(is_proved(fill)) << fill;
}

}  // namespace rows_brute_campaign
}  // namespace vl
