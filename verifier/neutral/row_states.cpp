#include "verifier/neutral/row_states.h"

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "verifier/neutral/rows.h"
#include "verifier/neutral/transfer.h"

namespace vl::neutral {
namespace {

constexpr Index kMostOfTree = Index{1} << 16;  // of an evaluation
constexpr Index kMostOfRow = Index{1} << 12;   // of what is no tree, and takes longer
constexpr std::size_t kTries = 6;

using Terms = std::vector<Term>;  // one per part

bool is_truth(Operation operation) { return operation == Operation::Any || operation == Operation::All; }

// Visits the parts of all positions, in the order of their indices.
template <class Visit>
void each_position(const RowOfSets& row, Visit visit) {
  std::vector<Index> at(row.whole.size(), 0);
  while (true) {
    std::size_t part = 0;
    for (std::size_t j = 0; j < at.size(); ++j) part |= std::size_t{at[j] >= row.extents[j]} << j;
    visit(part);
    std::size_t j = at.size();
    while (j > 0 && ++at[j - 1] == row.whole[j - 1]) at[--j] = 0;
    if (j == 0) return;
  }
}

Index positions_of(const RowOfSets& row) {
  const auto count = row.count();
  VL_CHECK(count.has_value(), "positions that 64 bits do not count");
  return *count;
}

// A tree from left to right.
Code tree_of(const Question& question, const RowOfSets& row, const Terms& terms) {
  std::optional<Code> out;
  if (question.start != Start::First) out = start_of(question);
  each_position(row,
                [&](std::size_t part) { out = out ? next(question, *out, terms[part]) : leaf(question, terms[part]); });
  if (question.operation != Operation::Mean) return *out;
  const auto by = static_cast<std::uint64_t>(question.divide == Divide::Padded ? *row.count() : *row.count(0));
  return values::div(question.accumulate, *out, values::count_code(question.accumulate, by));
}

// The results of one evaluation at the positions of part `at`, as codes of `result`; nothing in place of what no fact
// states.
Outcomes evaluated(const Question& question, const Format& result, const RowOfSets& row, const Terms& terms,
                   std::size_t at) {
  const Format& wide = question.accumulate;
  const auto stored = [&](Code code) { return result == wide ? code : values::convert(wide, result, code); };
  if (is_truth(question.operation)) return {tree_of(question, row, terms) == 0 ? Code{0} : values::one(result)};
  if (!is_row(question.operation)) return {stored(tree_of(question, row, terms))};
  Evaluation evaluation;
  std::vector<std::size_t> parts;
  each_position(row, [&](std::size_t part) {
    parts.push_back(part);
    (part == 0 ? evaluation.valid : evaluation.pads).push_back(terms[part]);
    evaluation.shape += part == 0 ? 'c' : 'p';
  });
  const bool per_position = has_result_per_position(question.operation);
  Outcomes found = outcomes(question, evaluation, true, per_position ? Results::Everywhere : Results::AtElements);
  Outcomes out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (per_position && parts.at(i) != at) continue;
    out.push_back(found[i] && !is_index(question.operation) ? std::optional(stored(*found[i])) : found[i]);
  }
  return out;
}

// The bits of a NaN are an implementation's.
CodeSet possible(const Format& format, Code code) {
  return values::is_nan(format, code) ? values::nans(format) : CodeSet::of(code);
}

// The terms of the parts, if each is the only one.
std::optional<Terms> only_terms(const RowOfSets& row) {
  Terms out;
  for (const auto& sets : row.parts) {
    Term& term = out.emplace_back();
    if (sets.empty()) continue;
    if (std::ranges::any_of(sets, [](const CodeSet& set) { return set.count() != 1; })) return std::nullopt;
    term.a = sets[0].ranges().front().first;
    if (sets.size() > 1) term.b = sets[1].ranges().front().first;
  }
  return out;
}

// Of several dimensions nobody says which comes first.
bool is_in_one_order(const Question& question, const RowOfSets& row, const Terms& terms) {
  bool alike = true;
  for (std::size_t part = 0; part < terms.size(); ++part)
    alike = alike && (row.parts[part].empty() || terms[part] == terms[0]);
  return question.tree == Tree::Sequential && !is_ordering(question.operation) && (alike || row.whole.size() == 1);
}

// Whether all, or some, of the leaves are true.
CodeSet truths(const Question& question, const Format& result, const RowOfSets& row) {
  const CodeSet zeros = values::zeros(question.type);
  const bool any = question.operation == Operation::Any;
  bool can_be[2] = {any, !any};  // so far, of no leaf: any is false, all is true
  for (const auto& sets : row.parts) {
    if (sets.empty()) continue;
    const bool no = !sets[0].intersected(zeros).empty(), yes = !sets[0].is_subset_of(zeros);
    const bool before[2] = {can_be[0], can_be[1]};
    can_be[0] = any ? before[0] && no : before[0] || no;
    can_be[1] = any ? before[1] || yes : before[1] && yes;
  }
  CodeSet out;
  if (can_be[0]) out = out.united(CodeSet::of(0));
  if (can_be[1]) out = out.united(CodeSet::of(values::one(result)));
  return out;
}

// Codes that are likely to tell: zero, one, the ends of the first and of the last range.
Code picked(const Format& format, const CodeSet& set, std::size_t pick) {
  const auto ranges = set.ranges();
  const Code likely[kTries] = {0,
                               values::one(format),
                               ranges.front().first,
                               ranges.back().last,
                               ranges.front().last,
                               values::has_negative_zero(format) ? values::negative_zero(format) : Code{0}};
  return set.contains(likely[pick]) ? likely[pick] : ranges.front().first;
}

}  // namespace

bool has_result_per_position(Operation operation) {
  using enum Operation;
  switch (operation) {
    case LayerNorm:
    case RmsNorm:
    case Softmax:
    case Sort:
    case SortDescending:
    case CumSum:
    case CumSumReverse: return true;
    default: return false;
  }
}

std::optional<Index> RowOfSets::count(std::size_t part) const {
  std::optional<Index> out = 1;
  for (std::size_t j = 0; j < whole.size(); ++j)
    out = out ? checked_mul(*out, (part >> j & 1) != 0 ? whole[j] - extents[j] : extents[j]) : std::nullopt;
  return out;
}

std::optional<Index> RowOfSets::count() const {
  std::optional<Index> out = 1;
  for (const Index extent : whole) out = out ? checked_mul(*out, extent) : std::nullopt;
  return out;
}

CodeSet image_of_results(const Question& question, const Format& result, const RowOfSets& row, std::size_t at) {
  if (is_truth(question.operation)) return truths(question, result, row);
  if (is_index(question.operation)) return image_of_places(question, row);
  const auto terms = only_terms(row);
  const Index most = is_row(question.operation) ? kMostOfRow : kMostOfTree;
  if (terms && is_in_one_order(question, row, *terms) && positions_of(row) <= most) {
    const Outcomes found = evaluated(question, result, row, *terms, at);
    CodeSet out;
    for (const auto& code : found)
      if (code) out = out.united(possible(result, *code));
    if (std::ranges::all_of(found, [](const auto& code) { return code.has_value(); })) return out;
  }
  return image_by_sets(question, row, at);
}

std::optional<Code> result_outside(const Question& question, const Format& result, const RowOfSets& row, std::size_t at,
                                   const CodeSet& claimed) {
  if (positions_of(row) > (is_row(question.operation) ? kMostOfRow : kMostOfTree)) return std::nullopt;
  for (std::size_t i = 0; i < kTries; ++i)
    for (std::size_t j = 0; j < kTries; ++j) {
      Terms terms;
      for (std::size_t part = 0; part < row.parts.size(); ++part) {
        Term& term = terms.emplace_back();
        const auto& sets = row.parts[part];
        if (sets.empty()) continue;
        term.a = picked(question.type, sets[0], part == 0 ? i : j);
        if (sets.size() > 1) term.b = picked(question.type, sets[1], part == 0 ? i : j);
      }
      for (const auto& code : evaluated(question, result, row, terms, at))
        if (code && possible(result, *code).intersected(claimed).empty()) return code;
    }
  return std::nullopt;
}

}  // namespace vl::neutral
