#include "verifier/neutral/row_laws.h"

#include <fmt/format.h>

#include <numeric>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "verifier/neutral/exponential.h"

namespace vl::neutral {
namespace {

// The same contents, accumulator, start and order under another operation.
Question as(const Question& question, Operation operation) {
  Question out = question;
  out.operation = operation;
  out.divide = Divide::Logical;
  out.pads = Pads::Anywhere;
  return out;
}

std::optional<Code> first_of(const CodeSet& set) {
  if (set.empty()) return std::nullopt;
  return set.ranges().front().first;
}

// No fill, because the elements 0 and 1 (or 1 alone) refute each; where the contents lack them, nothing is known.
Neutral none(const Question& question, bool zero_needed, std::string reason) {
  const CodeSet everything = CodeSet::all(question.type);
  const auto zero = first_of(question.contents.intersected(zeros(question.type)));
  const Code one = values::one(question.type);
  if (!question.contents.contains(one) || (zero_needed && !zero))
    return {{}, "no law is about contents without 0 and 1", {}, everything};
  Neutral out{{}, std::move(reason), {one}, {}};
  if (zero) out.identities.push_back(*zero);
  return out;
}

Neutral of_mean(const Question& question) {
  if (question.divide == Divide::Padded)
    return none(question, true, "beside 0 and 1 the sum divided by the padded count is another number");
  Neutral out = *neutral_codes(as(question, Operation::Sum));
  out.reason += "; equal sums have equal quotients";
  return out;
}

Neutral of_norm(const Question& question) {
  const CodeSet everything = CodeSet::all(question.type);
  if (question.divide == Divide::Padded) return {{}, "no law is about norms of the padded count", {}, everything};
  const bool centred = question.operation == Operation::LayerNorm;
  Question squares = as(question, Operation::SumOfSquares);
  if (squares.equal == Equality::AnyNanAndZero) squares.equal = Equality::AnyNan;
  Neutral out = *neutral_codes(squares);
  if (centred) {
    const Neutral sum = *neutral_codes(as(question, Operation::Sum));
    out.codes = out.codes.intersected(sum.codes);
    out.reason = fmt::format("both sums stay as they are: {}; {}", out.reason, sum.reason);
  } else {
    out.reason = fmt::format("the sum of squares stays as it is: {}", out.reason);
  }
  out.open = out.codes.complement(question.type);
  // A row of one zero: m = p, and the spread is p² - p², so the result is -p/√eps.
  const auto zero = first_of(question.contents.intersected(zeros(question.type)));
  const bool scale_is_finite = question.accumulate.bits > 8;
  out.identities = {};
  if (centred && zero && scale_is_finite) {
    out.identities.push_back(*zero);
    out.open = zeros(question.type).without(out.codes, question.type);
  }
  return out;
}

// What comes behind every content, and whether what ties with the last of them does.
Neutral of_order(const Question& question) {
  const Format& type = question.type;
  const CodeSet nan = nans(type), nan_contents = question.contents.intersected(nan);
  const auto numbers = extent(type, question.contents);
  const Operation operation = question.operation;
  const bool least_first = operation == Operation::ArgMin || operation == Operation::Sort;
  const bool nan_first = question.max == values::MaxRule::NanWins && operation != Operation::Sort;
  // The codes of the lowest rank, those that tie with them, and those below.
  CodeSet last = nan_contents, ties = nan, below;
  const CodeSet every_number = nan.complement(type);
  if (numbers && (nan_first || nan_contents.empty())) {
    std::int64_t low = lowest_order(type), high = numbers->low;
    if (least_first) low = numbers->high, high = highest_order(type);
    const CodeSet edge = CodeSet::of(*at_order(type, least_first ? low : high));
    ties = edge.intersected(zeros(type)).empty() || !type.is_float() ? edge : zeros(type);
    last = question.contents.intersected(ties);
    below = numbers_between(type, low, high).without(ties, type);
    if (!nan_first) below = below.united(nan);
  } else if (nan_first) {
    below = every_number;
  }
  const bool behind = question.ties == Ties::First && question.pads == Pads::After;
  const Code one = last.ranges().front().first;
  Neutral out{below, "every pad comes behind every element in the order", {one}, {}};
  // Codes of the last rank are all alike: NaNs, zeros, or one code.
  const bool alike = last == CodeSet::of(one) || (ties == nan && question.equal != Equality::Bits) ||
                     (ties == zeros(type) && question.equal == Equality::AnyNanAndZero);
  if (behind) {
    out.codes = below.united(ties);
    out.reason = "every pad comes behind every element in the order, or ties with it and is behind it in the row";
  } else if (!is_index(operation) && alike) {
    const bool all = ties != nan ? question.equal == Equality::AnyNanAndZero : question.equal != Equality::Bits;
    out.codes = below.united(all ? ties : CodeSet::of(one));
    out.reason = "every pad comes behind every element in the order, or is equal to the last of them";
  }
  const CodeSet others = last.without(CodeSet::of(one), type);
  if (!others.empty()) out.identities.push_back(others.ranges().front().first);
  return out;
}

Neutral of_cumulative(const Question& question) {
  const CodeSet everything = CodeSet::all(question.type);
  if (question.operation == Operation::CumSum && question.pads == Pads::After)
    return {everything, "each result is the sum of valid elements alone", {}, {}};
  Neutral out = *neutral_codes(as(question, Operation::Sum));
  out.reason = fmt::format("each result is a sum: {}", out.reason);
  return out;
}

// The finite pads below all numbers of the contents whose exponentials vanish beside each maximum.
CodeSet vanishing(const Question& question, const Extent& numbers) {
  const Format &type = question.type, &wide = question.accumulate;
  const auto difference = [&](std::int64_t place, std::int64_t other) {
    const Code p = *at_order(type, place), m = *at_order(type, other);
    const auto in_wide = [&](Code code) { return type == wide ? code : values::convert(type, wide, code); };
    return values::sub(wide, in_wide(p), in_wide(m));
  };
  const auto vanishes = [&](std::int64_t place) {
    const Code d = difference(place, numbers.low);
    return !is_nan(wide, d) && exp_vanishes(wide, d);
  };
  // Both conditions are monotone in p: it is not too low beside the greatest maximum, and low enough beside the least.
  std::int64_t low = order(type, largest(type, true)), high = numbers.low - 1;
  const std::int64_t least = low;
  if (high < low) return {};
  if (!at_order(type, high)) --high;  // there is no -0
  const auto first_place = [&](std::int64_t from, std::int64_t to, auto holds) {
    while (from < to) {
      std::int64_t middle = std::midpoint(from, to);  // places of f64 are further apart than 64 bits say
      if (!at_order(type, middle)) --middle;
      if (holds(middle)) to = middle;
      else from = middle + 1;
      if (!at_order(type, from)) ++from;
    }
    return from;
  };
  const auto fits = [&](std::int64_t place) {
    return !is_nan(wide, difference(place, numbers.high)) && !is_nan(wide, difference(place, numbers.low));
  };
  const std::int64_t start = first_place(least, high, fits);
  if (!fits(start) || !vanishes(start)) return {};
  const std::int64_t end = first_place(start, high, [&](std::int64_t place) { return !vanishes(place); });
  return numbers_between(type, start, vanishes(end) ? end : end - 1);
}

CodeSet without_fills_that_rows_refute(const Question& question, const CodeSet& open, bool own_row) {
  const Format& type = question.type;
  const CodeSet finite = question.contents.intersected(finite_codes(type));
  CodeSet out = open;
  if (!finite.empty()) {
    out = out.without(nans(type), type);
    if (has_infinity(type)) out = out.without(CodeSet::of(infinity(type, false)), type);
  }
  const bool lowest = has_infinity(type) && question.contents.contains(infinity(type, true));
  if (lowest) out = out.without(finite_codes(type), type);
  return own_row ? out.without(finite, type) : out;
}

Neutral of_exponentials(const Question& question) {
  const Format& type = question.type;
  const auto numbers = extent(type, question.contents);
  if (!numbers) return {CodeSet::all(type), "every element is NaN, and so is every result", {}, {}};
  const bool infinities = has_infinity(type), softmax = question.operation == Operation::Softmax;
  Neutral out;
  if (infinities && question.blocks != Blocks::Unguarded) out.codes = CodeSet::of(infinity(type, true));
  out.reason = infinities ? "no maximum changes, and exp(-inf) adds +0 to sums that are not -0"
                          : "a pad that is an element counts as one, and no number is below all";
  if (question.blocks == Blocks::Unguarded)
    out.reason = "a block of pads before the first number gives exp(-inf - -inf), which is NaN";
  if (question.blocks == Blocks::Whole) {
    const CodeSet finite = vanishing(question, *numbers);
    if (!finite.empty())
      out.reason = "no maximum changes, and the exponential of each pad adds +0 to sums that are not -0";
    out.codes = out.codes.united(finite);
  }
  out.open = without_fills_that_rows_refute(question, out.codes.complement(type), softmax);
  const auto one = first_of(question.contents.intersected(finite_codes(type)));
  if (one) out.identities.push_back(*one);
  if (one && question.blocks == Blocks::Unguarded)  // the row "p|c"
    out.open = out.open.without(CodeSet::of(infinity(type, true)), type);
  if (infinities && question.contents.contains(infinity(type, true))) out.identities.push_back(infinity(type, true));
  return out;
}

}  // namespace

Neutral neutral_codes_of_rows(const Question& question) {
  switch (question.operation) {
    case Operation::Mean: return of_mean(question);
    case Operation::LayerNorm:
    case Operation::RmsNorm: return of_norm(question);
    case Operation::Variance:
      return none(question, question.divide == Divide::Padded, "beside the element 1 each pad gives a variance");
    case Operation::Welford:
      return none(question, true, "beside 0 or 1 each pad gives a variance: it has to be masked");
    case Operation::Softmax:
    case Operation::LogSumExp: return of_exponentials(question);
    case Operation::CumSum:
    case Operation::CumSumReverse: return of_cumulative(question);
    case Operation::Pointwise:
    case Operation::Broadcast: return {CodeSet::all(question.type), "each result reads its own element alone", {}, {}};
    default: break;
  }
  VL_CHECK(is_ordering(question.operation), "a tree is no row");
  return of_order(question);
}

std::vector<std::string> assumptions(const Question& question) {
  if (is_ordering(question.operation) && has_negative_zero(question.type)) return {"an order takes -0 and +0 as equal"};
  if (question.operation == Operation::LayerNorm || question.operation == Operation::RmsNorm)
    return {fmt::format("eps is 10^-5, rounded to {}", question.accumulate.name)};
  const bool extremum = question.operation == Operation::Max || question.operation == Operation::Min;
  if (extremum && flush_of(question) != values::Flush::None) return {"max and min flush nothing"};
  const bool sum = question.operation == Operation::LogSumExp;
  if (!sum && question.operation != Operation::Softmax) return {};
  std::vector<std::string> out{"exp(-inf) = +0", "exp(0) = 1", "exp(NaN) is NaN",
                               "exp(x) of any other x <= 0 is a number whose sign is +",
                               "exp(x) = +0 where e^x is less than half of the least number"};
  if (sum) out.emplace_back("log(1) = +0, log(+0) = -inf, log(NaN) is NaN");
  return out;
}

}  // namespace vl::neutral
