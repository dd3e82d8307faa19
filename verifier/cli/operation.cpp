// Operations from texts: for the claim `compatible` in case files, and for the command of that name.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "verifier/base/cursor.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/judge.h"

namespace vl::cli {
namespace {

// "M=1024, K=512".
std::variant<std::vector<map::OperationDim>, Diagnostic> dims_of(const SourceText& text) {
  Cursor in(text.text);
  std::vector<map::OperationDim> dims;
  if (!in.at_end()) {
    do {
      const std::string name(in.identifier("a dimension such as M=1024"));
      in.expect("=");
      const std::size_t at = in.offset();
      dims.push_back({name, in.integer("an extent")});
      if (dims.back().extent < 0) in.fail(ErrorCode::Value, "expected an extent that is not negative", at);
    } while (in.accept(","));
  }
  in.expect_end();
  if (in.failed()) return text.diagnose(in.error());
  return dims;
}

// The operand as a case of its own, so that it is read like one.
CaseRequest case_of(const OperandRequest& operand, const std::string& family) {
  CaseRequest request;
  request.layout = operand.layout;
  request.tensor = operand.tensor;
  request.strides = operand.strides;
  request.strides_text = operand.strides_text;
  request.offset = operand.offset;
  request.view_offset = operand.view_offset;
  request.family = family;
  return request;
}

map::Operand operand_of(const CaseRequest& request, const Subject& subject, const std::vector<Index>& scales,
                        bool result) {
  return {{}, result, request.layout.text, subject.tensor, subject.reading, scales};
}

// Takes `strides=[…]`, `offset=n`, `view_offset=n` between the tensor and the layout.
void take_options(Cursor& in, OperandRequest& out) {
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
std::variant<OperandRequest, Diagnostic> operand_of(const std::string& option, const std::string& text, bool result) {
  const auto document = std::make_shared<const std::string>(text);
  const std::size_t close = text.find(']');
  if (close == std::string::npos)
    return locate(option, text,
                  {ErrorCode::Syntax, "expected 'TENSOR LAYOUT', as in 'f16[4,6] SpyreTensorLayout(…)'", 0});
  const std::string blank(close + 1, ' ');
  const std::string rest = blank + text.substr(close + 1);
  Cursor options(rest);
  OperandRequest out;
  out.result = result;
  take_options(options, out);
  options.skip_space();
  if (options.failed()) return locate(option, text, options.error());
  const std::size_t start = options.offset();
  out.tensor = {text.substr(0, close + 1), option, document, 0, true};
  out.layout = {text.substr(start), option, document, start, true};
  if (out.strides) out.strides_text = SourceText{{}, option, document, close + 1, false};
  return out;
}

}  // namespace

std::variant<map::Operation, Diagnostic> read_operation(const OperationRequest& request, const CaseRequest& of,
                                                        const Subject& subject) {
  const map::OperationName* what = map::find_operation(request.name.text);
  if (what == nullptr) {
    std::string known;
    for (const map::OperationName& name : map::operation_names()) known += fmt::format(" {}", name.name);
    return request.name.diagnose({ErrorCode::Value, fmt::format("'{}' is not an operation; expected one of{}",
                                                                request.name.text, known), 0});
  }
  const map::Family* family = family_of(of.layout.text, of.family);
  map::OperationHints hints;
  hints.reduced = request.reduced;
  if (request.dims) {
    auto dims = dims_of(*request.dims);
    if (auto* diagnostic = std::get_if<Diagnostic>(&dims)) return std::move(*diagnostic);
    hints.dims = std::move(std::get<std::vector<map::OperationDim>>(dims));
  }
  std::vector<map::Operand> operands{operand_of(of, subject, request.scales, true)};
  for (const OperandRequest& operand : request.operands) {
    const CaseRequest as_case = case_of(operand, of.family);
    auto read = read_subject(as_case);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    if (family_of(operand.layout.text, of.family) != family)
      return operand.layout.diagnose({ErrorCode::Value, "the operands are of different families", 0});
    operands.push_back(operand_of(as_case, std::get<Subject>(read), operand.scales, operand.result));
  }
  auto operation = map::create_operation(*what, request.rules, *family, std::move(operands), hints);
  if (!operation) return request.name.diagnose(operation.error());
  return std::move(*operation);
}

int run_compatible(const CompatibleArguments& arguments) {
  OperationRequest operation;
  operation.name = SourceText::option("OPERATION", arguments.operation);
  if (arguments.dims) operation.dims = SourceText::option("--dims", *arguments.dims);
  if (arguments.reduced) {
    auto reduced = integers_of("--reduce", *arguments.reduced);
    if (auto* diagnostic = std::get_if<Diagnostic>(&reduced)) return bad_input(*diagnostic);
    operation.reduced = std::move(std::get<std::vector<Index>>(reduced));
  }
  std::vector<OperandRequest> results;
  for (const auto& [option, texts, result] : {std::tuple{"--operand", &arguments.operands, false},
                                              std::tuple{"--result", &arguments.results, true}})
    for (const std::string& text : *texts) {
      auto operand = operand_of(option, text, result);
      if (auto* diagnostic = std::get_if<Diagnostic>(&operand)) return bad_input(*diagnostic);
      (result ? results : operation.operands).push_back(std::move(std::get<OperandRequest>(operand)));
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
  CaseRequest request = case_of(results.front(), arguments.family);
  operation.scales = results.front().scales;
  operation.operands.insert(operation.operands.end(), results.begin() + 1, results.end());
  for (const map::RuleSet rules : {map::RuleSet::Documents, map::RuleSet::Upstream}) {
    const bool both = arguments.rule == "both";
    if (!both && arguments.rule != map::name(rules)) continue;
    operation.rules = rules;
    operation.describe = !both || rules == map::RuleSet::Upstream;  // once is enough
    operation.plan = arguments.plan && operation.describe;
    ClaimRequest& claim = request.claims.emplace_back();
    claim.claim = claims::find_claim("compatible");
    claim.operation = operation;
  }
  return report_one(request, arguments.format);
}

}  // namespace vl::cli
