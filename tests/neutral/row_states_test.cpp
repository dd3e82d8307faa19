// Results of rows of sets (verifier/neutral/row_states.h), and the checker's look at them, against the execution of
// every filling of small rows. The execution is written here with doubles, each operation rounded into the format; exp
// and log are those of the C library, which are faithful.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "encodings/values/arithmetic.h"
#include "verifier/checker/check.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/row_states.h"

namespace vl {
namespace row_states_test {

using neutral::Operation;
using neutral::Question;
using values::Code;
using values::CodeSet;
using values::Format;

const Format& format_of(std::string_view name) { return *values::find_format(name); }
double number(const Format& f, Code code) { return std::bit_cast<double>(values::convert(f, format_of("f64"), code)); }
Code code_of(const Format& f, double x) { return values::convert(format_of("f64"), f, std::bit_cast<Code>(x)); }

// --- Execution.

struct Position {
  Code code = 0;
  std::size_t part = 0;
};

class Run {
 public:
  Run(const Question& question, std::vector<Position> row, std::size_t elements)
      : question_(question), f_(question.accumulate), row_(std::move(row)), elements_(elements) {
    for (const Position& each : row_) x_.push_back(number(question.type, each.code));
  }

  // One result per position, or those that there are; codes of the type, places, or 0 and 1.
  std::vector<Code> results() {
    using enum Operation;
    std::vector<double> out;
    switch (question_.operation) {
      case Any: return {Code{std::ranges::any_of(x_, [](double x) { return x != 0; })}};
      case All: return {Code{std::ranges::all_of(x_, [](double x) { return x != 0; })}};
      case Sum: out = {total(x_)}; break;
      case Mean: out = {round(total(x_) / count())}; break;
      case Prod: out = {fold([](double a, double b) { return a * b; })}; break;
      case Max: out = {greatest()}; break;
      case Min: out = {-Run(*this, true).greatest()}; break;
      case SumOfSquares: out = {total(each([](double x) { return x * x; }))}; break;
      case Variance: out = {variance()}; break;
      case Welford: out = {welford()}; break;
      case Softmax: {
        const auto powers = exponentials();
        for (const double power : powers) out.push_back(round(power / total(powers)));
        break;
      }
      case LogSumExp: out = {round(greatest() + round(std::log(total(exponentials()))))}; break;
      case LayerNorm:
      case RmsNorm: out = norm(); break;
      case CumSum: out = sums(x_); break;
      case CumSumReverse: out = reversed(sums(reversed(x_))); break;
      default: return ordered();
    }
    std::vector<Code> codes;
    for (const double x : out) codes.push_back(code_of(question_.type, x));
    return codes;
  }

 private:
  Run(const Run& other, bool) : Run(other) {
    for (double& x : x_) x = -x;
  }
  double round(double x) const { return number(f_, code_of(f_, x)); }
  double count() const {
    return round(static_cast<double>(question_.divide == neutral::Divide::Padded ? x_.size() : elements_));
  }
  std::vector<double> each(const std::function<double(double)>& function) const {
    std::vector<double> out;
    for (const double x : x_) out.push_back(round(function(x)));
    return out;
  }
  double fold(const std::function<double(double, double)>& function) const {
    double out = x_[0];
    for (std::size_t i = 1; i < x_.size(); ++i) out = round(function(out, x_[i]));
    return out;
  }
  static std::vector<double> reversed(std::vector<double> row) { return {row.rbegin(), row.rend()}; }
  std::vector<double> sums(const std::vector<double>& row) const {
    std::vector<double> out;
    for (const double x : row) {
      const bool first = out.empty();
      out.push_back(!first ? round(out.back() + x) : question_.start == values::Start::Zero ? 0.0 + x : x);
    }
    return out;
  }
  double total(const std::vector<double>& row) const { return sums(row).back(); }
  double greatest() const {
    double out = x_[0];
    for (const double x : x_)  // +0 is more than -0
      out = std::isnan(out) || std::isnan(x) ? NAN : x > out || (x == out && !std::signbit(x)) ? x : out;
    return out;
  }
  std::vector<double> exponentials() const {
    const double m = greatest();
    std::vector<double> out;
    for (const double x : x_) out.push_back(round(std::exp(round(x - m))));
    return out;
  }
  double variance() const {
    const double m = round(total(x_) / count());
    return round(total(each([&](double x) { return round(x - m) * round(x - m); })) / count());
  }
  double welford() const {
    double m = 0, squares = 0, n = 0;
    for (const double x : x_) {
      const double d = round(x - m);
      m = round(m + round(d / round(++n)));
      squares = round(squares + round(d * round(x - m)));
    }
    return round(squares / count());
  }
  std::vector<double> norm() const {
    const bool centred = question_.operation == Operation::LayerNorm;
    const double m = centred ? round(total(x_) / count()) : 0.0;
    double spread = round(total(each([](double x) { return x * x; })) / count());
    if (centred) spread = round(spread - round(m * m));
    const double scale = round(1 / round(std::sqrt(round(spread + round(1e-5)))));
    std::vector<double> out;
    for (const double x : x_) out.push_back(round((centred ? round(x - m) : x) * scale));
    return out;
  }
  // By selection: the best of those that are left, again and again.
  std::vector<Code> ordered() const {
    using enum Operation;
    const Operation of = question_.operation;
    const bool least = of == ArgMin || of == Sort;
    const auto before = [&](double a, double b) {  // strictly
      const bool nan_first = of != Sort;
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b) && std::isnan(a) == nan_first;
      return least ? a < b : a > b;
    };
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < x_.size(); ++i) left.push_back(i);
    std::vector<Code> out;
    std::size_t wanted = x_.size();
    if (of == ArgMax || of == ArgMin) wanted = 1;
    if (of == TopK || of == TopKIndices) wanted = question_.k;
    while (out.size() < wanted) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < left.size(); ++i) {
        const double a = x_[left[i]], b = x_[left[best]];
        if (before(a, b) || (!before(b, a) && question_.ties == values::Ties::Last)) best = i;
      }
      out.push_back(neutral::is_index(of) ? Code{left[best]} : row_[left[best]].code);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return out;
  }

  const Question& question_;
  const Format& f_;
  std::vector<Position> row_;
  std::size_t elements_;
  std::vector<double> x_;
};

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
    const auto results = Run(question, filling, elements).results();
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

bool accepts(const Drawn& of, const CodeSet& claimed) {
  checker::Statement statement;
  statement.claim = "padding-state", statement.verdict = "proved";
  statement.row_states = {neutral::text_of(of.question, of.result, of.row, of.at, claimed)};
  return !checker::check(statement, {}).has_value();
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
  Draw draw(20'261'126);
  Counted all;
  for (const Operation operation : kOperations) {
    SCOPED_TRACE(std::string(neutral::name(operation)));
    Counted counted;
    for (const char* name : {"f8e5m2", "f8e4m3"})
      for (int i = 0; i < 100; ++i) {
        compare(drawn(operation, format_of(name), draw), counted);
        if (HasFatalFailure()) return;
      }
    EXPECT_GE(counted.exact, counted.cases / 8) << "an image that says little";
    EXPECT_GE(counted.accepted, counted.cases * 6 / 10);
    EXPECT_GE(counted.refuted, counted.cases / 3);
    all.cases += counted.cases, all.exact += counted.exact, all.accepted += counted.accepted;
    all.refuted += counted.refuted, all.missed += counted.missed, all.rejected += counted.rejected;
  }
  EXPECT_EQ(all.cases, 4400);
  EXPECT_GE(all.exact, 2000);
  EXPECT_GE(all.accepted, 4200);
  EXPECT_GE(all.refuted, 6000);
  EXPECT_GE(all.rejected, 7000);
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

// Softmax of 3 elements 0 and a pad -inf is +0 at the pad; every other statement is rejected.
TEST(RowStates, RejectDamagedStatements) {
  const std::string zero = "0x0", low = "0xFC00", one = "0x3C00";
  checker::RowStateText good;
  good.about = {"softmax", "f16", "f32", "first", "any", "nan-wins", "any-nan", false, {}, {}, {}, {}, {}, {}, {}};
  good.about.row = checker::RowText{"N", "first", "anywhere", "whole", 1};
  good.result = "f16", good.extents = {3}, good.whole = {4};
  good.holds = {{{{zero, zero}}}, {{{low, low}}}};
  good.at = 1, good.results = {{zero, zero}};
  const auto accepted = [](const checker::RowStateText& said, const char* claim = "padding-state",
                           const char* verdict = "proved") {
    checker::Statement statement;
    statement.claim = claim, statement.verdict = verdict, statement.row_states = {said};
    return !checker::check(statement, {}).has_value();
  };
  ASSERT_TRUE(accepted(good));
  EXPECT_FALSE(accepted(good, "neutral"));
  EXPECT_FALSE(accepted(good, "padding-state", "refuted"));
  const std::vector<std::function<void(checker::RowStateText&)>> damages = {
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
      [&](auto& x) {
        x.holds[1][0] = {{one, one}};
      },
      [&](auto& x) {
        x.holds[1][0] = {{zero, zero}, {low, low}};
      },
      [&](auto& x) {
        x.holds[0][0] = {{low, low}};
      },
      [&](auto& x) {
        x.holds[0][0] = {{zero, zero}, {low, low}};
      },
      [](auto& x) { x.holds[1][0] = {}; },
      [](auto& x) { x.holds[1] = {}; },
      [](auto& x) { x.holds[1].push_back(x.holds[1][0]); },
      [](auto& x) { x.holds.pop_back(); },
      [&](auto& x) {
        x.results = {{one, one}};
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
      [&](auto& x) {
        x.about.contents = {{zero, zero}};
      },
      [&](auto& x) {
        x.about.fill = {{zero, zero}};
      },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    auto other = good;
    damages[i](other);
    EXPECT_FALSE(accepted(other)) << "damage " << i;
  }
  EXPECT_EQ(damages.size(), 37U);
}

}  // namespace row_states_test
}  // namespace vl
