// neutral: whether a fill changes a reduction of values, or which fills do not. Layouts have no part in it.
#include "verifier/neutral/alternatives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/base/words.h"
#include "encodings/values/state.h"
#include "verifier/cli/neutral_answer.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/row_laws.h"
#include "verifier/session/arithmetic.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;
using neutral::Question;
using values::CodeSet;

auto timed(double& micros, const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  auto out = work();
  micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return out;
}

// The options that are words. The contents are read after them.
Question question_of(const NeutralArguments& arguments) {
  using values::MaxRule;
  Question out;
  out.operation = *neutral::find_operation(arguments.operation);
  out.type = *values::find_format(arguments.type);
  out.accumulate = arguments.accumulate.empty() ? out.type : *values::find_format(arguments.accumulate);
  out.start = arguments.start == "+0" ? neutral::Start::Zero : neutral::Start::First;
  out.tree = arguments.order == "seq" ? neutral::Tree::Sequential : neutral::Tree::Any;
  out.max = arguments.max == "x86" ? MaxRule::X86 : arguments.max == "nan-loses" ? MaxRule::NanLoses : MaxRule::NanWins;
  out.fused = arguments.fused;
  out.equal = arguments.equal == "bits"      ? neutral::Equality::Bits
              : arguments.equal == "any-nan" ? neutral::Equality::AnyNan
                                             : neutral::Equality::AnyNanAndZero;
  out.divide = arguments.divide == "P" ? neutral::Divide::Padded : neutral::Divide::Logical;
  out.ties = arguments.ties == "first"  ? neutral::Ties::First
             : arguments.ties == "last" ? neutral::Ties::Last
                                        : neutral::Ties::Unspecified;
  out.pads = arguments.pads == "after" ? neutral::Pads::After : neutral::Pads::Anywhere;
  out.blocks = arguments.blocks == "whole"       ? neutral::Blocks::Whole
               : arguments.blocks == "valid"     ? neutral::Blocks::Valid
               : arguments.blocks == "unguarded" ? neutral::Blocks::Unguarded
                                                 : neutral::Blocks::Guarded;
  out.k = arguments.k;
  return out;
}

std::variant<NeutralAsked, Diagnostic, Misuse> asked_of(const NeutralArguments& arguments) {
  Question question = question_of(arguments);
  const auto contents = values::parse_state(arguments.contents, question.type, nullptr);
  if (!contents) return locate("--contents", arguments.contents, contents.error());
  question.contents = *contents;
  NeutralAsked out;
  for (const std::string& text : arguments.fills) {
    const auto fill = values::parse_state(text, question.type, &*contents);
    if (!fill) return locate("--fill", text, fill.error());
    out.fills.push_back(*fill);
  }
  if (auto message = neutral::misfit(question); !message.empty()) return Misuse{std::move(message)};
  if (!arguments.arithmetic) {
    out.all.push_back({{}, question});
    return out;
  }
  const auto profile = session::read_arithmetic(session::SourceText::option("--arithmetic", *arguments.arithmetic));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&profile)) return *diagnostic;
  out.all = neutral::alternatives(question, std::get<values::Profile>(profile));
  if (!out.all.empty()) return out;
  return Misuse{fmt::format("no accumulator of the arithmetic has every number of {}", question.type.name)};
}

void print(const NeutralArguments& arguments, const Question& question, const std::string& text, const Json& json) {
  const bool words = arguments.format == Format::Text;
  const std::string out = words ? headline_of(arguments, question) + text
                                : json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
}

int answer_about_fill(const NeutralArguments& arguments, const NeutralAsked& asked) {
  const CodeSet* second = asked.fills.size() > 1 ? &asked.fills[1] : nullptr;
  NeutralCost cost;
  const auto answers = timed(cost.micros, [&] { return neutral::decide(asked.all, asked.fills[0], second); });
  cost.checked = timed(cost.certificate_micros,
                       [&] { return neutral::certify(asked.all, asked.fills[0], second, answers).has_value(); });
  print(arguments, asked.all[0].question, verdict_to_text(arguments, asked, answers, cost),
        verdict_to_json(arguments, asked, answers, cost));
  if (std::holds_alternative<neutral::Refuted>(answers.verdict)) return kRefuted;
  return std::holds_alternative<neutral::Proved>(answers.verdict) ? 0 : kUndecided;
}

int answer_with_fills(const NeutralArguments& arguments, const NeutralAsked& asked) {
  const Question& question = asked.all[0].question;
  NeutralCost cost;
  const auto answer = timed(cost.micros, [&] { return neutral::largest(asked.all); });
  if (const auto* unknown = std::get_if<neutral::Unknown>(&answer)) {
    print(arguments, question, fmt::format("  {:<11} {:<15} {}\n", "unsupported", "neutral", unknown->reason),
          Json{{"unsupported", unknown->reason}});
    return kUndecided;
  }
  const auto& found = std::get<neutral::LargestOfAll>(answer);
  cost.checked = timed(cost.certificate_micros, [&] {
    std::size_t at = 0;
    return std::ranges::all_of(found.each, [&](const neutral::Largest& one) {
      return one.codes == found.largest.codes && neutral::certify(asked.all[at++].question, one).has_value();
    });
  });
  print(arguments, question, fills_to_text(question, found.largest, cost),
        fills_to_json(arguments, question, found.largest, cost));
  return found.largest.open.empty() ? 0 : kUndecided;
}

}  // namespace

namespace {

// An option of a question about values alone that its operation makes no use of; the others are misfit()'s.
std::optional<Misuse> unused_option(const NeutralArguments& arguments) {
  const CompatibleArguments& layouts = arguments.layouts;
  for (const auto& [option, given] :
       {std::pair("--scales", !layouts.scales.empty()), std::pair("--dims", layouts.dims.has_value()),
        std::pair("--reduce", layouts.reduced.has_value()), std::pair("--family", !layouts.family.empty())})
    if (given) return Misuse{fmt::format("{} is unused: it goes with operands and their layouts", option)};
  const auto operation = *neutral::find_operation(arguments.operation);
  const NeutralArguments none;
  const bool compares = operation == neutral::Operation::Max || operation == neutral::Operation::Min;
  if (arguments.max != none.max && !compares && !neutral::is_ordering(operation))
    return Misuse{fmt::format("--max is unused: {} compares nothing", arguments.operation)};
  if (arguments.order != none.order && neutral::is_ordering(operation))
    return Misuse{fmt::format("--order is unused: the result of {} does not depend on it", arguments.operation)};
  return std::nullopt;
}

}  // namespace

std::variant<int, Misuse> run_neutral(const NeutralArguments& arguments) {
  if (!arguments.program.empty()) {
    if (!arguments.operation.empty() || !arguments.type.empty())
      return Misuse{"--program says everything that is asked: no operation and no --type beside it"};
    return run_neutral_program(arguments);
  }
  if (arguments.place) return Misuse{"--place is for --program"};
  if (!arguments.certificates.empty())
    return Misuse{"--certificates is for --program; `check` writes those of the claim neutral"};
  if (arguments.operation.empty()) return Misuse{"operation is required"};
  if (!arguments.layouts.operands.empty() || !arguments.layouts.results.empty()) return run_neutral_layouts(arguments);
  if (arguments.type.empty()) return Misuse{"it needs --type, or operands with layouts: --operand and --result"};
  if (!neutral::find_operation(arguments.operation))
    return Misuse{fmt::format("{} is an operation on operands with layouts: it needs --operand and --result",
                              arguments.operation)};
  if (auto unused = unused_option(arguments)) return std::move(*unused);
  const bool pairs = arguments.operation == "dot";
  if (pairs && arguments.fills.size() == 1) return Misuse{"the pads of dot are pairs: it needs --fill twice"};
  if (arguments.fills.size() > (pairs ? 2U : 1U))
    return Misuse{
        fmt::format("{} takes {}; states are joined by |", arguments.operation, pairs ? "--fill twice" : "one --fill")};
  const auto read = asked_of(arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  if (const auto* misuse = std::get_if<Misuse>(&read)) return *misuse;
  const auto& asked = std::get<NeutralAsked>(read);
  return asked.fills.empty() ? answer_with_fills(arguments, asked) : answer_about_fill(arguments, asked);
}

}  // namespace vl::cli
