// Every answer about rows, means, norms, orders and exponentials, against rows that are executed by other code: numbers
// are doubles, each operation is done by the processor and rounded into the format, an order picks its elements one by
// one, and exp is the C library's. No laws, no facts, no shapes. For formats of up to 24 bits of significand a sum, a
// product, a quotient and a root of two numbers rounded first to a double are rounded no differently.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/neutral/brute.h"
#include "tests/support/shard.h"

namespace vl {
namespace rows_brute_test {

using namespace neutral;  // NOLINT: the folder under test
using values::MaxRule;

const Format& of(std::string_view name) { return *values::find_format(name); }

struct Slot {
  Code code = 0;
  bool pad = false;
  bool block_ends = false;
};
using Slots = std::vector<Slot>;

class Executed {
 public:
  explicit Executed(const Question& question) : q_(question), wide_(question.accumulate) {}

  /// Whether the pads change a result that has them, in this row.
  [[nodiscard]] bool changes(const Slots& row) const {
    if (q_.ties != Ties::Unspecified) return differs(row, q_.ties == Ties::Last);
    return differs(row, false) || differs(row, true);
  }

 private:
  [[nodiscard]] bool differs(const Slots& row, bool last) const {
    const auto got = results(row, true, last), want = results(row, false, last);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!same(got[i], want[i])) return true;
    return false;
  }

  [[nodiscard]] bool same(Code a, Code b) const {
    if (a == b) return true;
    if (places() || q_.equal == Equality::Bits) return false;
    const double x = number(a), y = number(b);
    return (std::isnan(x) && std::isnan(y)) || (q_.equal == Equality::AnyNanAndZero && x == 0 && y == 0);
  }

  [[nodiscard]] bool places() const {
    return q_.operation == Operation::ArgMax || q_.operation == Operation::ArgMin ||
           q_.operation == Operation::TopKIndices;
  }

  [[nodiscard]] double number(Code code) const {
    return std::bit_cast<double>(values::convert(wide_, of("f64"), code));
  }
  [[nodiscard]] double rounded(double x) const {
    return number(values::convert(of("f64"), wide_, std::bit_cast<Code>(x)));
  }
  [[nodiscard]] Code code(double x) const { return values::convert(of("f64"), wide_, std::bit_cast<Code>(x)); }

  // Results at the valid elements, or the k first, as codes or as places.
  [[nodiscard]] std::vector<Code> results(const Slots& row, bool with_pads, bool last) const {
    std::vector<double> x;
    std::vector<Code> codes;
    std::vector<std::size_t> place, ends;
    std::vector<bool> pad;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (with_pads || !row[i].pad) {
        codes.push_back(row[i].code);
        if (q_.type.is_float()) x.push_back(std::bit_cast<double>(values::convert(q_.type, of("f64"), row[i].code)));
        else x.push_back(static_cast<double>(order(q_.type, row[i].code)));
        place.push_back(i);
        pad.push_back(row[i].pad);
      }
      if (row[i].block_ends && !x.empty() && (ends.empty() || ends.back() != x.size())) ends.push_back(x.size());
    }
    if (ends.empty() || ends.back() != x.size()) ends.push_back(x.size());
    const auto valid = static_cast<std::size_t>(std::ranges::count_if(row, [](const Slot& s) { return !s.pad; }));
    switch (q_.operation) {
      case Operation::LayerNorm:
      case Operation::RmsNorm: return norm(x, pad);
      case Operation::Variance: return {two_passes(x, pad)};
      case Operation::Welford: return {running(x, pad)};
      case Operation::Softmax:
      case Operation::LogSumExp: return exponentials(x, pad, ends);
      case Operation::Mean: return {code(rounded(total(x) / count(pad)))};
      case Operation::CumSum:
      case Operation::CumSumReverse: return cumulative(x, codes, pad);
      default: return picked(x, codes, place, valid, last);
    }
  }

  [[nodiscard]] double count(const std::vector<bool>& pad) const {
    double out = 0;
    for (const bool p : pad)
      if (!p || q_.divide == Divide::Padded) out += 1;
    return out;
  }
  [[nodiscard]] double total(const std::vector<double>& x) const {
    double out = q_.start == Start::Zero ? rounded(0.0 + x[0]) : x[0];
    for (std::size_t i = 1; i < x.size(); ++i) out = rounded(out + x[i]);
    return out;
  }
  [[nodiscard]] std::vector<double> squares(const std::vector<double>& x) const {
    std::vector<double> out;
    for (const double each : x) out.push_back(rounded(each * each));
    return out;
  }

  [[nodiscard]] std::vector<Code> norm(const std::vector<double>& x, const std::vector<bool>& pad) const {
    const bool centred = q_.operation == Operation::LayerNorm;
    const double n = count(pad), mean = centred ? rounded(total(x) / n) : 0;
    double spread = rounded(total(squares(x)) / n);
    if (centred) spread = rounded(spread - rounded(mean * mean));
    const double scale = rounded(1 / rounded(std::sqrt(rounded(spread + rounded(1e-5)))));
    std::vector<Code> out;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!pad[i]) out.push_back(code(rounded(centred ? rounded(x[i] - mean) : x[i]) * scale));
    return out;
  }
  [[nodiscard]] Code two_passes(const std::vector<double>& x, const std::vector<bool>& pad) const {
    const double mean = rounded(total(x) / count(pad));
    std::vector<double> distances;
    for (const double each : x) distances.push_back(rounded(each - mean));
    return code(total(squares(distances)) / count(pad));
  }
  [[nodiscard]] Code running(const std::vector<double>& x, const std::vector<bool>& pad) const {
    double mean = 0, sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = rounded(x[i] - mean);
      mean = rounded(mean + rounded(d / static_cast<double>(i + 1)));
      sum = rounded(sum + rounded(d * rounded(x[i] - mean)));
    }
    return code(sum / count(pad));
  }

  static double greater(double a, double b) { return std::isnan(a) || a > b ? a : std::isnan(b) ? b : b; }

  [[nodiscard]] std::vector<Code> exponentials(const std::vector<double>& x, const std::vector<bool>& pad,
                                               const std::vector<std::size_t>& ends) const {
    double m = -INFINITY, s = 0, a = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      double next = begin == 0 ? x[0] : m;
      for (std::size_t i = begin; i < end; ++i) next = greater(next, x[i]);
      a = q_.blocks == Blocks::Guarded && next == -INFINITY ? 0 : next;
      std::vector<double> powers;
      for (std::size_t i = begin; i < end; ++i) powers.push_back(rounded(std::exp(rounded(x[i] - a))));
      const double sum = total(powers);
      s = q_.blocks == Blocks::Whole ? sum : rounded(rounded(s * rounded(std::exp(rounded(m - a)))) + sum);
      m = next;
      begin = end;
    }
    if (q_.operation == Operation::LogSumExp) return {code(m + rounded(std::log(s)))};
    std::vector<Code> out;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!pad[i]) out.push_back(code(rounded(std::exp(rounded(x[i] - a))) / s));
    return out;
  }

  // Integers wrap; floats add as doubles, rounded.
  [[nodiscard]] std::vector<Code> cumulative(std::vector<double> x, std::vector<Code> codes,
                                             std::vector<bool> pad) const {
    const bool reverse = q_.operation == Operation::CumSumReverse;
    if (reverse) {
      std::ranges::reverse(x);
      std::ranges::reverse(codes);
      std::reverse(pad.begin(), pad.end());
    }
    std::vector<Code> out;
    Code whole = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      whole += codes[i];
      const std::vector<double> until(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (!pad[i]) out.push_back(wide_.is_float() ? code(total(until)) : whole & wide_.mask());
    }
    if (reverse) std::ranges::reverse(out);
    return out;
  }

  // Whether the order takes x before y, for another reason than where they are.
  [[nodiscard]] bool before(double x, double y) const {
    const bool least = q_.operation == Operation::ArgMin || q_.operation == Operation::Sort;
    const bool nan_first = q_.max == MaxRule::NanWins && q_.operation != Operation::Sort;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) != std::isnan(y) && std::isnan(x) == nan_first;
    return least ? x < y : x > y;
  }
  [[nodiscard]] std::vector<Code> picked(const std::vector<double>& x, const std::vector<Code>& codes,
                                         const std::vector<std::size_t>& place, std::size_t valid, bool last) const {
    std::size_t wanted = valid;
    if (q_.operation == Operation::TopK || q_.operation == Operation::TopKIndices) wanted = q_.k;
    if (q_.operation == Operation::ArgMax || q_.operation == Operation::ArgMin) wanted = 1;
    std::vector<bool> taken(x.size());
    std::vector<Code> out;
    for (; wanted > 0; --wanted) {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!taken[i] && (!best || before(x[i], x[*best]) || (last && !before(x[*best], x[i])))) best = i;
      taken[*best] = true;
      out.push_back(places() ? place[*best] : codes[*best]);
    }
    return out;
  }

  const Question& q_;
  const Format& wide_;
};

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

}  // namespace rows_brute_test
}  // namespace vl
