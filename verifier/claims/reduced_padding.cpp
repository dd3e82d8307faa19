// padding-state of reductions and rows. A result in a region R of the result's padding is of a row that reads, over the
// whole extents of the reduced dimensions, what each input holds at R and, for each set Q of padded reduced dimensions,
// at R with Q. What such a row's results can be is a question about values: verifier/neutral/row_states.h. If its image
// lies in what is claimed, the claim is proved. A refutation is one evaluation from left to right, in the order of the
// indices, with one code in the elements that are at R alone and one in the others.
//
// A row (softmax, sort, cumsum, …) has results at its own padding, too, so that R may have reduced dimensions. Places
// are those in the padded row, counted along its one dimension.
//
// Worked example: sum over d1 of f32[5,6] in tiles of 8, padding "1", from +0: rows 5 to 7 of the result are sums of
// eight ones: 8. "d0: {8}" is proved of order=seq; of any order the image is [1 .. 16], and "d0: [1..16]" is proved.
// "d0: 0" is refuted. Softmax over d1 of f32[5,6], padding "d1: -inf; d0: 0": "d1: {0}" is proved of finite contents.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"
#include "verifier/neutral/row_laws.h"
#include "verifier/neutral/transfer.h"

namespace vl::claims {
namespace {

using neutral::Code;
using neutral::Operation;
using neutral::Question;
using values::CodeSet;
using values::Format;

constexpr std::size_t kMostRowDims = 6;

std::vector<CodeSet> sets_at(const PaddedAsked& asked, std::span<const Landings> landings, use::Region region) {
  std::vector<CodeSet> out;
  for (std::size_t i = 0; i < asked.inputs.size(); ++i) out.push_back(at_region(asked, landings, i, region));
  return out;
}

bool is_of_truth(const PaddedAsked& asked) {
  const auto operation = asked.alternatives.front().question.operation;
  return operation == Operation::Any || operation == Operation::All;
}

std::string not_covered(const PaddedAsked& asked) {
  const Question& question = asked.alternatives.front().question;
  const use::Operation& operation = asked.of.operation;
  if (operation.what->divides && !question.type.is_float()) return "no source says how integers are divided";
  for (const PaddedOperand& operand : asked.of.operands)
    if (operand.continued()->ragged != 0) return "positions of tiles that no index reaches are read, too";
  for (const neutral::Alternative& each : asked.alternatives) {
    if (auto why = neutral::misfit(each.question); !why.empty()) return why;
    if (!(each.question.mode == values::Mode{}))
      return "only rounding to nearest even without flushing is covered, and integers that wrap";
  }
  const auto reduced = reduced_dims(operation);
  if (neutral::is_index(question.operation)) {
    if (reduced.size() != 1) return "places along several dimensions can be counted in more than one way";
    const Index positions = whole_extents(asked.of)[reduced.front()];
    const Format& result = *format_of_result(asked);
    if (result.is_float()) return fmt::format("places are integers, and the result holds {}", result.name);
    if (positions - 1 > values::highest_order(result)) return fmt::format("{} does not count the row", result.name);
  }
  if (reduced.size() > kMostRowDims) return "a row of so many dimensions is not covered";
  return "";
}

// What is taken for granted: of exp and log, of orders, of eps, and of counts.
std::string facts_of(const Question& question) {
  auto facts = neutral::assumptions(question);
  if (question.operation == Operation::Mean || is_statistic(question.operation))
    facts.push_back(fmt::format("the count is rounded to {}", question.accumulate.name));
  if (facts.empty()) return "";
  const bool exponential = question.operation == Operation::Softmax || question.operation == Operation::LogSumExp;
  if (exponential) facts.emplace_back("exp(x) of x <= 0 is at most 1");
  if (question.operation == Operation::LogSumExp) facts.emplace_back(neutral::assumption(neutral::Function::Log));
  return fmt::format("; assumes: {}", fmt::join(facts, "; "));
}

// The verdict about one region; nothing where it holds.
std::optional<Verdict> judged(const PaddedAsked& asked, const RowAsked& each, bool shared, Inquiry& inquiry) {
  const Format& result = *format_of_result(asked);
  const auto count = each.row.count();
  if (!count) return inquiry.out_of_reach("more elements are reduced than 64 bits count");
  const auto questions = state_questions(asked);
  std::size_t refuted = 0;
  std::optional<Code> shown;
  bool open = false;
  for (const Question& question : questions) {
    if (neutral::image_of_results(question, result, each.row, each.at).is_subset_of(each.claimed)) continue;
    open = true;
    if (shared) continue;
    const auto found = neutral::result_outside(question, result, each.row, each.at, each.claimed);
    if (found) ++refuted, shown = shown ? shown : found;
  }
  const std::string name = region_name(asked.of.operation, each.region);
  if (refuted == questions.size())
    return inquiry.refuted({{{"region", static_cast<Index>(each.region)}, {"got", static_cast<Index>(*shown)}},
                            fmt::format("the padding of the result with {} beyond can be {}, of {} elements{}", name,
                                        values::in_words(result, *shown), *count, facts_of(questions.front()))});
  if (open)
    return inquiry.unknown({Reason::Incomplete, fmt::format("with {} beyond the result may be outside of what is "
                                                            "claimed, and no evaluation was found that is",
                                                            name)});
  return std::nullopt;
}

}  // namespace

const Format* format_of_result(const PaddedAsked& asked) {
  if (asked.inputs.empty()) return nullptr;
  const Format* input = asked.inputs.front().format;
  if (asked.alternatives.empty()) return input;
  const std::string& said = asked.of.operation.operands[asked.of.operands.size()].reading.values;
  const bool places = neutral::is_index(asked.alternatives.front().question.operation);
  if (!places && !is_of_truth(asked)) return input;
  return said.empty() && !places ? input : values::find_format(said);
}

std::vector<Question> state_questions(const PaddedAsked& asked) {
  std::vector<Question> out;
  for (const neutral::Alternative& each : asked.alternatives) {
    Question& question = out.emplace_back(each.question);
    if (asked.of.operation.what->divides) question.operation = Operation::Mean;
    // The first result of topk is its values.
    if (question.operation == Operation::TopKIndices && asked.of.operation.what->name == "topk" &&
        asked.of.operation.operands[asked.of.operands.size()].role == "values")
      question.operation = Operation::TopK;
  }
  return out;
}

std::vector<RowAsked> rows_asked(const PaddedAsked& asked, std::span<const Landings> landings) {
  const use::Operation& operation = asked.of.operation;
  const auto reduced = reduced_dims(operation);
  const std::vector<Index> extents = whole_extents(asked.of);
  const bool per_position = neutral::has_result_per_position(asked.alternatives.front().question.operation);
  std::vector<Index> valid, whole = extents, row_valid, row_whole;
  for (const use::OperationDim& dim : operation.dims) valid.push_back(dim.extent);
  for (const std::size_t d : reduced) {
    row_valid.push_back(valid[d]), row_whole.push_back(extents[d]);
    if (!per_position) whole[d] = valid[d];
  }
  // Dimensions of the row as ones of the operation.
  const auto in_all = [&](std::size_t part) {
    use::Region out = 0;
    for (std::size_t j = 0; j < reduced.size(); ++j)
      if ((part >> j & 1) != 0) out |= use::Region{1} << reduced[j];
    return out;
  };
  const std::size_t all = (std::size_t{1} << reduced.size()) - 1;
  const auto inside = use::regions_of(row_valid, row_whole);
  std::vector<RowAsked> out;
  for (const use::Region region : use::regions_of(valid, whole)) {
    const auto covers = [&](const PaddingStates::Said& said) { return (said.dims & ~region) == 0; };
    if (std::ranges::none_of(asked.result.said, covers)) continue;
    RowAsked& each = out.emplace_back();
    each.region = region, each.claimed = asked.result.of(region, *format_of_result(asked));
    each.row.extents = row_valid, each.row.whole = row_whole, each.row.parts.resize(all + 1);
    for (std::size_t j = 0; j < reduced.size(); ++j) each.at |= std::size_t{(region >> reduced[j] & 1) != 0} << j;
    const use::Region outer = region & ~in_all(all);
    each.row.parts[0] = sets_at(asked, landings, outer);
    for (const use::Region dims : inside) {
      const auto part = static_cast<std::size_t>(dims);  // at most `all`
      each.row.parts[part] = sets_at(asked, landings, outer | in_all(part));
    }
  }
  return out;
}

Verdict reduced_padding(const PaddedAsked& asked, std::span<const Landings> landings, Inquiry& inquiry) {
  if (auto why = not_covered(asked); !why.empty()) return unsupported(std::move(why));
  // Where two indices have one slot, codes that differ would not be a filling.
  const bool shared =
      std::ranges::any_of(landings, [](const Landings& one) { return !one.regions.empty() && !one.apart; });
  const auto rows = rows_asked(asked, landings);
  for (const RowAsked& each : rows)
    if (auto verdict = judged(asked, each, shared, inquiry)) return std::move(*verdict);
  std::vector<use::Region> reached;
  reached.reserve(rows.size());
  for (const RowAsked& each : rows) reached.push_back(each.region);
  if (const auto none = unreached(asked, reached); !none.empty())
    return inquiry.vacuous("no index of the iteration lies in the region " + none);
  Verdict out = inquiry.proved();
  std::get<Proved>(out).note = fmt::format("arithmetic {}{}", neutral::in_words(asked.alternatives.front()),
                                           facts_of(asked.alternatives.front().question));
  return out;
}

}  // namespace vl::claims
