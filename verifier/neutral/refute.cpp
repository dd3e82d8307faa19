#include "verifier/neutral/refute.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/rows.h"

namespace vl::neutral {
namespace {

using Shapes = std::vector<std::string>;

// Evaluations with so many valid terms and one pad, and those with two pads.
Shapes shapes_of(const Question& question, std::size_t valid) {
  if (is_row(question.operation)) return row_shapes(question, valid);
  const bool tree = question.tree == Tree::Any && !question.fused;
  Shapes out;
  const auto add = [&](const Shapes& more) { out.insert(out.end(), more.begin(), more.end()); };
  if (question.start == Start::First) {
    add(valid == 1 ? Shapes{"cp+", "pc+"} : Shapes{"cc+p+", "cp+c+", "pc+c+"});
    if (tree && valid == 2) add({"ccp++", "cpc++", "pcc++"});
    if (valid == 1) add({"cp+p+", "pp+c+"});
    if (tree && valid == 1) add({"cpp++"});
    return out;
  }
  add(valid == 1 ? Shapes{"sc+p+", "sp+c+"} : Shapes{"sc+c+p+", "sc+p+c+", "sp+c+c+"});
  // A pad flushes the sum of two elements, or one of them, before the start is there.
  if (tree && valid == 2 && flush_of(question) != values::Flush::None) add({"scp+c++", "spc+c++"});
  if (tree) add(valid == 1 ? Shapes{"scp++", "spc++"} : Shapes{"scc++p+", "sccp+++", "scc+p++", "scp++c+", "spc++c+"});
  if (valid == 1) add({"sc+p+p+", "sp+p+c+"});
  return out;
}

// Codes that are likely to tell, in the order in which a reader wants to see them.
std::vector<Code> telling_codes(const Format& format) {
  std::vector<Code> out{0, values::one(format)};
  const auto both = [&](Code code) {
    out.push_back(code);
    out.push_back(values::negated(format, code));
  };
  if (has_negative_zero(format)) out.push_back(negative_zero(format));
  out.push_back(values::negated(format, values::one(format)));
  both(1);
  both(2);
  both(3);
  for (const bool negative : {false, true}) out.push_back(largest(format, negative));
  if (has_infinity(format))
    for (const bool negative : {false, true}) out.push_back(infinity(format, negative));
  if (has_nan(format)) out.push_back(default_nan(format));
  if (has_signalling_nan(format)) out.push_back(infinity(format, false) + 1);
  if (format.is_float())
    for (const Code code : {Code{0}, Code{1}}) both((Code{1} << format.fraction_bits) + code);  // where subnormals end
  return out;
}

std::vector<Code> without_repeats(const std::vector<Code>& codes, const CodeSet& set) {
  std::vector<Code> out;
  for (const Code code : codes)
    if (set.contains(code) && std::ranges::find(out, code) == out.end()) out.push_back(code);
  return out;
}

// The telling codes of a set, and the ends of its first and last ranges.
std::vector<Code> representatives(const Format& format, const CodeSet& set, const std::vector<Code>& more) {
  std::vector<Code> codes = telling_codes(format);
  codes.insert(codes.end(), more.begin(), more.end());
  constexpr std::size_t kMostRanges = 16;
  const auto ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (i < kMostRanges || i + kMostRanges >= ranges.size()) {
      codes.push_back(ranges[i].first);
      codes.push_back(ranges[i].last);
    }
  return without_repeats(codes, set);
}

// Every code of a set, those that tell first. Requires: at most 2^16.
std::vector<Code> every_code(const CodeSet& set, std::vector<Code> first) {
  const std::vector<Code> told = first;
  for (const CodeRange& range : set.ranges())
    for (Code i = 0; i <= range.last - range.first; ++i)
      if (std::ranges::find(told, range.first + i) == told.end()) first.push_back(range.first + i);
  return first;
}

// Terms of these elements, those of the first elements first.
std::vector<Term> terms_in_order(const std::vector<Code>& a, const std::vector<Code>* b) {
  std::vector<Term> out;
  if (b == nullptr) {
    for (const Code code : a) out.push_back({code, 0});
    return out;
  }
  for (std::size_t sum = 0; sum + 1 < a.size() + b->size(); ++sum)
    for (std::size_t i = 0; i <= sum && i < a.size(); ++i)
      if (sum - i < b->size()) out.push_back({a[i], (*b)[sum - i]});
  return out;
}

std::optional<Refuted> tried(const Question& question, Evaluation evaluation, std::size_t different) {
  const auto found = change(question, evaluation);
  if (!found) return std::nullopt;
  return Refuted{std::move(evaluation), found->got, found->want, found->at, different == 1};
}

std::size_t count_in(const std::string& shape, char sign) {
  return static_cast<std::size_t>(std::ranges::count(shape, sign));
}

std::optional<Refuted> with_one(const Question& question, const std::vector<Term>& valid,
                                const std::vector<Term>& pads) {
  const Shapes shapes = shapes_of(question, 1);
  for (const Term& c : valid)
    for (const Term& p : pads)
      for (const std::string& shape : shapes) {
        const std::vector<Term> same(count_in(shape, 'c'), c);
        if (auto found = tried(question, {shape, same, std::vector<Term>(count_in(shape, 'p'), p)}, 1)) return found;
      }
  return std::nullopt;
}

std::optional<Refuted> with_two(const Question& question, const std::vector<Term>& valid,
                                const std::vector<Term>& pads) {
  const Shapes shapes = shapes_of(question, 2);
  for (const Term& c : valid)
    for (const Term& d : valid)
      for (const Term& p : pads)
        for (const std::string& shape : shapes) {
          const std::size_t count = count_in(shape, 'c');
          std::vector<Term> terms(count / 2, c);
          terms.resize(count, d);
          if (auto found = tried(question, {shape, std::move(terms), {p}}, 2)) return found;
        }
  return std::nullopt;
}

template <class Element>
std::vector<Element> at_most(std::vector<Element> all, std::size_t count) {
  if (all.size() > count) all.resize(count);
  return all;
}

}  // namespace

std::optional<Refuted> refute(const Question& question, const CodeSet& a, const CodeSet* b,
                              const std::vector<Code>& more) {
  const bool pairs = question.operation == Operation::Dot;
  VL_CHECK(pairs == (b != nullptr), "the pads of dot are pairs, and no others");
  const std::vector<Code> elements = representatives(question.type, question.contents, more);
  const std::vector<Term> valid = terms_in_order(elements, pairs ? &elements : nullptr);
  const std::vector<Code> left = representatives(question.type, a, more);
  const std::vector<Code> right = pairs ? representatives(question.type, *b, more) : std::vector<Code>();
  const std::vector<Term> pads = at_most(terms_in_order(left, pairs ? &right : nullptr), 256);
  if (auto found = with_one(question, valid, pads)) return found;
  if (question.type.bits <= 16 && !pairs) {
    const bool row = is_row(question.operation);  // whose evaluations take longer
    const auto all_pads = at_most(terms_in_order(every_code(a, left), nullptr), row ? 1024 : 1 << 16);
    if (auto found = with_one(question, at_most(valid, 24), all_pads)) return found;
    const auto all_valid = terms_in_order(every_code(question.contents, elements), nullptr);
    if (auto found = with_one(question, all_valid, at_most(pads, 8))) return found;
  }
  return with_two(question, at_most(valid, pairs ? 200 : 64), at_most(pads, pairs ? 4 : 16));
}

OneElement::OneElement(const Question& question, const std::vector<Code>& elements)
    : question_(question), shapes_(shapes_of(question, 1)) {
  for (const Code element : elements) add(element);
}

void OneElement::add(Code element) {
  for (Tried& tried : tried_with(element)) tried_.push_back(std::move(tried));
}

void OneElement::add(const Evaluation& evaluation) {
  tried_.push_back({evaluation, result(question_, evaluation, false)});
}

std::vector<OneElement::Tried> OneElement::tried_with(Code element) const {
  std::vector<Tried> out;
  for (const std::string& shape : shapes_) {
    Evaluation evaluation{shape, std::vector<Term>(count_in(shape, 'c'), Term{element, 0}),
                          std::vector<Term>(count_in(shape, 'p'))};
    const Code want = is_row(question_.operation) ? 0 : result(question_, evaluation, false);
    out.push_back({std::move(evaluation), want});
  }
  return out;
}

Code OneElement::got(Tried& tried, Code pad) const {
  std::ranges::fill(tried.evaluation.pads, Term{pad, 0});
  return result(question_, tried.evaluation, true);
}

bool OneElement::changes(Tried& tried, Code pad) const {
  if (!is_row(question_.operation)) return !equals(question_, got(tried, pad), tried.want);
  std::ranges::fill(tried.evaluation.pads, Term{pad, 0});
  return change(question_, tried.evaluation).has_value();
}

bool OneElement::is_changed_by(Code pad) {
  const auto changed = [&](Tried& tried) { return changes(tried, pad); };
  if (is_row(question_.operation) && question_.contents.contains(pad)) {
    auto own = tried_with(pad);
    if (std::ranges::any_of(own, changed)) return true;
  }
  return std::ranges::any_of(tried_, changed);
}

// Of the numbers of one sign, without zeros and infinities, by their distance from zero.
CodeSet OneElement::unchanged_numbers(Tried& tried, bool negative) const {
  const Format &type = question_.type, &wide = question_.accumulate;
  const std::int64_t most = order(type, largest(type, false));
  const auto code_at = [&](std::int64_t place) { return *at_order(type, negative ? -1 - place : place); };
  // Below what is wanted, equal, above; of NaN nothing.
  const auto side = [&](std::int64_t place) -> std::optional<int> {
    const Code found = got(tried, code_at(place));
    if (equals(question_, found, tried.want)) return 0;
    if (is_nan(wide, found)) return std::nullopt;
    return order(wide, found) < order(wide, tried.want) ? -1 : 1;
  };
  const auto first = side(1);
  if (!first) return {};  // NaN stays NaN farther from zero
  // The first place from `low` on where a side is left.
  const auto end_of = [&](std::int64_t low, int of) {
    std::int64_t high = most + 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (side(middle) == of) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const std::int64_t begin = *first == 0 ? 1 : end_of(1, *first);
  if (begin > most || side(begin) != 0) return {};
  const std::int64_t end = end_of(begin, 0) - 1;
  return negative ? numbers_between(type, -1 - end, -1 - begin) : numbers_between(type, begin, end);
}

// One by one; where bits do not count, of NaNs that lie together the first.
CodeSet OneElement::unchanged_others(const CodeSet& pads) {
  const Format& type = question_.type;
  const CodeSet nan = question_.equal == Equality::Bits || is_row(question_.operation) ? CodeSet() : nans(type);
  std::vector<CodeRange> out;
  for (const CodeSet& alike : {signalling_nans(type), nans(type).without(signalling_nans(type), type)}) {
    const CodeSet some = pads.intersected(nan).intersected(alike);
    for (const CodeRange& range : some.ranges())
      if (!is_changed_by(range.first)) out.push_back(range);
  }
  const CodeSet others = pads.without(nan, type);
  for (const CodeRange& range : others.ranges())
    for (Code i = 0; i <= range.last - range.first; ++i)
      if (const Code code = range.first + i; !is_changed_by(code)) out.push_back({code, code});
  return CodeSet(std::move(out));
}

CodeSet OneElement::unchanged(const CodeSet& pads) {
  const Format &type = question_.type, &wide = question_.accumulate;
  const bool logical = question_.operation == Operation::Any || question_.operation == Operation::All;
  if (is_row(question_.operation) || logical || !type.is_float()) return unchanged_others(pads);
  const CodeSet numbers = finite_codes(type).without(zeros(type), type);
  CodeSet out = pads.intersected(numbers);
  for (Tried& tried : tried_)
    if (!is_nan(wide, tried.want))
      out = out.intersected(unchanged_numbers(tried, false).united(unchanged_numbers(tried, true)));
  return unchanged_others(out.united(pads.without(numbers, type)));
}

namespace {

std::string row_in_words(const Question& question, const std::string& shape) {
  std::string out(name(question.operation));
  out += '(';
  std::size_t valid = 0, pads = 0;
  for (const char sign : shape) {
    if (sign == '|') {
      out += " |";
      continue;
    }
    if (out.ends_with('|')) out += ' ';
    else if (valid + pads > 0) out += ", ";
    out += fmt::format("{}{}", sign, sign == 'c' ? valid++ : pads++);
  }
  return out + ")";
}

}  // namespace

std::string in_words(const Question& question, const std::string& shape) {
  if (is_row(question.operation)) return row_in_words(question, shape);
  std::vector<std::string> stack;
  std::size_t valid = 0, pads = 0;
  const auto node = [&](const std::string& left, const std::string& right) {
    switch (question.operation) {
      case Operation::Sum:
      case Operation::SumOfSquares:
      case Operation::Exx2:
      case Operation::Mean:
      case Operation::Dot: return fmt::format("({} + {})", left, right);
      case Operation::Prod: return fmt::format("({} * {})", left, right);
      case Operation::Max: return fmt::format("max({}, {})", left, right);
      case Operation::Min: return fmt::format("min({}, {})", left, right);
      case Operation::Any: return fmt::format("({} or {})", left, right);
      case Operation::All: return fmt::format("({} and {})", left, right);
      default: break;
    }
    VL_CHECK(false, "an operation without a word");
    return std::string();
  };
  for (const char sign : shape) switch (sign) {
      case 's': stack.emplace_back(question.start == Start::MinusZero ? "-0" : "+0"); break;
      case 'c': stack.push_back(fmt::format("c{}", valid++)); break;
      case 'p': stack.push_back(fmt::format("p{}", pads++)); break;
      default: {
        VL_CHECK(sign == '+' && stack.size() >= 2, "a shape that is no tree");
        const std::string right = stack.back();
        stack.pop_back();
        stack.back() = node(stack.back(), right);
      }
    }
  VL_CHECK(stack.size() == 1, "a shape that is no tree");
  return question.operation == Operation::Mean ? "mean of " + stack.front() : stack.front();
}

}  // namespace vl::neutral
