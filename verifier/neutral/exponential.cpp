#include "verifier/neutral/exponential.h"

#include "encodings/values/division.h"

namespace vl::neutral {
namespace {

using Maybe = std::optional<Code>;

// The maximum and the sum of exponentials so far, and what is subtracted from each element.
struct Running {
  Maybe maximum;  // nothing: -inf, also in a format that has none
  Maybe sum;      // nothing: not known
  Code subtracted = 0;
};

Maybe added(const Format& format, const Maybe& a, const Maybe& b) {
  if (!a || !b) return std::nullopt;
  return values::add(format, *a, *b);
}

Maybe exp_of_difference(const Format& format, Code x, Code y) {
  return exp_by_facts(format, values::sub(format, x, y));
}

Maybe sum_of_exponentials(const Question& question, const Row& block, Code subtracted) {
  const Format& wide = question.accumulate;
  Maybe sum = question.start == Start::First ? std::nullopt : Maybe(start_of(question));
  bool first = question.start == Start::First;
  for (const Item& item : block) {
    const Maybe term = exp_of_difference(wide, item.code, subtracted);
    sum = first ? term : added(wide, sum, term);
    first = false;
  }
  return sum;
}

void take_block(const Question& question, const Row& block, bool whole, Running& running) {
  const Format& wide = question.accumulate;
  const Maybe before = running.maximum;
  for (const Item& item : block)
    running.maximum =
        running.maximum ? values::maximum(wide, values::MaxRule::NanWins, *running.maximum, item.code) : item.code;
  const Code maximum = *running.maximum;
  const bool lowest = is_infinite(wide, maximum) && is_negative(wide, maximum);
  running.subtracted = question.blocks == Blocks::Guarded && lowest ? 0 : maximum;
  const Maybe sum = sum_of_exponentials(question, block, running.subtracted);
  if (whole) {
    running.sum = sum;
    return;
  }
  const Code earlier = before.value_or(infinity(wide, true));
  const Maybe factor = exp_of_difference(wide, earlier, running.subtracted);
  const Maybe scaled = running.sum && factor ? Maybe(values::mul(wide, *running.sum, *factor)) : std::nullopt;
  running.sum = added(wide, scaled, sum);
}

Running over(const Question& question, const std::vector<Row>& blocks) {
  Running out;
  out.sum = 0;
  for (const Row& block : blocks) take_block(question, block, question.blocks == Blocks::Whole, out);
  return out;
}

}  // namespace

bool exp_vanishes(const Format& format, Code x) {
  if (is_infinite(format, x)) return is_negative(format, x);
  if (is_zero(format, x) || !is_negative(format, x)) return false;
  // The exponent of the least power of two that may still be rounded up: half of the least number, or without
  // subnormals the power of two below it, which is no code.
  const bool subnormals = format.special != values::Special::NoSubnormals;
  const int least = values::unpack(format, 1).exponent;
  const int exponent = subnormals ? least - 1 : least + static_cast<int>(format.fraction_bits);
  constexpr values::Wide kLn2 = 0xB17217F7D1CF79AC;  // ln 2 is less than this times 2^-64
  const values::Number bound{false, kLn2 * static_cast<values::Wide>(-exponent), -64};
  values::Number magnitude = values::unpack(format, x);
  magnitude.negative = false;
  return values::compare(magnitude, bound) >= 0;
}

Maybe exp_by_facts(const Format& format, Code x) {
  if (is_nan(format, x)) return values::quieted(format, x);
  if (is_zero(format, x)) return values::one(format);
  if (exp_vanishes(format, x)) return Code{0};
  return std::nullopt;
}

Maybe log_by_facts(const Format& format, Code x) {
  if (is_nan(format, x)) return values::quieted(format, x);
  if (x == values::one(format)) return Code{0};
  if (x == 0 && has_infinity(format)) return infinity(format, true);
  return std::nullopt;
}

Outcomes softmax(const Question& question, const std::vector<Row>& blocks, Results which) {
  const Format& wide = question.accumulate;
  const Running running = over(question, blocks);
  Outcomes out;
  for (const Row& block : blocks)
    for (const Item& item : block) {
      if (item.pad && which == Results::AtElements) continue;
      const Maybe power = exp_of_difference(wide, item.code, running.subtracted);
      const bool known = power && running.sum;
      out.push_back(known ? Maybe(values::div(wide, *power, *running.sum)) : std::nullopt);
    }
  return out;
}

Maybe log_sum_exp(const Question& question, const std::vector<Row>& blocks) {
  const Running running = over(question, blocks);
  const Maybe log = running.sum ? log_by_facts(question.accumulate, *running.sum) : std::nullopt;
  return added(question.accumulate, running.maximum, log);
}

}  // namespace vl::neutral
