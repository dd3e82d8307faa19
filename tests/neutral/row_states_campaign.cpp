// Results of rows of sets (verifier/neutral/row_states.h), and the checker's look at them, against the execution of
// every filling of small rows, by doubles that are rounded into the format after each operation; exp and log are those
// of the C library, which are faithful.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "encodings/values/arithmetic.h"
#include "tests/neutral/rows_brute.h"
#include "tests/support/shard.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/row_states.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace row_states_campaign {

using neutral::Operation;
using neutral::Question;
using values::Code;
using values::CodeSet;
using values::Format;

const Format& format_of(std::string_view name) { return *values::find_format(name); }
double number(const Format& f, Code code) { return std::bit_cast<double>(values::convert(f, format_of("f64"), code)); }
Code code_of(const Format& f, double x) { return values::convert(format_of("f64"), f, std::bit_cast<Code>(x)); }

struct Position {
  Code code = 0;
  std::size_t part = 0;
};

// A tree from left to right, each node rounded into the accumulator. +0 is more than -0.
Code tree_of(const Question& question, const std::vector<Position>& row) {
  const Format& f = question.accumulate;
  const auto round = [&](double x) { return number(f, code_of(f, x)); };
  const auto greater = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return double{NAN};
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  };
  std::optional<double> out;
  if (question.start == values::Start::Zero) out = 0.0;
  for (const Position& each : row) {
    double x = number(question.type, each.code);
    if (question.operation == Operation::SumOfSquares) x = round(x * x);
    if (!out) out = x;
    else if (question.operation == Operation::Prod) out = round(*out * x);
    else if (question.operation == Operation::Max) out = greater(*out, x);
    else if (question.operation == Operation::Min) out = -greater(-*out, -x);
    else out = round(*out + x);
  }
  return code_of(f, *out);
}

// One result per position, or those that there are; codes of the type, places, or 0 and 1. Rows are those of
// rows_brute.h.
std::vector<Code> results_of(const Question& question, const std::vector<Position>& row) {
  const auto is_true = [&](const Position& each) { return number(question.type, each.code) != 0; };
  if (question.operation == Operation::Any) return {Code{std::ranges::any_of(row, is_true)}};
  if (question.operation == Operation::All) return {Code{std::ranges::all_of(row, is_true)}};
  std::vector<Code> out;
  if (neutral::is_row(question.operation) || question.operation == Operation::Mean) {
    rows_brute::Slots slots;
    for (const Position& each : row) slots.push_back({each.code, each.part != 0, false});
    const rows_brute::Executed run(question, neutral::has_result_per_position(question.operation));
    out = run.results_of(slots, true, question.ties == values::Ties::Last);
  } else {
    out = {tree_of(question, row)};
  }
  if (!neutral::is_index(question.operation) && !(question.accumulate == question.type))
    for (Code& code : out) code = values::convert(question.accumulate, question.type, code);
  return out;
}

// --- Rows of sets.

struct Shape {
  std::vector<Index> extents, whole;
};

// Every filling of a row, of every part its set: calls `visit` with the codes of all positions.
template <class Visit>
void each_filling(const neutral::RowOfSets& row, const std::vector<std::vector<Code>>& codes, Visit visit) {
  std::vector<Position> filling;
  std::vector<Index> at(row.whole.size(), 0);
  for (Index i = 0; i < *row.count(); ++i) {
    Index left = i;
    std::size_t part = 0;
    for (std::size_t j = at.size(); j-- > 0; left /= row.whole[j])
      if (left % row.whole[j] >= row.extents[j]) part += std::size_t{1} << j;
    filling.push_back({0, part});
  }
  std::vector<std::size_t> pick(filling.size(), 0);
  for (bool more = true; more;) {
    for (std::size_t i = 0; i < filling.size(); ++i) filling[i].code = codes[filling[i].part][pick[i]];
    visit(filling);
    std::size_t i = 0;
    while (i < pick.size() && ++pick[i] == codes[filling[i].part].size()) pick[i++] = 0;
    more = i < pick.size();
  }
}

struct Drawn {
  Question question;
  Format result;
  neutral::RowOfSets row;
  std::size_t at = 0;
  std::set<Code> executed;  // a NaN as the greatest code
  std::string words;
};

CodeSet set_of(const Format& result, const std::set<Code>& codes) {
  CodeSet out;
  for (const Code code : codes) out = out.united(code == ~Code{0} ? values::nans(result) : CodeSet::of(code));
  return out;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_;
};

const std::vector<Operation> kOperations = {
    Operation::Sum,       Operation::Mean,         Operation::Prod,     Operation::Max,
    Operation::Min,       Operation::Any,          Operation::All,      Operation::SumOfSquares,
    Operation::LayerNorm, Operation::RmsNorm,      Operation::Variance, Operation::Welford,
    Operation::Softmax,   Operation::LogSumExp,    Operation::ArgMax,   Operation::ArgMin,
    Operation::TopK,      Operation::TopKIndices,  Operation::Sort,     Operation::SortDescending,
    Operation::CumSum,    Operation::CumSumReverse};

// A question and a row, with what execution shows. Fillings are executed from left to right, so of any order too they
// are some of the results.
Drawn drawn(Operation operation, const Format& f, Draw& draw) {
  Drawn out;
  Question& question = out.question;
  question.operation = operation, question.type = question.accumulate = f, question.contents = CodeSet::all(f);
  const bool logical = operation == Operation::Any || operation == Operation::All;
  if (!neutral::is_ordering(operation) && !logical && draw.below(3) == 0) question.accumulate = format_of("f16");
  question.tree = draw.below(3) == 0 ? neutral::Tree::Any : neutral::Tree::Sequential;
  if (neutral::has_start(operation) && draw.below(2) == 0) question.start = values::Start::Zero;
  if (operation >= Operation::Mean && operation <= Operation::Welford && draw.below(3) == 0)
    question.divide = neutral::Divide::Padded;
  if (neutral::is_ordering(operation)) question.ties = draw.below(2) == 0 ? values::Ties::First : values::Ties::Last;
  const bool index = neutral::is_index(operation);
  static const std::vector<Shape> kShapes = {{{1}, {2}}, {{2}, {3}}, {{1}, {3}},       {{3}, {3}},
                                             {{2}, {4}}, {{3}, {4}}, {{1, 2}, {2, 2}}, {{1, 1}, {2, 2}}};
  const Shape& shape = kShapes[draw.below(index ? 6 : kShapes.size())];
  out.row.extents = shape.extents, out.row.whole = shape.whole;
  const auto elements = static_cast<std::size_t>(*out.row.count(0));
  if (operation == Operation::TopK || operation == Operation::TopKIndices)
    question.k = 1 + static_cast<unsigned>(draw.below(elements));
  const Code one = values::one(f), top = values::largest(f, false), low = values::largest(f, true);
  const Code least = values::has_infinity(f) ? values::infinity(f, true) : low;
  const CodeSet nans = values::nans(f);
  const Code nan = nans.ranges().back().last;
  const Code zero = values::has_negative_zero(f) ? values::negative_zero(f) : 0, minus = values::negated(f, one);
  const std::vector<std::vector<Code>> pools = {
      {0},   {zero},   {0, zero},  {one},        {minus},         {least},    {top},        {nan},    {one, one + 1},
      {low}, {0, one}, {least, 0}, {1, one + 4}, {minus, 0, one}, {nan, one}, {least, low}, {0, nan}, {one + 4}};
  std::vector<std::vector<Code>> codes(std::size_t{1} << shape.extents.size());
  for (std::size_t part = 0; part < codes.size(); ++part) {
    auto& sets = out.row.parts.emplace_back();
    if (*out.row.count(part) == 0) continue;
    codes[part] = pools[draw.below(pools.size())];
    CodeSet set;
    for (const Code code : codes[part]) set = set.united(CodeSet::of(code));
    sets.push_back(set);
  }
  do out.at = neutral::has_result_per_position(operation) ? draw.below(codes.size()) : 0;
  while (codes[out.at].empty());
  out.result = index ? format_of("i32") : logical ? format_of("u8") : f;
  each_filling(out.row, codes, [&](const std::vector<Position>& filling) {
    const auto results = results_of(question, filling);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!neutral::has_result_per_position(operation) || filling[i].part == out.at)
        out.executed.insert(values::is_nan(out.result, results[i]) ? ~Code{0} : results[i]);
  });
  out.words = std::string(neutral::name(operation)) + " of " + std::string(f.name) + ", shape " +
              std::to_string(shape.extents[0]) + " in " + std::to_string(shape.whole[0]) +
              (shape.extents.size() > 1 ? " and more" : "");
  for (const auto& part : codes) {
    out.words += " |";
    for (const Code code : part) out.words += " " + std::to_string(code);
  }
  return out;
}

// Of rows over operands of two elements, each in a slot of its own.
bool accepts_rows(checker::Statement statement, std::size_t operands) {
  checker::Evidence evidence;
  evidence.operands.emplace(), statement.operands.emplace(), statement.held.emplace();
  for (std::size_t i = 0; i < operands; ++i) {
    statement.operands->push_back({"(x0:2) -> affine(x0)", 1, "(m:2)", {}, {}, {}, {}});
    statement.held->push_back({{{"0x0", "0x0"}}, {}});
    checker::Evidence& operand = evidence.operands->emplace_back();
    operand.escapes = operand.collides = kernel::Steps{{"sweep"}};
  }
  return !values_kernel::check(std::move(statement), std::move(evidence)).has_value();
}

bool accepts(const Drawn& of, const CodeSet& claimed) {
  checker::Statement statement;
  statement.claim = "padding-state", statement.verdict = "proved";
  statement.row_states = {neutral::text_of(of.question, of.result, of.row, of.at, claimed)};
  return accepts_rows(std::move(statement), of.question.operation == neutral::Operation::Dot ? 2 : 1);
}

struct Counted {
  int cases = 0, exact = 0, accepted = 0, refuted = 0, missed = 0, rejected = 0;
};

// What was executed lies in the image, and is claimed of no evaluation that does not exist; the checker accepts the
// image, and nothing that lacks a result that was executed.
void compare(const Drawn& of, Counted& counted) {
  const CodeSet executed = set_of(of.result, of.executed);
  const CodeSet image = neutral::image_of_results(of.question, of.result, of.row, of.at);
  ++counted.cases;
  const CodeSet nans = values::nans(of.result), numbers = executed.without(nans, of.result);
  const bool nan = of.executed.contains(~Code{0}), has_nan = !image.intersected(nans).empty();
  ASSERT_TRUE(numbers.is_subset_of(image) && (has_nan || !nan)) << of.words;
  counted.exact += image.without(nans, of.result) == numbers && has_nan == nan ? 1 : 0;
  counted.accepted += accepts(of, image) ? 1 : 0;
  std::size_t tried = 0;
  for (const Code code : of.executed) {
    if (++tried > 3) break;
    const CodeSet gone = code == ~Code{0} ? values::nans(of.result) : CodeSet::of(code);
    const CodeSet claimed = CodeSet::all(of.result).without(gone, of.result);
    ASSERT_FALSE(accepts(of, claimed)) << of.words << " without " << code;
    ++counted.rejected;
    const auto found = neutral::result_outside(of.question, of.result, of.row, of.at, claimed);
    ++(found ? counted.refuted : counted.missed);
    if (!found) continue;
    const Code got = values::is_nan(of.result, *found) ? ~Code{0} : *found;
    if (!of.executed.contains(got)) ADD_FAILURE() << of.words << ": " << got << " was not executed";
    ASSERT_EQ(got, code) << of.words;
  }
  const auto none = neutral::result_outside(of.question, of.result, of.row, of.at, executed);
  ASSERT_FALSE(none.has_value()) << of.words << ": " << *none << " was not executed";
}

TEST(RowStates, AreWhatExecutionOfEveryFillingShows) {
  const std::int64_t each = test::cases(40, 100);  // of an operation and a type
  Draw draw(20'261'126);
  Counted all;
  for (const Operation operation : kOperations) {
    SCOPED_TRACE(std::string(neutral::name(operation)));
    Counted counted;
    for (const char* name : {"f8e5m2", "f8e4m3"})
      for (std::int64_t i = 0; i < each; ++i) {
        compare(drawn(operation, format_of(name), draw), counted);
        if (HasFatalFailure()) return;
      }
    EXPECT_GE(counted.exact, counted.cases / 8) << "an image that says little";
    EXPECT_GE(counted.accepted, counted.cases * 6 / 10);
    EXPECT_GE(counted.refuted, counted.cases / 3);
    all.cases += counted.cases, all.exact += counted.exact, all.accepted += counted.accepted;
    all.refuted += counted.refuted, all.missed += counted.missed, all.rejected += counted.rejected;
  }
  EXPECT_EQ(all.cases, 44 * each);
  EXPECT_GE(all.exact, 20 * each);
  EXPECT_GE(all.accepted, 42 * each);
  EXPECT_GE(all.refuted, 60 * each);
  EXPECT_GE(all.rejected, 70 * each);
  EXPECT_LE(all.missed, all.refuted / 2) << "refutations that are not found";
}

// Places and orders of every format: no arithmetic has a part in them.
TEST(RowStates, HaveOrdersOfIntegersAndWideFormats) {
  Draw draw(7);
  Counted counted;
  for (const Operation operation : {Operation::ArgMax, Operation::ArgMin, Operation::TopK, Operation::TopKIndices,
                                    Operation::Sort, Operation::SortDescending, Operation::Any, Operation::All})
    for (const char* name : {"f16", "bf16", "f32", "f8e4m3fnuz", "dl16"})
      for (int i = 0; i < 40; ++i) {
        compare(drawn(operation, format_of(name), draw), counted);
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(counted.cases, 1600);
  EXPECT_EQ(counted.accepted, counted.cases);
  EXPECT_GE(counted.refuted, 2200);
}

const std::string kZero = "0x0", kLow = "0xFC00", kOne = "0x3C00";

void (*const kDamages[])(checker::RowStateText&) = {
    [](auto& x) { x.at = 0; },
    [](auto& x) { x.at = 2; },
    [](auto& x) { x.at = -1; },
    [](auto& x) { x.extents = {4}; },
    [](auto& x) { x.extents = {0}; },
    [](auto& x) {
      x.extents = {3, 1};
    },
    [](auto& x) { x.whole = {3}; },
    [](auto& x) { x.whole = {2}; },
    [](auto& x) {
      x.holds[1][0] = {{kOne, kOne}};
    },
    [](auto& x) {
      x.holds[1][0] = {{kZero, kZero}, {kLow, kLow}};
    },
    [](auto& x) {
      x.holds[0][0] = {{kLow, kLow}};
    },
    [](auto& x) {
      x.holds[0][0] = {{kZero, kZero}, {kLow, kLow}};
    },
    [](auto& x) { x.holds[1][0] = {}; },
    [](auto& x) { x.holds[1] = {}; },
    [](auto& x) { x.holds[1].push_back(x.holds[1][0]); },
    [](auto& x) { x.holds.pop_back(); },
    [](auto& x) {
      x.results = {{kOne, kOne}};
    },
    [](auto& x) { x.results = {}; },
    [](auto& x) { x.result = "f32"; },
    [](auto& x) { x.result = "f17"; },
    [](auto& x) { x.about.operation = "sort"; },
    [](auto& x) { x.about.operation = "cumsum"; },
    [](auto& x) { x.about.operation = "pointwise"; },
    [](auto& x) { x.about.operation = "exx2"; },
    [](auto& x) { x.about.operation = "sum"; },
    [](auto& x) { x.about.type = "i8"; },
    [](auto& x) { x.about.accumulate = "f8e4m3"; },
    [](auto& x) { x.about.start = "-0"; },
    [](auto& x) { x.about.order = "some"; },
    [](auto& x) { x.about.rounding = "toward-zero"; },
    [](auto& x) { x.about.flush = "both"; },
    [](auto& x) { x.about.row.reset(); },
    [](auto& x) { x.about.row->divide = "P"; },
    [](auto& x) { x.about.row->blocks = "unguarded"; },
    [](auto& x) { x.about.fused = true; },
    [](auto& x) {
      x.about.contents = {{kZero, kZero}};
    },
    [](auto& x) {
      x.about.fill = {{kZero, kZero}};
    },
};

// Softmax of 3 elements 0 and a pad -inf is +0 at the pad; every other statement is rejected.
TEST(RowStates, RejectDamagedStatements) {
  checker::RowStateText good;
  good.about = {"softmax", "f16", "f32", "first", "any", "nan-wins", "any-nan", false, {}, {}, {}, {}, {}, {}, {}};
  good.about.row = checker::RowText{"N", "first", "anywhere", "whole", 1};
  good.result = "f16", good.extents = {3}, good.whole = {4};
  good.holds = {{{{kZero, kZero}}}, {{{kLow, kLow}}}};
  good.at = 1, good.results = {{kZero, kZero}};
  const auto accepted = [](const checker::RowStateText& said, const char* claim = "padding-state",
                           const char* verdict = "proved") {
    checker::Statement statement;
    statement.claim = claim, statement.verdict = verdict, statement.row_states = {said};
    return accepts_rows(std::move(statement), 1);
  };
  ASSERT_TRUE(accepted(good));
  EXPECT_FALSE(accepted(good, "neutral"));
  EXPECT_FALSE(accepted(good, "padding-state", "refuted"));
  for (std::size_t i = 0; i < std::size(kDamages); ++i) {
    auto other = good;
    kDamages[i](other);
    EXPECT_FALSE(accepted(other)) << "damage " << i;
  }
  EXPECT_EQ(std::size(kDamages), 37U);
}

}  // namespace row_states_campaign
}  // namespace vl
