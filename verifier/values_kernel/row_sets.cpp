// The laws of row_states.h about sets: what relates the operands of a step is not looked at.
#include <algorithm>

#include "verifier/values_kernel/chain_rows.h"
#include "verifier/values_kernel/row_parts.h"

namespace vl::values_kernel {
namespace {

struct Sums {
  const RowOfParts& row;
  StepText step;

  explicit Sums(const RowOfParts& of) : row(of) {
    step.operation = "sum", step.start = of.text().start, step.row = of.text().row, step.type = of.type().name;
    step.accumulate = of.text().accumulate;
  }
  [[nodiscard]] CodeRanges total(const CodeRanges& leaves, Wide count) const {
    return fold_of(row.wide(), step, leaves, count);
  }
  // Over the elements, or with `divide P` over every position that is read.
  [[nodiscard]] CodeRanges average(const CodeRanges& leaves) const {
    const Wide by = row.rules().divide == "P" ? row.count() : row.parts()[0].count;
    const Code divisor = ratio(row.wide(), static_cast<std::uint64_t>(by.narrow()), 1);
    require(row.wide().is_float, "integers that are divided");
    return apply("div", total(leaves, row.count()), {{divisor, divisor}});
  }
  [[nodiscard]] CodeRanges apply(const char* function, const CodeRanges& a) const {
    return image_of(function, row.wide(), "nan-wins", {a}, kMostChoices);
  }
  [[nodiscard]] CodeRanges apply(const char* function, const CodeRanges& a, const CodeRanges& b) const {
    return image_of(function, row.wide(), "nan-wins", {a, b}, kMostChoices);
  }
};

// Codes of parts in the accumulator; a part without positions has none.
std::vector<CodeRanges> widened_parts(const RowOfParts& row) {
  std::vector<CodeRanges> out;
  for (std::size_t i = 0; i < row.parts().size(); ++i)
    out.push_back(row.parts()[i].holds.empty() ? CodeRanges{} : row.widened_part(i));
  return out;
}

bool within(const Format& f, const CodeRanges& set, const Results& most) { return covers(ranges_of(f, most), set); }
bool all_zeros(const Format& f, const CodeRanges& set) {
  return within(f, set, {f.one_zero ? 0 : -1, 0, false, false});
}

// The maximum as one number: a finite code, or both zeros.
std::optional<CodeRanges> as_one_number(const Format& f, const CodeRanges& set) {
  if (set.empty()) return std::nullopt;
  if (all_zeros(f, set)) return ranges_of(f, {f.one_zero ? 0 : -1, 0, false, false});
  const auto& [first, last] = set.front();
  return set.size() == 1 && first == last && f.finite(first) ? std::optional(set) : std::nullopt;
}

// Where every e^(x - m) is 1 or +0.
struct Powers {
  CodeRanges maximum;
  Wide ones = 0;
  std::vector<bool> is_one;
};

// Of a maximum that is this number; nothing if it may be another, or some power is not known.
std::optional<Powers> powers_below(const RowOfParts& row, const std::vector<CodeRanges>& sets,
                                   const CodeRanges& maximum) {
  const Format& f = row.wide();
  Powers out{maximum, 0, {}};
  const Code m = maximum.front().first;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    out.is_one.push_back(!sets[i].empty() && covers(maximum, sets[i]));
    if (out.is_one.back()) out.ones = out.ones + row.parts()[i].count;
    if (sets[i].empty() || out.is_one.back()) continue;
    const Codes codes(f, sets[i]);
    const auto ends = codes.extremes();
    if (!f.infinities || codes.has_nan() || ends.empty()) return std::nullopt;
    const std::int64_t top = ends.back();
    const Code highest = top < 0 ? f.sign() | static_cast<Code>(-1 - top) : static_cast<Code>(top);
    if (!exp_is_zero(f, added(f, highest, f.zero(m) ? Code{0} : m ^ f.sign()))) return std::nullopt;
  }
  return out.ones <= Wide(1LL << f.fraction) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Powers> powers_of(const RowOfParts& row, const std::vector<CodeRanges>& sets) {
  for (const CodeRanges& set : sets)
    if (const auto maximum = as_one_number(row.wide(), set))
      if (auto found = powers_below(row, sets, *maximum)) return found;
  return std::nullopt;
}

// m is NaN or an infinity, whatever the codes are: m - m is NaN.
bool never_a_number(const Format& f, const std::vector<CodeRanges>& sets) {
  if (!f.infinities) return false;
  const std::int64_t last = f.place(f.first_nan - 1);
  const Results top{last, last, true, true}, bottom{-1 - last, -1 - last, true, true};
  return std::ranges::all_of(sets, [&](const CodeRanges& set) { return within(f, set, bottom); }) ||
         std::ranges::any_of(sets, [&](const CodeRanges& set) { return !set.empty() && within(f, set, top); });
}

Code count_of(const Format& f, Wide count) { return ratio(f, static_cast<std::uint64_t>(count.narrow()), 1); }

CodeRanges softmax_of(const RowOfParts& row, const std::vector<CodeRanges>& sets) {
  const Format& f = row.wide();
  if (never_a_number(f, sets)) return ranges_of(f, {1, 0, true, false});
  if (const auto powers = powers_of(row, sets)) {
    const Code out = divided(f, powers->is_one[row.at()] ? f.one() : 0, count_of(f, powers->ones));
    return {{out, out}};
  }
  // Any part has an element in the row; the one with the greatest least code tells most.
  std::size_t best = 0;
  std::optional<std::int64_t> least;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (const auto ends = Codes(f, sets[i]).extremes(); !ends.empty() && (!least || ends.front() > *least))
      best = i, least = ends.front();
  CodeRanges all;
  for (const PartOfRow& part : row.parts())
    if (!part.holds.empty()) all = united(std::move(all), part.holds[0]);
  StepText step;
  step.operation = "softmax", step.accumulate = f.name, step.type = row.type().name;
  const RowParts parts{row.parts()[best].holds[0], all, row.parts()[row.at()].holds[0], row.count().narrow()};
  return image_of_conversion(row.type(), f, image_of_row(step, row.type(), parts));
}

CodeRanges log_sum_of(const RowOfParts& row, const std::vector<CodeRanges>& sets) {
  const Format& f = row.wide();
  const Sums sums(row);
  CodeRanges nan = ranges_of(f, {1, 0, true, false});
  if (never_a_number(f, sets)) return nan;
  if (const auto powers = powers_of(row, sets)) {
    const Code n = count_of(f, powers->ones);
    return sums.apply("add", powers->maximum, sums.apply("log", {{n, n}}));
  }
  if (!f.infinities) return all_of(f);
  const std::int64_t last = f.place(f.first_nan - 1), one = f.place(f.one());
  bool may_be_nan = false, all_may_be_low = true;
  std::int64_t low = -last, high = -last;  // of the maximum, which is no infinity
  for (const CodeRanges& set : sets) {
    if (set.empty()) continue;
    const Codes codes(f, set);
    may_be_nan = may_be_nan || codes.has_nan() || codes.has(f.first_nan - 1);
    all_may_be_low = all_may_be_low && codes.has(f.sign() | (f.first_nan - 1));
    if (const auto ends = codes.extremes(); !ends.empty())
      low = std::max(low, ends.front()), high = std::max(high, ends.back());
  }
  if (low == 0) low = -1;
  if (high == -1) high = 0;
  high = std::min(high, last - 1);
  require(low <= high, "a maximum that is no number");
  CodeRanges sum = sums.total(ranges_of(f, {0, one, false, false}), row.count());
  const auto ends = Codes(f, sum).extremes();
  sum = ranges_of(f, {one, std::max(one, ends.back()), false, false});
  CodeRanges out = sums.apply("add", ranges_of(f, {low, high, false, false}), sums.apply("log", sum));
  return may_be_nan || all_may_be_low ? united(std::move(out), nan) : out;
}

CodeRanges norm_of(const RowOfParts& row, const CodeRanges& all, const CodeRanges& here) {
  const Format& f = row.wide();
  const Sums sums(row);
  const Code epsilon = ratio(f, 1, 100'000);
  CodeRanges spread = sums.average(sums.apply("square", all)), shifted = here;
  if (row.is("layernorm")) {
    const CodeRanges middle = sums.average(all);
    spread = sums.apply("sub", spread, sums.apply("square", middle));
    shifted = sums.apply("sub", here, middle);
  }
  const CodeRanges root = sums.apply("sqrt", sums.apply("add", spread, {{epsilon, epsilon}}));
  return sums.apply("mul", shifted, sums.apply("div", {{f.one(), f.one()}}, root));
}

CodeRanges tree_of_sets(const RowOfParts& row) {
  const Format& f = row.wide();
  Sums sums(row);
  CodeRanges leaves;
  for (const PartOfRow& part : row.parts()) {
    if (part.holds.empty()) continue;
    std::vector<CodeRanges> sets;
    for (const CodeRanges& set : part.holds) sets.push_back(image_of_conversion(row.type(), f, set));
    if (row.is("sumsq")) sets[0] = sums.apply("square", sets[0]);
    if (row.is("dot")) sets[0] = sums.apply("mul", sets[0], sets[1]);
    leaves = united(std::move(leaves), sets[0]);
  }
  if (row.is("mean")) return sums.average(leaves);
  sums.step.operation = row.text().operation, sums.step.fused = row.text().fused;
  return sums.total(leaves, row.count());
}

}  // namespace

CodeRanges results_of_sets(const RowOfParts& row) {
  const Format& f = row.wide();
  if (row.is("softmax")) return softmax_of(row, widened_parts(row));
  if (row.is("logsumexp")) return log_sum_of(row, widened_parts(row));
  const Sums sums(row);
  if (row.is("cumsum") || row.is("cumsum-reverse")) {
    const bool alone = row.dims() == 1 && (row.at() == 0) == row.is("cumsum");
    if (alone) return sums.total(row.widened_part(row.at()), row.parts()[row.at()].count);
    return sums.total(row.widened_all(), row.count());
  }
  if (row.is("layernorm") || row.is("rmsnorm")) return norm_of(row, row.widened_all(), row.widened_part(row.at()));
  if (row.is("variance")) {
    const CodeRanges all = row.widened_all();
    return sums.average(sums.apply("square", sums.apply("sub", all, sums.average(all))));
  }
  if (row.is("welford")) return as_one_number(f, row.widened_all()) ? CodeRanges{{0, 0}} : all_of(f);
  return tree_of_sets(row);
}

}  // namespace vl::values_kernel
