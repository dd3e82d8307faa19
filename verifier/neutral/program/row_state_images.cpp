// The images of row_states.h by sets: those of orders, and of the kernel all others (values_kernel/row_parts.h).
#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/pieces.h"
#include "verifier/neutral/row_states.h"
#include "verifier/neutral/rows.h"
#include "verifier/values_kernel/row_parts.h"

namespace vl::neutral {
namespace {

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
  if (is_ordering(question.operation)) return image_of_sort(question, row, at);
  Question asked = question;
  if (is_square(asked.operation)) asked.operation = Operation::SumOfSquares;  // also by its other name
  const values_kernel::RowOfParts parts(text_of(asked, asked.type, row, at, CodeSet()));
  return set_of(image_of_conversion(parts.wide(), parts.type(), results_of_sets(parts)));
}

}  // namespace vl::neutral
