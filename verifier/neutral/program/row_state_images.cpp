// The images of row_states.h by sets. Of steps of several operations each operand is taken to be any code of its set,
// so that what relates them is lost, and the image is never too small.
#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "verifier/neutral/exponential.h"
#include "verifier/neutral/pieces.h"
#include "verifier/neutral/program/states.h"
#include "verifier/neutral/row_states.h"
#include "verifier/neutral/rows.h"
#include "verifier/neutral/transfer.h"

namespace vl::neutral {
namespace {

constexpr Code kMostConverted = 1 << 10;

CodeSet converted(const Format& from, const Format& to, const CodeSet& set) {
  return from == to ? set : image_of_conversion(from, to, set, kMostConverted).codes;
}

// --- Orders: sets by rank.

struct Ranks {
  std::int64_t low = 0, high = 0;
};

Ranks ranks_of(const Question& question, const CodeSet& set) {
  std::optional<Ranks> out;
  const auto take = [&](Code code) {
    const std::int64_t one = rank(question, code);
    out = out ? Ranks{std::min(out->low, one), std::max(out->high, one)} : Ranks{one, one};
  };
  if (const auto found = extent(question.type, set))
    take(code_at(question.type, found->low)), take(code_at(question.type, found->high));
  const CodeSet nans = set.intersected(values::nans(question.type));
  if (!nans.empty()) take(nans.ranges().front().first);
  VL_CHECK(out.has_value(), "ranks of no code");
  return *out;
}

// The codes of a set that come no later than a rank (or no earlier).
CodeSet of_rank(const Question& question, const CodeSet& set, std::int64_t bound, bool at_least) {
  const auto in = [&](Code code) {
    const std::int64_t one = rank(question, code);
    return at_least ? one >= bound : one <= bound;
  };
  CodeSet out;
  for (const Piece& piece : pieces_of(question.type, set, false)) {
    if (piece.nan) {
      if (in(*piece.nan)) out = out.united(set.intersected(values::nans(question.type)));
      continue;
    }
    // Along a piece ranks go up or down: the places whose rank is in are those to one side of some place.
    std::int64_t low = piece.low, high = piece.high;
    const bool first = in(code_at(question.type, low)), last = in(code_at(question.type, high));
    if (!first && !last) continue;
    if (first != last) {
      std::int64_t within = first ? low : high, beyond = first ? high : low;
      while (within + 1 < beyond || beyond + 1 < within) {
        const std::int64_t middle = within + (beyond - within) / 2;
        (in(code_at(question.type, middle)) ? within : beyond) = middle;
      }
      (first ? high : low) = within;
    }
    out = out.united(set.intersected(numbers_between(question.type, low, high)));
  }
  return out;
}

CodeSet all_of_row(const RowOfSets& row) {
  CodeSet out;
  for (const auto& sets : row.parts)
    if (!sets.empty()) out = out.united(sets[0]);
  return out;
}

CodeSet image_of_sort(const Question& question, const RowOfSets& row, std::size_t at) {
  CodeSet all = all_of_row(row);
  if (question.operation == Operation::TopK)  // at most as many as there are elements
    return of_rank(question, all, ranks_of(question, row.parts[0][0]).low, true);
  if (row.whole.size() != 1) return all;
  if (at == 0) return of_rank(question, all, ranks_of(question, row.parts[0][0]).low, true);
  return of_rank(question, all, ranks_of(question, row.parts[1][0]).high, false);
}

// --- Exponentials.

// A part of which every x - m is a zero, and m the maximum.
bool is_one_number(const Format& format, const CodeSet& set) {
  if (set.is_subset_of(values::zeros(format))) return true;
  return set.count() == 1 && is_finite(format, set.ranges().front().first);
}

// How many exponentials are 1, if all others vanish.
struct Ones {
  Code maximum = 0;
  Index count = 0;
  std::vector<bool> is_one;  // of each part
};

std::optional<Ones> ones_of(const Format& wide, const RowOfSets& row, const std::vector<CodeSet>& sets) {
  for (const CodeSet& candidate : sets) {
    if (candidate.empty() || !is_one_number(wide, candidate)) continue;
    Ones out{candidate.ranges().front().first, 0, {}};
    bool holds = true;
    for (std::size_t part = 0; part < sets.size() && holds; ++part) {
      const CodeSet& set = sets[part];
      const bool zeros = values::is_zero(wide, out.maximum) && set.is_subset_of(values::zeros(wide));
      out.is_one.push_back(!set.empty() && (set == candidate || zeros));
      if (out.is_one.back()) out.count += *row.count(part);
      if (set.empty() || out.is_one.back()) continue;
      const auto ends = extent(wide, set);
      holds = has_infinity(wide) && ends && set.intersected(values::nans(wide)).empty() &&
              exp_vanishes(wide, values::sub(wide, code_at(wide, ends->high), out.maximum));
    }
    // Sums of so many ones are exact.
    if (holds && out.count <= Index{1} << wide.fraction_bits) return out;
  }
  return std::nullopt;
}

// Every maximum is NaN or an infinity, so that x - m is NaN somewhere.
bool is_surely_nan(const Format& wide, const std::vector<CodeSet>& sets) {
  if (!has_infinity(wide)) return false;
  const CodeSet nan = values::nans(wide), high = nan.united(CodeSet::of(infinity(wide, false))),
                low = nan.united(CodeSet::of(infinity(wide, true)));
  const auto none_beyond = [](const CodeSet& most) {
    return [&](const CodeSet& set) { return set.is_subset_of(most); };
  };
  return std::ranges::all_of(sets, none_beyond(low)) ||
         std::ranges::any_of(sets, [&](const CodeSet& set) { return !set.empty() && set.is_subset_of(high); });
}

// Of a part whose least number is the greatest: some maximum is no less.
const CodeSet& most_certain(const Format& type, const RowOfSets& row) {
  const CodeSet* out = &row.parts[0][0];
  for (const auto& sets : row.parts) {
    if (sets.empty()) continue;
    const auto ends = extent(type, sets[0]), best = extent(type, *out);
    if (ends && (!best || ends->low > best->low)) out = &sets[0];
  }
  return *out;
}

CodeSet image_of_softmax(const Question& question, const RowOfSets& row, std::size_t at,
                         const std::vector<CodeSet>& sets) {
  const Format& wide = question.accumulate;
  if (is_surely_nan(wide, sets)) return quiet_nans(wide);
  if (const auto ones = ones_of(wide, row, sets)) {
    const Code by = values::count_code(wide, static_cast<std::uint64_t>(ones->count));
    return CodeSet::of(values::div(wide, ones->is_one[at] ? values::one(wide) : Code{0}, by));
  }
  const program::RowSets known{most_certain(question.type, row), all_of_row(row), row.parts[at][0], *row.count()};
  return program::image_of_row(question, known);
}

// m + log Σ: the sum of exponentials is at least 1, and m no infinity, unless the result is NaN.
CodeSet image_of_log_sum(const Question& question, const RowOfSets& row, const std::vector<CodeSet>& sets) {
  const Format& wide = question.accumulate;
  if (is_surely_nan(wide, sets)) return quiet_nans(wide);
  const auto log_and_add = [&](const CodeSet& maximum, const CodeSet& sum) {
    const std::vector<CodeSet> of{sum};
    const std::vector<CodeSet> both{maximum, image(Function::Log, wide, question.max, of).codes};
    return image(Function::Add, wide, question.max, both).codes;
  };
  if (const auto ones = ones_of(wide, row, sets)) {
    CodeSet maximum = CodeSet::of(ones->maximum);
    if (values::is_zero(wide, ones->maximum)) maximum = values::zeros(wide);
    return log_and_add(maximum, CodeSet::of(values::count_code(wide, static_cast<std::uint64_t>(ones->count))));
  }
  if (!has_infinity(wide)) return CodeSet::all(wide);
  const Code most = infinity(wide, false), least = infinity(wide, true);
  bool nan = true;  // where all parts can be -inf
  std::int64_t low = order(wide, least) + 1;
  std::optional<std::int64_t> high;
  for (const CodeSet& set : sets) {
    if (set.empty()) continue;
    nan = nan && set.contains(least);
    if (const auto ends = extent(wide, set))
      low = std::max(low, ends->low), high = std::max(high.value_or(ends->high), ends->high);
  }
  for (const CodeSet& set : sets) nan = nan || !set.intersected(values::nans(wide)).empty() || set.contains(most);
  const CodeSet none = nan ? quiet_nans(wide) : CodeSet();
  if (!high) return quiet_nans(wide);
  // Both zeros may be the maximum of one another.
  if (low == 0) low = -1;
  *high = std::min(*high == -1 ? 0 : *high, order(wide, most) - 1);
  const CodeSet maximum = numbers_between(wide, low, *high);
  if (maximum.empty()) return quiet_nans(wide);
  Question sum = question;
  sum.operation = Operation::Sum;
  const std::int64_t one = order(wide, values::one(wide));
  const CodeSet sums = program::image_of_reduction(sum, numbers_between(wide, 0, one), *row.count());
  return log_and_add(maximum, sums.intersected(numbers_between(wide, one, order(wide, most)))).united(none);
}

// --- Norms and variances, step by step.

class Steps {
 public:
  Steps(const Question& question, const RowOfSets& row) : question_(question), wide_(question.accumulate), row_(row) {}

  [[nodiscard]] CodeSet of(Function function, const CodeSet& a) const {
    const std::vector<CodeSet> sets{a};
    return image(function, wide_, question_.max, sets).codes;
  }
  [[nodiscard]] CodeSet of(Function function, const CodeSet& a, const CodeSet& b) const {
    const std::vector<CodeSet> sets{a, b};
    return image(function, wide_, question_.max, sets).codes;
  }
  // The sum of all positions, divided by the count.
  [[nodiscard]] CodeSet mean(const CodeSet& leaves) const {
    Question sum = question_;
    sum.operation = Operation::Sum;
    const Index by = question_.divide == Divide::Padded ? *row_.count() : *row_.count(0);
    const CodeSet count = CodeSet::of(values::count_code(wide_, static_cast<std::uint64_t>(by)));
    return of(Function::Div, program::image_of_reduction(sum, leaves, *row_.count()), count);
  }

  [[nodiscard]] CodeSet variance(const CodeSet& all) const {
    return mean(of(Function::Square, of(Function::Sub, all, mean(all))));
  }
  [[nodiscard]] CodeSet norm(const CodeSet& all, const CodeSet& here) const {
    constexpr Code kEpsilonOfF64 = 0x3EE4F8B588E368F1;  // 10^-5
    const bool centred = question_.operation == Operation::LayerNorm;
    const CodeSet middle = centred ? mean(all) : CodeSet::of(0), squares = mean(of(Function::Square, all));
    const CodeSet spread = centred ? of(Function::Sub, squares, of(Function::Square, middle)) : squares;
    const CodeSet epsilon = CodeSet::of(values::convert(*values::find_format("f64"), wide_, kEpsilonOfF64));
    const CodeSet root = of(Function::Sqrt, of(Function::Add, spread, epsilon));
    const CodeSet scale = of(Function::Div, CodeSet::of(values::one(wide_)), root);
    return of(Function::Mul, centred ? of(Function::Sub, here, middle) : here, scale);
  }

 private:
  const Question& question_;
  const Format& wide_;
  const RowOfSets& row_;
};

// From +0 and from left to right: the mean of one number is that number, and each distance from it a zero.
CodeSet image_of_welford(const Format& wide, const CodeSet& all) {
  return is_one_number(wide, all) ? CodeSet::of(0) : CodeSet::all(wide);
}

// --- Sums.

CodeSet image_of_cumulative(const Question& question, const RowOfSets& row, std::size_t at,
                            const std::vector<CodeSet>& sets) {
  Question sum = question;
  sum.operation = Operation::Sum;
  const bool forward = question.operation == Operation::CumSum;
  // Along one dimension elements come first: what is before them is theirs, and what is behind pads is pads'.
  if (row.whole.size() == 1 && (at == 0) == forward) return program::image_of_reduction(sum, sets[at], *row.count(at));
  CodeSet all;
  for (const CodeSet& set : sets) all = all.united(set);
  return program::image_of_reduction(sum, all, *row.count());
}

CodeSet image_of_tree(const Question& question, const RowOfSets& row) {
  const Format& wide = question.accumulate;
  CodeSet leaves;
  for (const auto& sets : row.parts) {
    if (sets.empty()) continue;
    std::vector<CodeSet> in_wide;
    in_wide.reserve(sets.size());
    for (const CodeSet& set : sets) in_wide.push_back(converted(question.type, wide, set));
    if (is_square(question.operation)) in_wide = {image(Function::Square, wide, question.max, in_wide).codes};
    else if (question.operation == Operation::Dot) in_wide = {image(Function::Mul, wide, question.max, in_wide).codes};
    leaves = leaves.united(in_wide.front());
  }
  if (question.operation == Operation::Mean) return Steps(question, row).mean(leaves);
  Question of = question;
  if (is_square(of.operation)) of.operation = Operation::SumOfSquares;
  return program::image_of_reduction(of, leaves, *row.count());
}

// In the accumulator.
CodeSet wide_image(const Question& question, const RowOfSets& row, std::size_t at) {
  const Format& wide = question.accumulate;
  if (!is_row(question.operation)) return image_of_tree(question, row);
  if (is_ordering(question.operation)) return image_of_sort(question, row, at);
  std::vector<CodeSet> sets;
  CodeSet all;
  for (const auto& part : row.parts) {
    sets.push_back(part.empty() ? CodeSet() : converted(question.type, wide, part[0]));
    all = all.united(sets.back());
  }
  switch (question.operation) {
    case Operation::Softmax: return image_of_softmax(question, row, at, sets);
    case Operation::LogSumExp: return image_of_log_sum(question, row, sets);
    case Operation::LayerNorm:
    case Operation::RmsNorm: return Steps(question, row).norm(all, sets[at]);
    case Operation::Variance: return Steps(question, row).variance(all);
    case Operation::Welford: return image_of_welford(wide, all);
    case Operation::CumSum:
    case Operation::CumSumReverse: return image_of_cumulative(question, row, at, sets);
    default: break;
  }
  return CodeSet::all(wide);
}

}  // namespace

CodeSet image_of_places(const Question& question, const RowOfSets& row) {
  const auto from_to = [](Index first, Index last) {
    return CodeSet({{static_cast<Code>(first), static_cast<Code>(last)}});
  };
  VL_CHECK(row.whole.size() == 1, "places along several dimensions");
  const Index elements = row.extents[0], all = row.whole[0];
  const bool pads = all > elements, last = question.ties == Ties::Last, first = question.ties == Ties::First;
  const Ranks ours = ranks_of(question, row.parts[0][0]);
  const Ranks theirs = pads ? ranks_of(question, row.parts[1][0]) : Ranks{};
  const bool ours_first = !pads || theirs.high < ours.low || (theirs.high == ours.low && first);
  const bool theirs_first = pads && (ours.high < theirs.low || (ours.high == theirs.low && last));
  const auto winner = [&](Index begin, Index end, const Ranks& among) {
    const bool one = question.k == 1 && among.low == among.high;
    if (one && first) return from_to(begin, begin);
    if (one && last) return from_to(end - 1, end - 1);
    return from_to(begin, end - 1);
  };
  if (ours_first && Index{question.k} <= elements) return winner(0, elements, ours);
  if (theirs_first && Index{question.k} <= all - elements) return winner(elements, all, theirs);
  return from_to(0, all - 1);
}

CodeSet image_by_sets(const Question& question, const RowOfSets& row, std::size_t at) {
  return converted(question.accumulate, question.type, wide_image(question, row, at));
}

}  // namespace vl::neutral
