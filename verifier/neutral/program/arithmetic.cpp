#include "verifier/neutral/program/arithmetic.h"

#include <algorithm>

#include "encodings/values/division.h"

namespace vl::neutral::program {
namespace {

using values::CodeRange;
using values::Flush;
using values::Rounding;

constexpr Code kMostEvaluated = 1 << 10;

// Numbers that are neither zeros nor infinities: what rounding is about.
CodeSet inexact_codes(const Format& format, const CodeSet& set) {
  return set.intersected(finite_codes(format)).without(zeros(format), format);
}

// Each number and its neighbours of the same sign; where results may be too large, the ends.
CodeSet with_neighbours(const Format& format, const CodeSet& set) {
  CodeSet out = set;
  const std::int64_t lowest = lowest_order(format), highest = highest_order(format);
  const CodeSet positive = set.intersected(numbers_between(format, 0, highest)),
                negative = set.intersected(numbers_between(format, lowest, -1));
  for (const CodeRange& range : positive.ranges()) {
    const std::int64_t low = order(format, range.first) - 1, high = order(format, range.last) + 1;
    out = out.united(numbers_between(format, std::max<std::int64_t>(low, 0), std::min(high, highest)));
  }
  for (const CodeRange& range : negative.ranges()) {
    const std::int64_t low = order(format, range.last) - 1, high = order(format, range.first) + 1;
    out = out.united(numbers_between(format, std::max(low, lowest), std::min<std::int64_t>(high, -1)));
    if (high >= -1 && !has_negative_zero(format)) out = out.united(CodeSet::of(0));
  }
  if (has_infinity(format)) return out;
  const CodeSet ends = CodeSet::of(largest(format, false)).united(CodeSet::of(largest(format, true)));
  if (!set.intersected(nans(format)).empty()) out = out.united(ends);
  return set.intersected(ends).empty() ? out : out.united(quiet_nans(format));
}

// Whether a result is rounded; of functions that have facts the facts say it.
bool is_rounded(Function function) {
  switch (function) {
    case Function::Square:
    case Function::Recip:
    case Function::Sqrt:
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Div: return true;
    default: return false;
  }
}

// The result of single codes, where the arithmetic is that of sums and products.
std::optional<Code> computed_code(Function function, const Format& format, const values::Mode& mode,
                                  std::span<const CodeSet> operands) {
  for (const CodeSet& set : operands)
    if (set.count() != 1) return std::nullopt;
  const Code a = operands[0].ranges().front().first, b = operands.back().ranges().front().first;
  switch (function) {
    case Function::Square: return values::mul(format, a, a, mode);
    case Function::Add: return values::add(format, a, b, mode);
    case Function::Sub:  // the least integer has no negation
      return format.is_float() ? std::optional(values::add(format, a, values::negated(format, b), mode)) : std::nullopt;
    case Function::Mul: return values::mul(format, a, b, mode);
    default: return std::nullopt;
  }
}

CodeSet image_of_some(Function function, const Format& format, values::MaxRule rule, std::vector<CodeSet> operands) {
  if (std::ranges::any_of(operands, &CodeSet::empty)) return {};
  return image(function, format, rule, operands, kMostEvaluated).codes;
}

// What is exact is as to nearest even: each choice of operands of which one is a zero, an infinity or NaN.
CodeSet rounded_image(Function function, const Format& format, values::MaxRule rule, const values::Mode& mode,
                      std::span<const CodeSet> operands) {
  const std::vector<CodeSet> all(operands.begin(), operands.end());
  std::vector<CodeSet> inexact;
  CodeSet out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    inexact.push_back(inexact_codes(format, all[i]));
    std::vector<CodeSet> exact = all;
    exact[i] = all[i].without(inexact[i], format);
    out = out.united(image_of_some(function, format, rule, std::move(exact)));
  }
  if (std::ranges::any_of(inexact, &CodeSet::empty)) return out;
  if (const auto code = computed_code(function, format, mode, inexact))
    return out.united(is_nan(format, *code) ? quiet_nans(format) : CodeSet::of(*code));
  return out.united(with_neighbours(format, image_of_some(function, format, rule, std::move(inexact))));
}

std::string_view word_of_facts(Function function) {
  return function == Function::Recip ? "reciprocal" : name(function);
}

CodeSet image_by_stated(const Program& program, Function function, const Format& format, const CodeSet& of) {
  return values::stated_image(program.facts, word_of_facts(function), format, of);
}

}  // namespace

CodeSet with_flushed(const Format& format, const CodeSet& set) {
  if (!format.is_float() || !values::is_subnormal(format, 1)) return set;
  const std::int64_t least = order(format, Code{1} << format.fraction_bits);
  CodeSet out = set;
  if (!set.intersected(numbers_between(format, 1, least)).empty()) out = out.united(CodeSet::of(0));
  if (!set.intersected(numbers_between(format, -1 - least, -2)).empty())
    out = out.united(CodeSet::of(has_negative_zero(format) ? negative_zero(format) : 0));
  return out;
}

bool is_by_facts(const Program& program, Function function) {
  const bool approximate = function == Function::Recip || function == Function::Sqrt || function == Function::Pow ||
                           (function > Function::Relu && function < Function::Add);
  return approximate && !program.facts.empty();
}

std::vector<values::Stated> facts_about(const Program& program, Function function, const Format& format) {
  std::vector<values::Stated> out;
  for (const values::Fact& fact : program.facts)
    if (fact.function == word_of_facts(function))
      if (auto stated = stated_in(fact, format)) out.push_back(std::move(*stated));
  return out;
}

bool is_plain(const Program& program) {
  return program.mode == values::Mode{} && program.conversion == Rounding::NearestEven && program.facts.empty();
}

CodeSet image_in(const Program& program, Function function, const Format& format, values::MaxRule rule,
                 std::span<const CodeSet> operands) {
  if (operands.size() < arity(function) && !is_plain(program))
    return image_in(program, function, format, rule, std::vector(2, operands[0]));
  if (is_plain(program)) return image(function, format, rule, operands, kMostEvaluated).codes;
  if (is_by_facts(program, function))
    return operands.size() == 1 ? image_by_stated(program, function, format, operands[0]) : CodeSet::all(format);
  if (!format.is_float()) {
    CodeSet out = image(function, format, rule, operands, kMostEvaluated).codes;
    if (program.mode.integers == values::Integers::Wrap) return out;
    const auto code = computed_code(function, format, program.mode, operands);
    if (code) return CodeSet::of(*code);
    return out.united(numbers_between(format, lowest_order(format), lowest_order(format)))
        .united(numbers_between(format, highest_order(format), highest_order(format)));
  }
  std::vector<CodeSet> read(operands.begin(), operands.end());
  const bool flushes = program.mode.flush != Flush::None;
  if (program.mode.flush == Flush::Both)
    for (CodeSet& set : read) set = with_flushed(format, set);
  CodeSet out = is_rounded(function) && program.mode.rounding != Rounding::NearestEven
                    ? rounded_image(function, format, rule, program.mode, read)
                    : image(function, format, rule, read, kMostEvaluated).codes;
  return flushes ? with_flushed(format, out) : out;
}

CodeSet conversion_in(const Program& program, const Format& from, const Format& to, const CodeSet& set) {
  CodeSet out = image_of_conversion(from, to, set, kMostEvaluated).codes;
  if (program.conversion != Rounding::NearestEven && !from.is_float() && to.is_float()) return with_neighbours(to, out);
  if (program.conversion == Rounding::NearestEven || !from.is_float() || !to.is_float() || values::is_exact(from, to))
    return out;
  const CodeSet inexact = inexact_codes(from, set), exact = set.without(inexact, from);
  if (inexact.empty()) return out;
  out = exact.empty() ? CodeSet() : image_of_conversion(from, to, exact, kMostEvaluated).codes;
  if (inexact.count() == 1) {
    const Code code = values::convert(from, to, inexact.ranges().front().first, program.conversion);
    return out.united(is_nan(to, code) ? quiet_nans(to) : CodeSet::of(code));
  }
  return out.united(with_neighbours(to, image_of_conversion(from, to, inexact, kMostEvaluated).codes));
}

bool is_of_other_facts(const Program& program, const Node& node) {
  const bool exponential = node.operation == Operation::Softmax || node.operation == Operation::LogSumExp;
  return node.kind == Kind::Row && exponential && !program.facts.empty();
}

bool has_row_images(const Program& program, const Node& node) {
  return program.mode == values::Mode{} && !is_of_other_facts(program, node);
}

Equality kept_by(const Program& program, const Node& node) {
  if (node.kind == Kind::Unknown) return node.reads == Reads::Numbers ? Equality::AnyNanAndZero : Equality::Bits;
  // Which integer a NaN becomes may depend on its bits; in i1 it is 1.
  const bool cuts =
      node.kind == Kind::Cast && program.nodes[node.operands[0]].type->is_float() && !node.type->is_float();
  if (cuts && node.type->bits > 1) return Equality::Bits;
  if (node.kind != Kind::Pointwise) return Equality::AnyNanAndZero;
  const Format& format = *node.type;
  if (is_by_facts(program, node.function)) {
    if (arity(node.function) != 1 || !format.is_float()) return Equality::Bits;
    const CodeSet nan = nans(format);
    if (!nan.empty() && !image_by_stated(program, node.function, format, nan).is_subset_of(nan)) return Equality::Bits;
    const CodeSet of_zeros = image_by_stated(program, node.function, format, zeros(format));
    return of_zeros.count() == 1 || of_zeros.is_subset_of(zeros(format)) ? Equality::AnyNanAndZero : Equality::AnyNan;
  }
  switch (node.function) {
    case Function::Signbit: return Equality::Bits;
    case Function::Recip:
    case Function::Rsqrt:
    case Function::Pow:
    case Function::Div: return Equality::AnyNan;
    default: return Equality::AnyNanAndZero;
  }
}

}  // namespace vl::neutral::program
