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
  else if (!has_signalling_leaf(question)) classes = static_cast<Classes>(classes & ~kSignallingNan);
  const bool flushed = flush_of(question) != values::Flush::None;  // then no result is subnormal, and no leaf may be
  for (Code code = 0; code <= wide.mask(); ++code)
    if (!wide.is_float() || ((classes & class_of(wide, code)) != 0 && !(flushed && is_subnormal(wide, code))))
      out.push_back(code);
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

namespace {

// The leaves of pads, and what they give with one another; nothing if they are more than 64.
std::optional<std::vector<Code>> closed_leaves(const Question& question, const std::vector<Term>& pads) {
  constexpr std::size_t kMostLeaves = 64;
  std::vector<Code> out;
  const auto take = [&](Code code) {
    if (std::ranges::find(out, code) == out.end()) out.push_back(code);
    return out.size() <= kMostLeaves;
  };
  for (const Term& term : pads)
    if (!take(leaf(question, term))) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (!take(combined(question, out[i], out[j])) || !take(combined(question, out[j], out[i]))) return std::nullopt;
  return out;
}

void expect_unchanged(const Question& question, Code partial, Code pad, Code got) {
  VL_CHECK(equals(question, got, partial), fmt::format("the pad {:#x} changes the partial result {:#x} of {} of {}",
                                                       pad, partial, name(question.operation), question.type.name));
}

}  // namespace

Swept sweep(const Question& question, const std::vector<Term>& pads) {
  if (question.accumulate.bits > 16) return Swept::TooMany;
  const auto leaves = closed_leaves(question, pads);
  if (!leaves) return Swept::TooMany;
  const std::vector<Code> partials = possible_partials(question);
  const std::size_t evaluations = partials.size() * (question.fused ? pads.size() + leaves->size() : leaves->size());
  if (evaluations > kMostEvaluations) return Swept::TooMany;
  for (const Code s : partials) {
    if (question.fused)
      for (const Term& pad : pads) expect_unchanged(question, s, pad.a, next(question, s, pad));
    if (!question.fused || question.tree == Tree::Any)
      for (const Code p : *leaves) {
        expect_unchanged(question, s, p, combined(question, s, p));
        if (question.start == Start::First) expect_unchanged(question, s, p, combined(question, p, s));
      }
  }
  return Swept::Confirmed;
}

}  // namespace vl::neutral
