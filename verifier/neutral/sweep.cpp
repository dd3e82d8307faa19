#include "verifier/neutral/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::neutral {
namespace {

constexpr std::size_t kMostTerms = std::size_t{1} << 17;
constexpr std::size_t kMostEvaluations = std::size_t{1} << 20;

std::vector<Code> codes_of(const CodeSet& set) {
  std::vector<Code> out;
  for (const CodeRange& range : set.ranges())
    for (Code i = 0; i <= range.last - range.first; ++i) out.push_back(range.first + i);
  return out;
}

// Every code that a partial result can be, and maybe more. Requires: the accumulator has at most 16 bits.
std::vector<Code> possible_partials(const Question& question) {
  const Format& wide = question.accumulate;
  std::vector<Code> out;
  if (question.operation == Operation::Any || question.operation == Operation::All) return {0, 1};
  if (question.operation == Operation::Max || question.operation == Operation::Min) {
    for (const Code code : codes_of(question.contents)) {
      out.push_back(leaf(question, {code, 0}));
      if (wide.is_float()) out.push_back(values::quieted(wide, out.back()));
    }
    return out;
  }
  Classes classes = static_cast<Classes>(~0U);
  if (wide.is_float() && is_additive(question.operation)) classes = partial_sums(question);
  else if (question.contents.intersected(signalling_nans(question.type)).empty())
    classes = static_cast<Classes>(classes & ~kSignallingNan);
  for (Code code = 0; code <= wide.mask(); ++code)
    if (!wide.is_float() || (classes & class_of(wide, code)) != 0) out.push_back(code);
  return out;
}

}  // namespace

std::optional<std::vector<Term>> terms_of(const CodeSet& a, const CodeSet* b) {
  std::vector<Term> out;
  if (a.count() > kMostTerms || (b != nullptr && b->count() > kMostTerms / std::max<Code>(1, a.count())))
    return std::nullopt;
  for (const Code x : codes_of(a)) {
    if (b == nullptr) out.push_back({x, 0});
    else
      for (const Code y : codes_of(*b)) out.push_back({x, y});
  }
  return out;
}

Swept sweep(const Question& question, const std::vector<Term>& pads) {
  if (question.accumulate.bits > 16) return Swept::TooMany;
  std::vector<Term> distinct;  // one of each leaf, unless it is the elements that count
  std::vector<Code> leaves;
  for (const Term& term : pads) {
    const Code code = leaf(question, term);
    const bool seen = std::ranges::find(leaves, code) != leaves.end();
    if (!seen) leaves.push_back(code);
    if (!seen || question.fused) distinct.push_back(term);
    if (leaves.size() > 64 || distinct.size() > kMostEvaluations >> 8) return Swept::TooMany;
  }
  const std::vector<Code> partials = possible_partials(question);
  if (partials.size() * distinct.size() > kMostEvaluations) return Swept::TooMany;
  for (const Code s : partials)
    for (const Term& pad : distinct) {
      const bool right = equals(question, next(question, s, pad), s);
      const bool left = question.start == Start::Zero || question.fused ||
                        equals(question, combined(question, leaf(question, pad), s), s);
      VL_CHECK(right && left, fmt::format("the pad {:#x} changes the partial result {:#x} of {} of {}", pad.a, s,
                                          name(question.operation), question.type.name));
    }
  for (const Code p : leaves)
    for (const Code q : leaves) {
      const Code both = combined(question, p, q);
      const bool pad = std::ranges::any_of(leaves, [&](Code other) { return equals(question, both, other); });
      VL_CHECK(pad, fmt::format("the pads {:#x} and {:#x} of {} give {:#x}", p, q, name(question.operation), both));
    }
  return Swept::Confirmed;
}

}  // namespace vl::neutral
