#include "verifier/neutral/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/values_kernel/check.h"

namespace vl::neutral {
namespace {

std::string hex(Code code) { return fmt::format("0x{:X}", code); }

checker::RowText rules_of(const Question& question) {
  constexpr std::array kTies = {"first", "last", "unspecified"};
  constexpr std::array kBlocks = {"whole", "valid", "unguarded", "guarded"};
  return {question.divide == Divide::Padded ? "P" : "N", kTies.at(static_cast<std::size_t>(question.ties)),
          question.pads == Pads::After ? "after" : "anywhere", kBlocks.at(static_cast<std::size_t>(question.blocks)),
          question.k};
}

}  // namespace

checker::ReductionText::Ranges ranges_of(const CodeSet& set) {
  checker::ReductionText::Ranges out;
  for (const CodeRange& range : set.ranges()) out.emplace_back(hex(range.first), hex(range.last));
  return out;
}

std::optional<checker::Certificate> accepted(checker::Certificate certificate) {
  certificate.digest = checker::digest(certificate.statement);
  if (!checker::is_writable(certificate) || values_kernel::check(certificate)) return std::nullopt;
  return certificate;
}

checker::ReductionText text_of(const Question& question, const CodeSet& a, const CodeSet* b) {
  checker::ReductionText out;
  out.operation = name(question.operation);
  out.type = question.type.name;
  out.accumulate = question.accumulate.name;
  out.start = question.start == Start::First ? "first" : question.start == Start::Zero ? "+0" : "-0";
  out.order = question.tree == Tree::Sequential ? "seq" : "any";
  out.max = word_of(question.max);
  out.equal = question.equal == Equality::Bits     ? "bits"
              : question.equal == Equality::AnyNan ? "any-nan"
                                                   : "any-nan+zero";
  out.fused = question.fused;
  using values::Rounding;
  if (question.mode.rounding != Rounding::NearestEven)
    out.rounding = question.mode.rounding == Rounding::NearestAway ? "nearest-away" : "toward-zero";
  if (flush_of(question) != values::Flush::None)
    out.flush = flush_of(question) == values::Flush::Both ? "both" : "results";
  if (question.mode.integers == values::Integers::Saturate) out.integers = "saturate";
  out.contents = ranges_of(question.contents);
  out.fill = ranges_of(a);
  if (b != nullptr) out.other = ranges_of(*b);
  if (question.operation < Operation::Mean) return out;
  out.row = rules_of(question);
  if (!is_ordering(question.operation)) out.max = "nan-wins";
  return out;
}

namespace {

checker::EvaluationText text_of(const Refuted& refuted) {
  checker::EvaluationText out{refuted.evaluation.shape, {}, {}, hex(refuted.got), hex(refuted.want)};
  for (const Term& term : refuted.evaluation.valid) out.valid.emplace_back(hex(term.a), hex(term.b));
  for (const Term& term : refuted.evaluation.pads) out.pads.emplace_back(hex(term.a), hex(term.b));
  return out;
}

checker::Certificate stated(const char* claim, const char* verdict, checker::ReductionText reduction) {
  checker::Certificate out;
  out.statement.claim = claim;
  out.statement.verdict = verdict;
  out.statement.reductions.emplace().push_back(std::move(reduction));
  if (out.statement.verdict == "proved") out.statement.book = values_kernel::lemma_book();
  return out;
}

}  // namespace

std::optional<checker::Certificate> certify(const Question& question, const CodeSet& a, const CodeSet* b,
                                            const Verdict& verdict) {
  if (std::holds_alternative<Unknown>(verdict)) return std::nullopt;
  const auto* refuted = std::get_if<Refuted>(&verdict);
  auto out = stated("neutral", refuted != nullptr ? "refuted" : "proved", text_of(question, a, b));
  if (refuted != nullptr) out.evidence.evaluation = text_of(*refuted);
  return accepted(std::move(out));
}

std::optional<std::vector<checker::Certificate>> certify(const std::vector<Alternative>& all, const CodeSet& a,
                                                         const CodeSet* b, const Answers& answers) {
  if (std::holds_alternative<Unknown>(answers.verdict)) return std::nullopt;
  if (std::holds_alternative<Proved>(answers.verdict)) {
    auto out = stated("neutral", "proved", text_of(all.front().question, a, b));
    for (std::size_t i = 1; i < all.size(); ++i) out.statement.reductions->push_back(text_of(all[i].question, a, b));
    auto checked = accepted(std::move(out));
    return checked ? std::optional(std::vector{*std::move(checked)}) : std::nullopt;
  }
  std::vector<checker::Certificate> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto checked = certify(all[i].question, a, b, answers.each[i]);
    if (!checked) return std::nullopt;
    out.push_back(*std::move(checked));
  }
  return out;
}

std::optional<checker::Certificate> certify(const Question& question, const Largest& found) {
  if (!found.open.empty() || question.type.bits > 16) return std::nullopt;
  auto out = stated("fills", "proved", text_of(question, found.codes, nullptr));
  std::vector<std::string> elements;
  for (const Code code : found.telling) elements.push_back(hex(code));
  out.evidence.elements = std::move(elements);
  return accepted(std::move(out));
}

checker::ImageText text_of(Function function, const values::Format& format, values::MaxRule rule,
                           std::span<const CodeSet> operands, const CodeSet& claimed) {
  checker::ImageText out{std::string(name(function)), std::string(format.name), word_of(rule), {}, ranges_of(claimed)};
  for (const CodeSet& set : operands) out.operands.push_back(ranges_of(set));
  return out;
}

std::optional<checker::Certificate> certify(const checker::ImageText& image, const TransferVerdict& verdict) {
  if (std::holds_alternative<TransferUnknown>(verdict)) return std::nullopt;
  const auto* refuted = std::get_if<TransferRefuted>(&verdict);
  checker::Certificate out;
  out.statement.claim = "transfer", out.statement.verdict = refuted != nullptr ? "refuted" : "proved";
  out.statement.images.emplace().push_back(image);
  if (refuted != nullptr) {
    out.evidence.elements.emplace();
    for (const Code code : refuted->operands) out.evidence.elements->push_back(hex(code));
  }
  return accepted(std::move(out));
}

checker::RowStateText text_of(const Question& question, const Format& result, const RowOfSets& row, std::size_t at,
                              const CodeSet& claimed) {
  checker::RowStateText out;
  out.about = text_of(question, CodeSet(), nullptr);
  out.about.contents.clear();
  out.result = result.name;
  out.extents = {row.extents.begin(), row.extents.end()};
  out.whole = {row.whole.begin(), row.whole.end()};
  for (const auto& part : row.parts) {
    auto& holds = out.holds.emplace_back();
    for (const CodeSet& set : part) holds.push_back(ranges_of(set));
  }
  out.at = static_cast<std::int64_t>(at);
  out.results = ranges_of(claimed);
  return out;
}

checker::StoringText storing_of(std::string type, const CodeSet& codes, bool wide) {
  checker::StoringText out{std::move(type), {}, {}};
  (wide ? out.values : out.codes) = ranges_of(codes);
  return out;
}

}  // namespace vl::neutral
