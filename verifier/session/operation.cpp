// Operations from texts: the subjects of the claim `compatible`.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "verifier/session/judge.h"

namespace vl::session {
namespace {

// "M=1024, K=512".
std::variant<std::vector<use::OperationDim>, Diagnostic> dims_of(const SourceText& text) {
  Cursor in(text.text);
  std::vector<use::OperationDim> dims;
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

use::Operand operand_of(const CaseRequest& request, const Subject& subject, const std::vector<Index>& scales,
                        bool result) {
  return {{}, result, request.layout.text, subject.tensor, subject.reading, scales};
}

}  // namespace

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

std::variant<use::Operation, Diagnostic> read_operation(const OperationRequest& request, const CaseRequest& of,
                                                        const Subject& subject) {
  const use::OperationName* what = use::find_operation(request.name.text);
  if (what == nullptr) {
    std::string known;
    for (const use::OperationName& name : use::operation_names()) known += fmt::format(" {}", name.name);
    return request.name.diagnose(
        {ErrorCode::Value, fmt::format("'{}' is not an operation; expected one of{}", request.name.text, known), 0});
  }
  const use::Family* family = family_of(of.layout.text, of.family);
  use::OperationHints hints;
  hints.reduced = request.reduced;
  if (request.dims) {
    auto dims = dims_of(*request.dims);
    if (auto* diagnostic = std::get_if<Diagnostic>(&dims)) return std::move(*diagnostic);
    hints.dims = std::move(std::get<std::vector<use::OperationDim>>(dims));
  }
  std::vector<use::Operand> operands{operand_of(of, subject, request.scales, true)};
  for (const OperandRequest& operand : request.operands) {
    const CaseRequest as_case = case_of(operand, of.family);
    auto read = read_subject(as_case);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    if (family_of(operand.layout.text, of.family) != family)
      return operand.layout.diagnose({ErrorCode::Value, "the operands are of different families", 0});
    operands.push_back(operand_of(as_case, std::get<Subject>(read), operand.scales, operand.result));
  }
  auto operation = use::create_operation(*what, request.rules, *family, std::move(operands), hints);
  if (!operation) return request.name.diagnose(operation.error());
  return std::move(*operation);
}

}  // namespace vl::session
