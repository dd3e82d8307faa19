#include "verifier/neutral/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/exponential.h"
#include "verifier/neutral/statistics.h"

namespace vl::neutral {
namespace {

using Blocked = std::vector<Row>;

// The row of an evaluation in blocks; without pads also without the blocks that nothing is left of.
Blocked blocks_of(const Question& question, const Evaluation& evaluation, bool with_pads) {
  Blocked out(1);
  std::size_t valid = 0, pads = 0;
  for (const char sign : evaluation.shape) {
    if (sign == '|') {
      if (!out.back().empty()) out.emplace_back();
      continue;
    }
    VL_CHECK(sign == 'c' || sign == 'p', "a shape that is no row");
    const bool pad = sign == 'p';
    const std::size_t place = valid + pads;
    const Term& term = pad ? evaluation.pads.at(pads++) : evaluation.valid.at(valid++);
    if (!pad || with_pads) out.back().push_back({leaf(question, term), pad, place});
  }
  if (out.back().empty()) out.pop_back();
  VL_CHECK(valid == evaluation.valid.size() && pads == evaluation.pads.size() && valid > 0, "a shape of other terms");
  return out;
}

Outcomes codes_of_row(const Row& row, Results which) {
  Outcomes out;
  for (const Item& item : row)
    if (!item.pad || which == Results::Everywhere) out.emplace_back(item.code);
  return out;
}

// The row in the order of the question, best first.
Row ordered(const Question& question, Row row) {
  if (question.ties != Ties::First) std::ranges::reverse(row);
  std::ranges::stable_sort(
      row, [&](const Item& a, const Item& b) { return rank(question, a.code) > rank(question, b.code); });
  return row;
}

Outcomes of_ordering(const Question& question, const Row& row, std::size_t valid) {
  using enum Operation;
  std::size_t count = valid;
  if (question.operation == ArgMax || question.operation == ArgMin) count = 1;
  if (question.operation == TopK || question.operation == TopKIndices) count = question.k;
  const Row sorted = ordered(question, row);
  Outcomes out;
  for (std::size_t i = 0; i < count; ++i)
    out.emplace_back(is_index(question.operation) ? Code{sorted.at(i).place} : sorted.at(i).code);
  return out;
}

Outcomes of_cumulative(const Question& question, Row row, Results which) {
  const bool reversed = question.operation == Operation::CumSumReverse;
  if (reversed) std::ranges::reverse(row);
  std::optional<Code> sum;
  if (question.start != Start::First) sum = start_of(question);
  Outcomes out;
  for (const Item& item : row) {
    sum = sum ? values::add(question.accumulate, *sum, item.code, question.mode) : item.code;
    if (!item.pad || which == Results::Everywhere) out.emplace_back(sum);
  }
  if (reversed) std::ranges::reverse(out);
  return out;
}

}  // namespace

std::string unstated_in_mode(const Question& question) {
  using enum Operation;
  const Operation asked = question.operation;
  const bool divides = asked >= Mean && asked <= LogSumExp;
  if (divides && !(question.mode == values::Mode{}))
    return fmt::format("{} is about rounding to nearest even without flushing, and no law about another mode",
                       name(asked));
  if (is_ordering(asked) && flush_of(question) == values::Flush::Both)
    return fmt::format("no source says whether {} flushes subnormal numbers that it compares", name(asked));
  return "";
}

std::int64_t rank(const Question& question, Code code) {
  using enum Operation;
  const Format& type = question.type;
  const bool least_first = question.operation == ArgMin || question.operation == Sort;
  if (is_nan(type, code)) {
    const bool first = question.max == values::MaxRule::NanWins && question.operation != Sort;
    const std::int64_t beyond = std::max(highest_order(type), -lowest_order(type)) + 1;
    return first ? beyond : -beyond - 1;
  }
  const bool zero = type.is_float() && is_zero(type, code);
  const std::int64_t place = zero ? 0 : order(type, code);
  return least_first ? -1 - place : place;
}

Outcomes outcomes(const Question& question, const Evaluation& evaluation, bool with_pads, Results which) {
  const Blocked blocks = blocks_of(question, evaluation, with_pads);
  const Row& row = blocks.front();
  VL_CHECK(blocks.size() == 1 || question.blocks != Blocks::Whole, "blocks of a whole row");
  switch (question.operation) {
    case Operation::LayerNorm:
    case Operation::RmsNorm: return norms(question, row, which);
    case Operation::Variance: return {variance(question, row)};
    case Operation::Welford: return {welford(question, row)};
    case Operation::Softmax: return softmax(question, blocks, which);
    case Operation::LogSumExp: return {log_sum_exp(question, blocks)};
    case Operation::CumSum:
    case Operation::CumSumReverse: return of_cumulative(question, row, which);
    case Operation::Pointwise:
    case Operation::Broadcast: return codes_of_row(row, which);
    default: break;
  }
  VL_CHECK(is_ordering(question.operation), "a tree is no row");
  return of_ordering(question, row, which == Results::Everywhere ? row.size() : evaluation.valid.size());
}

std::vector<std::string> row_shapes(const Question& question, std::size_t valid) {
  const std::string c(question.k, 'c'), cc = c + c;
  if (valid == 1) {
    if (question.pads == Pads::After) return {c + "p", c + "pp"};
    if (question.blocks == Blocks::Whole) return {c + "p", "p" + c, c + "pp", "pp" + c};
    if (question.blocks == Blocks::Valid) return {"cp", "pc", "cpp", "ppc"};
    return {"cp", "p|c", "c|p", "pc", "pp|c"};
  }
  if (question.pads == Pads::After) return {cc + "p"};
  if (question.blocks == Blocks::Whole) return {cc + "p", c + "p" + c, "p" + cc};
  if (question.blocks == Blocks::Valid) return {"cp|c", "c|cp", "ccp"};
  return {"cp|c", "c|p|c", "p|cc", "p|c|c", "c|cp"};
}

std::optional<Change> change(const Question& question, const Evaluation& evaluation) {
  if (!is_row(question.operation)) {
    const Code got = result(question, evaluation, true), want = result(question, evaluation, false);
    if (equals(question, got, want)) return std::nullopt;
    return Change{0, got, want};
  }
  const Outcomes got = outcomes(question, evaluation, true), want = outcomes(question, evaluation, false);
  VL_CHECK(got.size() == want.size(), "a result of another length");
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!got[i] || !want[i]) continue;
    const Format& wide = question.accumulate;
    if (is_statistic(question.operation) && is_nan(wide, *got[i]) && is_nan(wide, *want[i])) continue;
    const bool same = is_index(question.operation) ? *got[i] == *want[i] : equals(question, *got[i], *want[i]);
    if (!same) return Change{i, *got[i], *want[i]};
  }
  return std::nullopt;
}

}  // namespace vl::neutral
