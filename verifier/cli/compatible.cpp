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

// 'f16[1024,512] SpyreTensorLayout(…)'.
std::variant<session::OperandRequest, Diagnostic> operand_of(const std::string& option, const std::string& text,
                                                             bool result) {
  const auto document = std::make_shared<const Document>(text);
  const std::size_t close = text.find(']');
  if (close == std::string::npos)
    return locate(option, text,
                  {ErrorCode::Syntax, "expected 'TENSOR LAYOUT', as in 'f16[4,6] SpyreTensorLayout(…)'", 0});
  const std::string blank(close + 1, ' ');
  const std::string rest = blank + text.substr(close + 1);
  Cursor options(rest);
  session::OperandRequest out;
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

int run_compatible(const CompatibleArguments& arguments) {
  session::OperationRequest operation;
  operation.name = session::SourceText::option("OPERATION", arguments.operation);
  if (arguments.dims) operation.dims = session::SourceText::option("--dims", *arguments.dims);
  if (arguments.reduced) {
    auto reduced = integers_of("--reduce", *arguments.reduced);
    if (auto* diagnostic = std::get_if<Diagnostic>(&reduced)) return bad_input(*diagnostic);
    operation.reduced = std::move(std::get<std::vector<Index>>(reduced));
  }
  std::vector<session::OperandRequest> results;
  for (const auto& [option, texts, result] :
       {std::tuple{"--operand", &arguments.operands, false}, std::tuple{"--result", &arguments.results, true}})
    for (const std::string& text : *texts) {
      auto operand = operand_of(option, text, result);
      if (auto* diagnostic = std::get_if<Diagnostic>(&operand)) return bad_input(*diagnostic);
      (result ? results : operation.operands).push_back(std::move(std::get<session::OperandRequest>(operand)));
    }
  const std::size_t count = operation.operands.size() + results.size();
  if (!arguments.scales.empty() && arguments.scales.size() != count) {
    fmt::print(stderr, "verify-layout: {} --scales for {} operands; expected one for each, in their order\n",
               arguments.scales.size(), count);
    return kUsage;
  }
  for (std::size_t i = 0; i < arguments.scales.size(); ++i) {
    auto scales = integers_of("--scales", arguments.scales[i]);
    if (auto* diagnostic = std::get_if<Diagnostic>(&scales)) return bad_input(*diagnostic);
    const bool input = i < operation.operands.size();
    (input ? operation.operands[i] : results[i - operation.operands.size()]).scales =
        std::move(std::get<std::vector<Index>>(scales));
  }
  session::CaseRequest request = results.front().of;
  request.family = arguments.family;
  operation.scales = results.front().scales;
  operation.operands.insert(operation.operands.end(), results.begin() + 1, results.end());
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
  return report_one(request, arguments.format);
}

}  // namespace vl::cli
