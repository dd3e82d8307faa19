// The images of reductions. Sums: fl(a + b) is monotone in both, so n leaves of at most P > 0 sum to at most n·P times
// (1 + 2^-(f + 1))^n, which is below 2·n·P where n <= 2^f; leaves of which none is above 0 sum to no more than each.
// Subnormals are exact. To nearest, ties away, the same holds, and toward zero sums of one sign are no greater. A fused
// product is not rounded, so it may be a little above its leaf: 4·n·P then.
#include <algorithm>

#include "verifier/neutral/pieces.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {
namespace {

CodeSet all_quiet(const Format& format) {
  return format.is_float() ? CodeSet::all(format).without(signalling_nans(format), format) : CodeSet::all(format);
}

// A place at or above 2·n·x, or `last + 1`. Requires: x > 0, by its code.
std::int64_t above_sum(const Format& format, Code x, Index count, bool fused, std::int64_t last) {
  if (is_infinite(format, x) || count > Index{1} << format.fraction_bits) return last + 1;
  const values::Number number = unpack(format, x);
  const values::Number most{false, number.significand * static_cast<values::Wide>(count),
                            number.exponent + (fused ? 2 : 1)};
  const Code code = pack(format, most);
  return is_finite(format, code) ? order(format, code) + 1 : last + 1;
}

CodeSet sum_of_floats(const Question& question, const CodeSet& leaves, Index count) {
  const Format& format = question.accumulate;
  const bool zero = question.start == Start::Zero;
  CodeSet both = zeros(format);
  if (leaves.is_subset_of(both)) {
    if (question.fused) return both;
    return zero ? CodeSet::of(0) : leaves;  // -0 + -0 = -0, and +0 plus a zero is +0
  }
  const auto found = extent(format, leaves);
  if (!found) return quiet_nans(format).united(leaves);
  const std::int64_t last = order(format, largest(format, false)), below = -1 - last;
  std::int64_t high = found->high, low = found->low;
  if (high > 0) high = above_sum(format, code_at(format, high), count, question.fused, last);
  if (low < -1)
    low = -1 - above_sum(format, values::negated(format, code_at(format, low)), count, question.fused, last);
  if (zero) {
    high = std::max<std::int64_t>(high, 0);
    low = std::min<std::int64_t>(low, 0);
  }
  // Tiny products that a leaf has as 0 count where they are not rounded.
  if (question.fused) {
    high = std::max<std::int64_t>(high, 1);
    low = std::min<std::int64_t>(low, -2);
  }
  const bool beyond = high > last || low<below, past_both = high> last && low < below;
  const bool nan = !leaves.intersected(nans(format)).empty() || past_both || (beyond && !has_infinity(format));
  CodeSet out = numbers_between(format, low, high);
  if (nan) out = out.united(quiet_nans(format));
  return out.united(leaves.intersected(signalling_nans(format)));  // of one leaf alone
}

CodeSet sum_of_integers(const Format& format, const CodeSet& leaves, Index count) {
  const auto found = extent(format, leaves);
  const auto low = checked_mul(found->low, count), high = checked_mul(found->high, count);
  if (!low || !high) return CodeSet::all(format);
  const std::int64_t least = std::min({*low, found->low, std::int64_t{0}}),
                     most = std::max({*high, found->high, std::int64_t{0}});
  if (least < lowest_order(format) || most > highest_order(format)) return CodeSet::all(format);
  return numbers_between(format, least, most);
}

CodeSet product_of_leaves(const Format& format, const CodeSet& leaves) {
  const Code one = values::one(format);
  if (leaves == CodeSet::of(one)) return leaves;
  if (leaves.is_subset_of(zeros(format))) return zeros(format);
  if (!format.is_float()) return CodeSet::all(format);
  CodeSet small = numbers_between(format, order(format, values::negated(format, one)), order(format, one));
  if (leaves.is_subset_of(small)) return small;
  return all_quiet(format).united(leaves);
}

}  // namespace

namespace {

CodeSet image_unflushed(const Question& question, const CodeSet& leaves, Index count) {
  const Format& format = question.accumulate;
  const bool additive = is_additive(question.operation);
  if (count == 1 && !additive && question.start == Start::First) return leaves;
  switch (question.operation) {
    case Operation::Sum:
    case Operation::SumOfSquares:
    case Operation::Dot:
      return format.is_float() ? sum_of_floats(question, leaves, count) : sum_of_integers(format, leaves, count);
    case Operation::Prod: return product_of_leaves(format, leaves);
    case Operation::Max:
    case Operation::Min:  // one of the leaves, maybe quieted
      return leaves.intersected(nans(format)).empty() || !format.is_float() ? leaves
                                                                            : leaves.united(quiet_nans(format));
    case Operation::Any:
    case Operation::All: {
      const CodeSet truth({{0, 1}});
      return leaves.count() == 1 ? leaves : truth;
    }
    default: break;
  }
  return CodeSet::all(format);
}

}  // namespace

CodeSet image_of_reduction(const Question& question, const CodeSet& leaves, Index count) {
  const CodeSet out = image_unflushed(question, leaves, count);
  return flush_of(question) == values::Flush::None ? out : with_flushed(question.accumulate, out);
}

}  // namespace vl::neutral::program
