#include "verifier/neutral/laws.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/row_laws.h"

namespace vl::neutral {
namespace {

using values::Flush;
using values::MaxRule;

// Which zeros are neutral as leaves of a sum of floats.
struct NeutralZeros {
  bool minus = false;
  bool plus = false;
};

NeutralZeros neutral_zeros(const Question& question) {
  const Classes sums = partial_sums(question);
  if (question.equal == Equality::Bits && (sums & kSignallingNan) != 0) return {};
  return {true, question.equal == Equality::AnyNanAndZero || (sums & kNegativeZero) == 0};
}

std::string why_zeros(const Question& question, const NeutralZeros& zeros) {
  if (!zeros.minus) return "each addition makes a signalling NaN of the contents quiet, and its bits are compared";
  if (!zeros.plus) return "x + -0 = x for every x; x + +0 is +0 where x = -0, and partial results can be -0";
  if (question.equal == Equality::AnyNanAndZero) return "x + -0 = x + +0 = x for every x, up to the sign of zero";
  return fmt::format("x + -0 = x for every x, and x + +0 = x for every x but -0, which no partial result {} is",
                     question.start == Start::First ? "of the contents" : "with the start");
}

// Some codes of the contents, those that there are.
std::vector<Code> contents_among(const Question& question, std::initializer_list<CodeSet> wanted) {
  std::vector<Code> out;
  for (const CodeSet& set : wanted) {
    const CodeSet found = question.contents.intersected(set);
    if (!found.empty()) out.push_back(found.ranges().front().first);
  }
  return out;
}

// The greatest place at which a predicate holds that holds at 0 and, once false, stays false.
template <class Holds>
std::int64_t last_place(std::int64_t high, Holds holds) {
  std::int64_t low = 0;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The codes of the type whose leaf is one of these magnitudes of the accumulator, of either sign.
CodeSet of_magnitude(const Question& question, Code first, Code last) {
  const Format &type = question.type, &wide = question.accumulate;
  const auto below = [&](Code bound) {  // the last place whose leaf is below a bound
    return last_place(order(type, largest(type, false)), [&](std::int64_t place) {
      return place == 0 || values::convert(type, wide, *at_order(type, place)) < bound;
    });
  };
  const std::int64_t low = below(first) + 1, high = below(last + 1);
  return numbers_between(type, low, high).united(numbers_between(type, -1 - high, -1 - low));
}

// Elements that are no leaf of full precision; a node flushes them, and gives none.
CodeSet subnormal_elements(const Question& question) {
  return of_magnitude(question, 1, (Code{1} << question.accumulate.fraction_bits) - 1);
}

// Theorem (First) with S the numbers that no node flushes. Where elements are subnormal, the lemma (Zero): a node of
// Flush::Both makes no difference between a subnormal number and the zero of its sign, so these are alike, too.
Neutral of_flushed_sum(const Question& question, const NeutralZeros& zero) {
  const Format& type = question.type;
  const Flush flush = flush_of(question);
  const CodeSet subnormal = subnormal_elements(question), flushed = question.contents.intersected(subnormal);
  const Code least = Code{1} << question.accumulate.fraction_bits;
  const CodeSet least_normal = of_magnitude(question, least, least);
  Neutral out;
  out.identities = contents_among(question, {zeros(type), least_normal});
  CodeSet doubtful = zeros(type);
  if (flush == Flush::Both || question.contents.intersected(least_normal).empty())
    doubtful = doubtful.united(subnormal);
  if (!flushed.empty() && question.start == Start::First) {
    out.reason = "alone in its row a subnormal number of the contents stays, and beside a pad it is flushed";
    out.identities = {flushed.ranges().front().first};
    return out;
  }
  if (!flushed.empty() && question.tree == Tree::Any && flush == Flush::Results) {
    out.reason = "a sum with a pad is flushed before the next addition, which would not have flushed its operand";
    out.open = doubtful;
    return out;
  }
  const CodeSet small = flush == Flush::Both ? zeros(type).united(subnormal) : zeros(type);
  const std::int64_t high = highest_order(type);
  if (zero.plus) out.codes = small.intersected(numbers_between(type, 0, high));
  if (zero.minus) out.codes = out.codes.united(small.intersected(numbers_between(type, -1 - high, -1)));
  out.open = doubtful.without(out.codes, type);
  out.reason = why_zeros(question, zero);
  if (!subnormal.empty() && flush == Flush::Both) out.reason += "; a subnormal pad is read as a zero of its sign";
  return out;
}

Neutral of_sum(const Question& question) {
  const Format& type = question.type;
  if (!type.is_float())
    return {CodeSet::of(0),
            question.mode.integers == values::Integers::Wrap ? "x + 0 = x modulo a power of two" : "x + 0 = x",
            contents_among(question, {zeros(type)})};
  const NeutralZeros zero = neutral_zeros(question);
  if (flush_of(question) != Flush::None) return of_flushed_sum(question, zero);
  Neutral out;
  if (zero.plus) out.codes = CodeSet::of(0);
  if (zero.minus && has_negative_zero(type)) out.codes = out.codes.united(CodeSet::of(negative_zero(type)));
  out.reason = why_zeros(question, zero);
  out.open = zeros(type).without(out.codes, type);
  out.identities = contents_among(question, {zeros(type)});
  return out;
}

Neutral of_product(const Question& question) {
  const CodeSet unit = CodeSet::of(values::one(question.type));
  if (question.equal == Equality::Bits && has_signalling_leaf(question))
    return {{},
            "each product makes a signalling NaN of the contents quiet, and its bits are compared",
            contents_among(question, {signalling_nans(question.type)})};
  if (flush_of(question) != Flush::None) {
    const CodeSet flushed = question.contents.intersected(subnormal_elements(question));
    if (!flushed.empty())
      return {{},
              "alone in its row a subnormal number of the contents stays, and beside a pad it is flushed",
              {flushed.ranges().front().first}};
  }
  return {unit, "x times 1 is x for every x", contents_among(question, {unit})};
}

// The numbers that no number of the contents is beyond, in the direction of the extremum.
CodeSet beyond(const Question& question, const std::optional<Extent>& numbers) {
  const Format& type = question.type;
  const bool max = question.operation == Operation::Max;
  if (!numbers) return nans(type).complement(type);
  if (max) return numbers_between(type, lowest_order(type), numbers->low);
  return numbers_between(type, numbers->high, highest_order(type));
}

Neutral of_extremum(const Question& question) {
  const Format& type = question.type;
  const bool max = question.operation == Operation::Max, bits = question.equal == Equality::Bits;
  const auto numbers = extent(type, question.contents);
  const CodeSet nan = nans(type), nan_contents = question.contents.intersected(nan);
  const CodeSet outermost = numbers ? CodeSet::of(*at_order(type, max ? numbers->low : numbers->high)) : CodeSet();
  const char* side = max ? "no greater" : "no less";
  Neutral out;
  if (numbers) out.identities = contents_among(question, {outermost, nan_contents});
  if (type.is_float() && question.max == MaxRule::NanWins && bits && has_signalling_leaf(question)) {
    out.reason = "a signalling NaN of the contents becomes quiet, and its bits are compared";
    out.identities = contents_among(question, {signalling_nans(type)});
    return out;
  }
  if (type.is_float() && question.max != MaxRule::NanWins && !nan_contents.empty()) {
    out.reason = "a number replaces a NaN of the contents";
    if (question.max == MaxRule::NanLoses && !bits) out.codes = nan;
    if (question.max == MaxRule::NanLoses && bits) out.open = nan;
    if (!out.codes.empty()) out.reason = "NaN is never the result beside a number, and a number replaces a NaN";
    return out;
  }
  out.codes = beyond(question, numbers);
  out.reason = fmt::format("the pads are {} than every number of the contents", side);
  const bool zero_ends = numbers && is_zero(type, *at_order(type, max ? numbers->low : numbers->high));
  if (type.is_float() && zero_ends && question.equal == Equality::AnyNanAndZero)
    out.codes = out.codes.united(zeros(type));
  else if (type.is_float() && question.max == MaxRule::X86 && !out.codes.intersected(zeros(type)).empty() &&
           zero_ends) {
    out.codes = out.codes.without(zeros(type), type);  // of two zeros the second one is the result
    out.open = zeros(type);
  }
  if (type.is_float() && question.max == MaxRule::NanLoses) {
    out.codes = out.codes.united(nan);
    out.reason += ", or NaN, which loses against each";
  }
  return out;
}

Neutral of_logic(const Question& question) {
  const CodeSet zero = zeros(question.type), others = zero.complement(question.type);
  if (question.operation == Operation::Any) return {zero, "x or false is x", contents_among(question, {zero})};
  return {others, "x and true is x, and every code but zero is true, NaN included", contents_among(question, {others})};
}

// The integers whose square is 0 modulo the accumulator's power of two.
std::optional<Neutral> of_integer_squares(const Question& question) {
  const Format& type = question.type;
  Neutral out{CodeSet::of(0), "x + 0 = x, and the square of a pad is 0", contents_among(question, {CodeSet::of(0)})};
  if (type.bits <= 16) {
    std::vector<CodeRange> found;
    for (Code code = 0; code <= type.mask(); ++code)
      if (leaf(question, {code, 0}) == 0) found.push_back({code, code});
    out.codes = CodeSet(std::move(found));
  } else if (question.mode.integers == values::Integers::Wrap && 2 * type.bits > question.accumulate.bits + 1) {
    return std::nullopt;
  }
  return out;
}

// Half of the distance between the least two numbers of a format that both have all bits: what a code never notices.
values::Number half_a_quantum(const Format& format) { return {false, 1, values::unpack(format, 1).exponent - 1}; }

bool is_unnoticed(const Question& question, const Term& term) {
  const Format& type = question.type;
  const values::Number exact = values::product(values::unpack(type, term.a), values::unpack(type, term.b));
  return values::compare({false, exact.significand, exact.exponent}, half_a_quantum(question.accumulate)) < 0;
}

std::optional<Neutral> of_squares(const Question& question) {
  const Format& type = question.type;
  if (!type.is_float()) return of_integer_squares(question);
  const NeutralZeros zero = neutral_zeros(question);
  const std::int64_t high = order(type, largest(type, false));
  const auto symmetric = [&](std::int64_t place) { return numbers_between(type, -1 - place, place); };
  const CodeSet vanishing = symmetric(last_place(high, [&](std::int64_t place) {
    return is_zero(question.accumulate, leaf(question, {*at_order(type, place), 0}));
  }));
  Neutral out;
  out.identities = contents_among(question, {zeros(type)});
  if (!zero.plus) {
    out.reason = "a partial result can be -0";
    out.open = vanishing;
    return out;
  }
  out.codes = vanishing;
  out.reason = "the squares of the pads are +0, and no partial result is -0";
  if (!question.fused) return out;
  out.codes = symmetric(last_place(high, [&](std::int64_t place) {
    const Code code = *at_order(type, place);
    return place == 0 || is_unnoticed(question, {code, code});
  }));
  out.reason = "the squares of the pads are less than half of the least subnormal, and no partial result is below +0";
  out.open = vanishing.without(out.codes, type);
  return out;
}

// The greatest magnitude among the numbers of one sign, as a positive code; nothing if there are none.
std::optional<Code> greatest(const Format& format, const CodeSet& codes, bool negative) {
  const CodeSet side =
      negative ? numbers_between(format, lowest_order(format), -1) : numbers_between(format, 0, highest_order(format));
  const auto found = extent(format, codes.intersected(side));
  if (!found) return std::nullopt;
  return *at_order(format, negative ? -1 - found->low : found->high);
}

PairAnswer integer_pairs(const Question& question, const CodeSet& a, const CodeSet& b) {
  constexpr Code kMost = Code{1} << 20;
  const CodeSet zero = CodeSet::of(0);
  if (a.is_subset_of(zero) || b.is_subset_of(zero)) return {true, "one element of each pad is 0"};
  if (a.count() > kMost || b.count() > kMost / a.count()) return {false, "the pads are too many to multiply"};
  for (const CodeRange& x : a.ranges())
    for (const CodeRange& y : b.ranges())
      for (Code i = 0; i <= x.last - x.first; ++i)
        for (Code j = 0; j <= y.last - y.first; ++j)
          if (leaf(question, {x.first + i, y.first + j}) != 0) return {false, "a product of pads is not 0"};
  return {true, "every product of pads is 0 modulo a power of two"};
}

}  // namespace

bool has_signalling_leaf(const Question& question) {
  return question.type == question.accumulate && !question.contents.intersected(signalling_nans(question.type)).empty();
}

std::optional<Neutral> neutral_codes(const Question& question) {
  switch (question.operation) {
    case Operation::Sum: return of_sum(question);
    case Operation::Prod: return of_product(question);
    case Operation::Max:
    case Operation::Min: return of_extremum(question);
    case Operation::Any:
    case Operation::All: return of_logic(question);
    case Operation::SumOfSquares:
    case Operation::Exx2: return of_squares(question);
    case Operation::Dot: break;
    default: return neutral_codes_of_rows(question);
  }
  VL_CHECK(false, "the pads of dot are pairs");
  return std::nullopt;
}

PairAnswer neutral_pairs(const Question& question, const CodeSet& a, const CodeSet& b) {
  const Format &type = question.type, &wide = question.accumulate;
  if (a.empty() || b.empty()) return {true, "there are no pads"};
  if (!type.is_float()) return integer_pairs(question, a, b);
  const CodeSet finite = finite_codes(type);
  if (!a.is_subset_of(finite) || !b.is_subset_of(finite))
    return {false, "a product with an infinity or NaN is not zero"};
  const NeutralZeros zero = neutral_zeros(question);
  bool small = false, plus = false;
  for (const bool x : {false, true})
    for (const bool y : {false, true}) {
      const auto p = greatest(type, a, x), q = greatest(type, b, y);
      if (!p || !q) continue;
      const bool negative = x != y && has_negative_zero(wide);
      const bool exact = *p == 0 || *q == 0;
      if (!exact && !is_zero(wide, leaf(question, {*p, *q}))) return {false, "a product of pads is not zero"};
      if (!exact && question.fused) {
        small = true;
        // Of two signs: next to the least normal number, flushing and truncation notice less than half a quantum.
        const bool nearest = question.mode.rounding != values::Rounding::TowardZero;
        if (question.equal != Equality::AnyNanAndZero || !is_unnoticed(question, {*p, *q}) || !nearest ||
            flush_of(question) != Flush::None)
          return {false, "a product of pads is not zero before it is rounded"};
      }
      plus = plus || !negative;
      if (!(negative ? zero.minus : zero.plus))
        return {false, fmt::format("a product of pads is {}0: {}", negative ? '-' : '+', why_zeros(question, zero))};
    }
  if (!plus) return {true, "every product of pads is -0, and x + -0 = x for every x"};
  return {true, fmt::format("every product of pads {}; {}", small ? "is too small to be noticed" : "is a zero",
                            why_zeros(question, zero))};
}

}  // namespace vl::neutral
