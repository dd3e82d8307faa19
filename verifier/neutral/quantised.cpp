#include "verifier/neutral/quantised.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "encodings/base/check.h"
#include "encodings/values/arithmetic.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeRange;
using values::CodeSet;

constexpr unsigned kAlwaysZero = 64;  // more factors 2 than any accumulator has bits

Code extended(const QuantisedDot& question, Code code) {
  return values::convert(question.type, question.accumulate, code);
}

// What is taken from the factors, and from their product.
struct Offsets {
  Code u = 0, v = 0, c = 0;
};
Offsets offsets_of(const QuantisedDot& question) {
  if (question.correction == Correction::Logical) return {};
  const Code u = extended(question, question.zero_a), v = extended(question, question.zero_b);
  return {u, v, question.correction == Correction::Padded ? 0 : u * v};
}

unsigned twos_in(const QuantisedDot& question, Code value) {
  value &= question.accumulate.mask();
  return value == 0 ? kAlwaysZero : static_cast<unsigned>(std::countr_zero(value));
}

// The code of a set whose difference from a number has the fewest factors 2.
Code oddest(const QuantisedDot& question, const CodeSet& set, Code from) {
  Code out = set.ranges().front().first;
  for (const CodeRange& range : set.ranges())
    for (Code code = range.first; code <= range.last; ++code)
      if (twos_in(question, extended(question, code) - from) < twos_in(question, extended(question, out) - from))
        out = code;
  return out;
}

}  // namespace

std::string misfit(const QuantisedDot& question) {
  const values::Format &type = question.type, &wide = question.accumulate;
  if (type.is_float() || type.bits > 16)
    return fmt::format("{} holds no quantised numbers: an integer of at most 16 bits does", type.name);
  if (wide.is_float() || !values::is_exact(type, wide))
    return fmt::format("{} does not hold every number of {}; an accumulator has to", wide.name, type.name);
  if (question.zero_a > type.mask() || question.zero_b > type.mask())
    return fmt::format("a zero point is no code of {}", type.name);
  return "";
}

Code added_by(const QuantisedDot& question, Code a, Code b) {
  const auto [u, v, c] = offsets_of(question);
  return ((extended(question, a) - u) * (extended(question, b) - v) - c) & question.accumulate.mask();
}

std::optional<AddedByPad> changed_by(const QuantisedDot& question, const CodeSet& a, const CodeSet& b) {
  VL_CHECK(misfit(question).empty() && !a.empty() && !b.empty(), "a question that has no meaning");
  const Code p0 = a.ranges().front().first, q0 = b.ranges().front().first;
  const Code from_a = extended(question, p0), from_b = extended(question, q0);
  const Code p = oddest(question, a, from_a), q = oddest(question, b, from_b);
  // If each of the products is always 0, all pairs give what (p0, q0) gives. Else one of these pairs does not.
  for (const auto& [x, y] : {std::pair(p0, q0), std::pair(p, q0), std::pair(p0, q), std::pair(p, q)})
    if (const Code sum = added_by(question, x, y); sum != 0) return AddedByPad{x, y, sum};
  return std::nullopt;
}

}  // namespace vl::neutral
