#include "verifier/cli/neutral_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/printable.h"
#include "encodings/base/words.h"
#include "encodings/values/state.h"
#include "verifier/neutral/row_laws.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;
using neutral::Question;
using values::CodeSet;

// The words behind an answer that is only trusted.
std::string trust(const NeutralCost& cost, const std::string& engine) {
  return cost.checked ? std::string() : fmt::format(" (trusted: {})", engine);
}

const values::Format& result_format(const Question& question) {
  static const values::Format truth{"truth", values::Kind::Unsigned, 8};
  const bool logical = question.operation == neutral::Operation::Any || question.operation == neutral::Operation::All;
  return logical ? truth : question.accumulate;
}

// A result: a code, or the place of an element in the padded row.
Json result_to_json(const Question& question, values::Code result) {
  if (neutral::is_index(question.operation)) return result;
  return values::in_digits(result_format(question), result);
}
std::string result_in_words(const Question& question, values::Code result) {
  if (neutral::is_index(question.operation)) return fmt::format("place {}", result);
  return values::in_words(result_format(question), result);
}

// What a row depends on besides its elements.
std::string row_words_of(const NeutralArguments& arguments, const Question& question) {
  using enum neutral::Operation;
  switch (question.operation) {
    case CumSum:
    case CumSumReverse:
      return fmt::format(", start {}, order {}, pads {}", arguments.start, arguments.order, arguments.pads);
    case Softmax:
    case LogSumExp:
      return fmt::format(", start {}, order {}, blocks {}", arguments.start, arguments.order, arguments.blocks);
    case Pointwise:
    case Broadcast: return "";
    default: return fmt::format(", start {}, order {}", arguments.start, arguments.order);
  }
}

// Terms in JSON: a code each, or of dot a pair.
Json terms_to_json(const Question& question, const std::vector<neutral::Term>& terms) {
  Json out = Json::array();
  for (const neutral::Term& term : terms) {
    const std::string a = values::in_digits(question.type, term.a), b = values::in_digits(question.type, term.b);
    out.push_back(question.operation == neutral::Operation::Dot ? Json{a, b} : Json(a));
  }
  return out;
}

std::string evaluation_in_words(const Question& question, const neutral::Refuted& refuted) {
  const std::string words = neutral::in_words(question, refuted.evaluation.shape);
  return neutral::has_several_results(question) ? fmt::format("{}[{}]", words, refuted.at) : words;
}

Json counterexample_to_json(const Question& question, const neutral::Refuted& refuted) {
  return {{"contents", terms_to_json(question, refuted.evaluation.valid)},
          {"fill", terms_to_json(question, refuted.evaluation.pads)},
          {"got", result_to_json(question, refuted.got)},
          {"want", result_to_json(question, refuted.want)},
          {"evaluation", evaluation_in_words(question, refuted)}};
}

std::string counterexample_to_text(const Question& question, const neutral::Refuted& refuted) {
  std::string out = fmt::format("{} is {}; without its pads it is {}\n", evaluation_in_words(question, refuted),
                                result_in_words(question, refuted.got), result_in_words(question, refuted.want));
  const auto list = [&](char name, const std::vector<neutral::Term>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      out += fmt::format("      {}{} = {}", name, i, values::in_words(question.type, terms[i].a));
      if (question.operation == neutral::Operation::Dot)
        out += fmt::format(" times {}", values::in_words(question.type, terms[i].b));
      out += "\n";
    }
  };
  list('c', refuted.evaluation.valid);
  list('p', refuted.evaluation.pads);
  return out;
}

Json ranges_to_json(const values::Format& format, const CodeSet& set) {
  Json out = Json::array();
  for (const values::CodeRange& range : set.ranges())
    out.push_back({values::in_digits(format, range.first), values::in_digits(format, range.last)});
  return out;
}

std::string ranges_to_text(const values::Format& format, const CodeSet& set) {
  std::vector<std::string> out;
  constexpr std::size_t kMostRanges = 8;
  for (const values::CodeRange& range : set.ranges()) {
    if (out.size() == kMostRanges) {
      out.push_back(fmt::format("… ({} ranges)", set.ranges().size()));
      break;
    }
    const std::string first = values::in_words(format, range.first);
    out.push_back(range.first == range.last ? first
                                            : fmt::format("{} .. {}", first, values::in_words(format, range.last)));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

void add_question(Json& out, const NeutralArguments& arguments, const Question& question) {
  out["operation"] = arguments.operation;
  out["type"] = arguments.type;
  if (arguments.arithmetic) {
    out["arithmetic"] = *arguments.arithmetic;
  } else {
    out["accumulate"] = question.accumulate.name;
    out["start"] = arguments.start;
    out["order"] = arguments.order;
    out["max"] = arguments.max;
    out["fused"] = arguments.fused;
  }
  out["contents"] = arguments.contents;
  out["equal"] = arguments.equal;
  if (question.operation < neutral::Operation::Mean) return;  // records of reductions stay as they were
  out["divide"] = arguments.divide;
  out["ties"] = arguments.ties;
  out["pads"] = arguments.pads;
  out["blocks"] = arguments.blocks;
  out["k"] = arguments.k;
}

// The facts on which an answer stands; nothing in a record of an operation that needs none.
void add_assumptions(Json& out, const Question& question) {
  const auto facts = neutral::assumptions(question);
  if (!facts.empty()) out["assumes"] = facts;
}
std::string assumptions_to_text(const Question& question) {
  std::string out;
  for (const std::string& fact : neutral::assumptions(question)) out += fmt::format("      assumes: {}\n", fact);
  return out;
}

// The fields of a verdict record that have a value here; no layout and no case file has a part in it.

}  // namespace

std::string headline_of(const NeutralArguments& arguments, const Question& question) {
  std::string out = fmt::format("{} of {}", arguments.operation, question.type.name);
  const std::string last = fmt::format(", equal {}, contents {}\n", arguments.equal, printable(arguments.contents));
  if (arguments.arithmetic) return out + fmt::format(", arithmetic {}", printable(*arguments.arithmetic)) + last;
  if (!(question.type == question.accumulate)) out += fmt::format(" in {}", question.accumulate.name);
  if (neutral::is_additive(question.operation)) out += fmt::format(", start {}", arguments.start);
  if (question.operation == neutral::Operation::Max || question.operation == neutral::Operation::Min)
    out += fmt::format(", {}", arguments.max);
  if (neutral::is_ordering(question.operation))
    out += fmt::format(", {}, ties {}, pads {}", arguments.max, arguments.ties, arguments.pads);
  else if (!neutral::is_row(question.operation)) out += fmt::format(", order {}", arguments.order);
  else out += row_words_of(arguments, question);
  if (question.fused) out += ", fused";
  if (question.divide == neutral::Divide::Padded || question.operation == neutral::Operation::Mean)
    out += fmt::format(", divided by {}", arguments.divide);
  return out + last;
}

Json verdict_to_json(const NeutralArguments& arguments, const NeutralAsked& asked, const neutral::Answers& answers,
                     const NeutralCost& cost) {
  const neutral::Verdict& verdict = answers.verdict;
  const neutral::Alternative& one = asked.all[answers.at];
  const auto* proved = std::get_if<neutral::Proved>(&verdict);
  const auto* refuted = std::get_if<neutral::Refuted>(&verdict);
  const auto* unknown = std::get_if<neutral::Unknown>(&verdict);
  Json out{{"kind", "verdict"}, {"case", nullptr},   {"file", nullptr},   {"line", nullptr},
           {"layout", nullptr}, {"tensor", nullptr}, {"claim", "neutral"}};
  add_question(out["asked"], arguments, one.question);
  out["asked"]["fill"] = arguments.fills;
  out["verdict"] = proved != nullptr ? "proved" : refuted != nullptr ? "refuted" : "unknown";
  out["value"] = nullptr;
  const Json engine = proved != nullptr    ? Json(proved->engine)
                      : refuted != nullptr ? Json("evaluation")
                                           : Json(nullptr);
  out["engine"] = engine;
  out["scope"] = "all-sizes";
  out["certificate"] = unknown != nullptr ? "none" : cost.checked ? "checked" : "trusted";
  if (unknown == nullptr && !cost.checked) out["trusted"] = engine;
  out["counterexample"] = refuted != nullptr ? counterexample_to_json(one.question, *refuted) : Json(nullptr);
  if (refuted != nullptr && arguments.arithmetic) out["counterexample"]["arithmetic"] = neutral::in_words(one);
  out["minimal"] = refuted != nullptr ? Json(refuted->minimal) : Json(nullptr);
  out["reason"] = unknown != nullptr ? Json("incomplete") : Json(nullptr);
  out["expected"] = nullptr;
  out["as_expected"] = nullptr;
  out["warnings"] = Json::array();
  if (proved != nullptr) out["note"] = proved->reason;
  if (unknown != nullptr) out["note"] = unknown->reason;
  if (unknown == nullptr) add_assumptions(out, one.question);
  if (arguments.arithmetic) out["alternatives"] = asked.all.size();
  if (!answers.decides.empty()) out["decides"] = answers.decides;
  if (!arguments.times) return out;
  out["micros"] = cost.micros;
  out["certificate_micros"] = cost.checked ? Json(cost.certificate_micros) : Json(nullptr);
  return out;
}

std::string verdict_to_text(const NeutralArguments& arguments, const NeutralAsked& asked,
                            const neutral::Answers& answers, const NeutralCost& cost) {
  const neutral::Verdict& verdict = answers.verdict;
  const neutral::Alternative& one = asked.all[answers.at];
  const auto line = [](const char* word, const std::string& remark) {
    return fmt::format("  {:<11} {:<15} {}", word, "neutral", remark);
  };
  if (const auto* proved = std::get_if<neutral::Proved>(&verdict))
    return line("proved", fmt::format("{}{}\n", proved->reason, trust(cost, proved->engine))) +
           assumptions_to_text(one.question);
  if (const auto* refuted = std::get_if<neutral::Refuted>(&verdict))
    return line("refuted", counterexample_to_text(one.question, *refuted)) +
           (arguments.arithmetic ? fmt::format("      under {}\n", neutral::in_words(one)) : "") +
           (refuted->minimal ? "" : "      not known to be the smallest\n") +
           (cost.checked ? "" : "      trusted: evaluation\n") + assumptions_to_text(one.question);
  return line("unknown", std::get<neutral::Unknown>(verdict).reason + "\n");
}

Json fills_to_json(const NeutralArguments& arguments, const Question& question, const neutral::Largest& found,
                   const NeutralCost& cost) {
  Json out{{"kind", "fills"}};
  add_question(out, arguments, question);
  out["count"] = found.codes.count();
  out["ranges"] = ranges_to_json(question.type, found.codes);
  out["unknown"] = ranges_to_json(question.type, found.open);
  out["outside"] = Json::array();
  for (const neutral::Outside& outside : found.outside)
    out["outside"].push_back(counterexample_to_json(question, outside.refuted));
  out["engine"] = found.engine;
  out["certificate"] = cost.checked ? "checked" : "trusted";
  if (!cost.checked) out["trusted"] = found.engine;
  out["note"] = found.reason;
  add_assumptions(out, question);
  if (arguments.times) out["micros"] = cost.micros;
  return out;
}

std::string fills_to_text(const Question& question, const neutral::Largest& found, const NeutralCost& cost) {
  const std::string codes = found.codes.empty() ? "none" : ranges_to_text(question.type, found.codes);
  std::string out = fmt::format("  {:<11} {:<15} {}: {}{}\n", found.codes.count(), "neutral", codes, found.reason,
                                trust(cost, found.engine));
  if (!found.open.empty()) out += fmt::format("      not known: {}\n", ranges_to_text(question.type, found.open));
  for (const neutral::Outside& outside : found.outside)
    out += fmt::format("    not {}: {}", values::in_words(question.type, outside.fill),
                       counterexample_to_text(question, outside.refuted));
  return out + assumptions_to_text(question);
}

}  // namespace vl::cli
