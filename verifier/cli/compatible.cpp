// compatible: can an operation compute with these operands?
#include <fmt/format.h>

#include <cstdio>
#include <tuple>

#include "encodings/base/cursor.h"
#include "verifier/cli/commands.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

// Takes `strides=[…]`, `offset=n`, `view_offset=n` between the tensor and the layout.
void take_options(Cursor& in, session::CaseRequest& out) {
  for (;;) {
    if (in.accept("strides")) {
      in.expect("=");
      out.strides = in.integer_list("strides");
      continue;
    }
    Index* number = in.accept("view_offset") ? &out.view_offset : in.accept("offset") ? &out.offset : nullptr;
    if (number == nullptr) return;
    in.expect("=");
    const std::size_t at = in.offset();
    *number = in.integer("an offset");
    if (*number < 0) in.fail(ErrorCode::Value, "expected an offset that is not negative", at);
  }
}

// Takes `padding=…`, `contents=…` and `padded=…` off the end of an operand's text; each goes up to the next one.
void take_padding(const std::string& option, std::string& text, session::OperandRequest& out) {
  const auto document = std::make_shared<const Document>(text);
  constexpr std::string_view kWords[] = {" padding=", " contents=", " padded="};
  for (;;) {
    std::size_t last = std::string::npos;
    std::string_view word;
    for (const std::string_view each : kWords)
      if (const std::size_t at = text.rfind(each); at != std::string::npos && (last == std::string::npos || at > last))
        last = at, word = each;
    if (word.empty()) return;
    auto& field = word == kWords[0] ? out.padding : word == kWords[1] ? out.contents : out.padded;
    const std::size_t start = last + word.size();
    field = session::SourceText{text.substr(start), option, document, start, true};
    text.resize(last);
  }
}

// 'f16[1024,512] SpyreTensorLayout(…)'.
std::variant<session::OperandRequest, Diagnostic> operand_of(const std::string& option, const std::string& whole,
                                                             bool result, bool with_padding) {
  session::OperandRequest out;
  std::string text = whole;
  if (with_padding) take_padding(option, text, out);
  const auto document = std::make_shared<const Document>(text);
  const std::size_t close = text.find(']');
  if (close == std::string::npos)
    return locate(option, text,
                  {ErrorCode::Syntax, "expected 'TENSOR LAYOUT', as in 'f16[4,6] SpyreTensorLayout(…)'", 0});
  const std::string blank(close + 1, ' ');
  const std::string rest = blank + text.substr(close + 1);
  Cursor options(rest);
  out.result = result;
  take_options(options, out.of);
  options.skip_space();
  if (options.failed()) return locate(option, text, options.error());
  const std::size_t start = options.offset();
  out.of.tensor = {text.substr(0, close + 1), option, document, 0, true};
  out.of.layout = {text.substr(start), option, document, start, true};
  if (out.of.strides) out.of.strides_text = session::SourceText{{}, option, document, close + 1, false};
  return out;
}

}  // namespace

std::variant<OperationCase, Diagnostic, Misuse> operation_of(const CompatibleArguments& arguments, bool with_padding) {
  OperationCase out;
  session::OperationRequest& operation = out.operation;
  operation.name = session::SourceText::option("OPERATION", arguments.operation);
  if (arguments.dims) operation.dims = session::SourceText::option("--dims", *arguments.dims);
  if (arguments.reduced) {
    auto reduced = integers_of("--reduce", *arguments.reduced);
    if (auto* diagnostic = std::get_if<Diagnostic>(&reduced)) return std::move(*diagnostic);
    operation.reduced = std::move(std::get<std::vector<Index>>(reduced));
  }
  std::vector<session::OperandRequest> results;
  for (const auto& [option, texts, result] :
       {std::tuple{"--operand", &arguments.operands, false}, std::tuple{"--result", &arguments.results, true}})
    for (const std::string& text : *texts) {
      auto operand = operand_of(option, text, result, with_padding && !result);
      if (auto* diagnostic = std::get_if<Diagnostic>(&operand)) return std::move(*diagnostic);
      (result ? results : operation.operands).push_back(std::move(std::get<session::OperandRequest>(operand)));
    }
  if (results.empty() || operation.operands.empty()) return Misuse{"it needs --operand and --result"};
  const std::size_t count = operation.operands.size() + results.size();
  if (!arguments.scales.empty() && arguments.scales.size() != count)
    return Misuse{fmt::format("{} --scales for {} operands; expected one for each, in their order",
                              arguments.scales.size(), count)};
  for (std::size_t i = 0; i < arguments.scales.size(); ++i) {
    auto scales = integers_of("--scales", arguments.scales[i]);
    if (auto* diagnostic = std::get_if<Diagnostic>(&scales)) return std::move(*diagnostic);
    const bool input = i < operation.operands.size();
    (input ? operation.operands[i] : results[i - operation.operands.size()]).scales =
        std::move(std::get<std::vector<Index>>(scales));
  }
  out.request = results.front().of;
  out.request.family = arguments.family;
  operation.scales = results.front().scales;
  operation.operands.insert(operation.operands.end(), results.begin() + 1, results.end());
  return out;
}

namespace {

// "B's k dimension must be padded to full sticks as well, and the padded entries … set to … zero" (Torch-Spyre, Tensor
// Layouts, Per-operation stick and padding constraints). Of x's lanes beyond K it says nothing: they are finite here.
session::ClaimRequest padded_as_documented(session::OperationRequest operation) {
  std::size_t input = 0;
  for (session::OperandRequest& operand : operation.operands)
    if (!operand.result) operand.padding = session::SourceText::option("the documents", input++ == 0 ? "finite" : "0");
  session::ClaimRequest out;
  out.claim = claims::find_claim("neutral");
  out.operation = std::move(operation);
  out.arguments.push_back({"arithmetic", session::SourceText::option("the documents", "accumulate=f32 start=+0")});
  return out;
}

}  // namespace

int run_compatible(const CompatibleArguments& arguments) {
  auto read = operation_of(arguments, false);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  if (const auto* misuse = std::get_if<Misuse>(&read)) {
    fmt::print(stderr, "verify-layout: {}\n", misuse->message);
    return kUsage;
  }
  auto& [request, operation] = std::get<OperationCase>(read);
  for (const use::RuleSet rules : {use::RuleSet::Documents, use::RuleSet::Upstream}) {
    const bool both = arguments.rule == "both";
    if (!both && arguments.rule != use::name(rules)) continue;
    operation.rules = rules;
    operation.describe = !both || rules == use::RuleSet::Upstream;  // only once
    operation.plan = arguments.plan && operation.describe;
    session::ClaimRequest& claim = request.claims.emplace_back();
    claim.claim = claims::find_claim("compatible");
    claim.operation = operation;
  }
  if (arguments.rule == "documents" && (arguments.operation == "matmul" || arguments.operation == "bmm"))
    request.claims.push_back(padded_as_documented(operation));
  return report_one(std::move(request), arguments.format, arguments.times);
}

std::variant<int, Misuse> run_neutral_layouts(const NeutralArguments& arguments) {
  if (!arguments.type.empty() || !arguments.fills.empty())
    return Misuse{"--type and --fill are for a question about values alone; operands say what their padding holds"};
  if (arguments.pads != "anywhere" || arguments.blocks != "whole" || arguments.k != 1)
    return Misuse{"--pads, --blocks and --k are for a question about values alone: layouts say where pads are"};
  CompatibleArguments layouts = arguments.layouts;
  layouts.operation = arguments.operation;
  auto read = operation_of(layouts, true);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  if (auto* misuse = std::get_if<Misuse>(&read)) return std::move(*misuse);
  auto& [request, operation] = std::get<OperationCase>(read);
  bool taken = false;
  for (session::OperandRequest& operand : operation.operands)
    if (!operand.result && !operand.contents)
      operand.contents = session::SourceText::option("--contents", arguments.contents), taken = true;
  if (!taken && arguments.contents != NeutralArguments{}.contents)
    return Misuse{"--contents is unused: every operand says its own"};
  session::ClaimRequest& claim = request.claims.emplace_back();
  claim.claim = claims::find_claim("neutral");
  claim.operation = std::move(operation);
  claim.arguments.push_back({"equal", session::SourceText::option("--equal", arguments.equal)});
  const std::string arithmetic = arguments.arithmetic.value_or(
      fmt::format("accumulate={} start={} order={} max={} fused={} ties={}",
                  arguments.accumulate.empty() ? "element" : arguments.accumulate, arguments.start, arguments.order,
                  arguments.max, arguments.fused, arguments.ties));
  claim.arguments.push_back({"arithmetic", session::SourceText::option("--arithmetic", arithmetic)});
  claim.arguments.push_back({"divide", session::SourceText::option("--divide", arguments.divide)});
  return report_one(std::move(request), arguments.format, arguments.times);
}

}  // namespace vl::cli
