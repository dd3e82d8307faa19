// Operations from texts: the subjects of the claim `compatible`.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "encodings/base/words.h"
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

}  // namespace

std::variant<use::Operation, Diagnostic> read_operation(const OperationRequest& request, const CaseRequest& of,
                                                        const TensorReading& subject) {
  const use::OperationName* what = use::find_operation(request.name.text);
  if (what == nullptr) {
    std::vector<std::string_view> known;
    for (const use::OperationName& name : use::operation_names()) known.push_back(name.name);
    const std::string& name = request.name.text;
    return request.name.diagnose(
        {ErrorCode::Value, fmt::format("'{}' is not an operation; {}", name, one_of(name, known)), 0});
  }
  const use::Family* family = family_of(of.layout.text, of.family);
  use::OperationHints hints;
  hints.reduced = request.reduced;
  if (request.dims) {
    auto dims = dims_of(*request.dims);
    if (auto* diagnostic = std::get_if<Diagnostic>(&dims)) return std::move(*diagnostic);
    hints.dims = std::move(std::get<std::vector<use::OperationDim>>(dims));
  }
  std::vector<use::Operand> operands{{{}, true, of.layout.text, subject.tensor, subject.reading, request.scales}};
  for (const OperandRequest& operand : request.operands) {
    CaseRequest as_case = operand.of;
    as_case.family = of.family;
    auto read = read_tensor(as_case);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    if (family_of(as_case.layout.text, of.family) != family)
      return as_case.layout.diagnose({ErrorCode::Value, "the operands are of different families", 0});
    auto& [tensor, reading] = std::get<TensorReading>(read);
    operands.push_back(
        {{}, operand.result, as_case.layout.text, std::move(tensor), std::move(reading), operand.scales});
  }
  auto operation = use::create_operation(*what, request.rules, *family, std::move(operands), hints);
  if (!operation) return request.name.diagnose(operation.error());
  return std::move(*operation);
}

}  // namespace vl::session
