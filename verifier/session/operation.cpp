// Operations from texts: the subjects of the claims about operations.
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

// An operand, and its continuation where the user states how far its layout goes.
struct ReadOperand {
  use::Operand operand;
  std::optional<use::Continued> stated;
};

// Reads the layout for the padded tensor; the operand is the tensor in its corner.
std::variant<ReadOperand, Diagnostic> read_stated(const OperandRequest& operand, CaseRequest as_case) {
  const SourceText own = as_case.tensor;
  auto tensor = map::parse_tensor(own.text);
  if (!tensor) return own.diagnose(tensor.error());
  as_case.tensor = *operand.padded;
  auto read = read_tensor(as_case);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  auto& [padded, reading] = std::get<TensorReading>(read);
  std::optional<use::Continued> stated;
  if (reading.layout() != nullptr) {
    auto made = use::continued_to(*tensor, padded, reading);
    if (!made) return operand.padded->diagnose(made.error());
    reading.what = made->layout;
    stated = std::move(*made);
  }
  return ReadOperand{{{}, operand.result, as_case.layout.text, std::move(*tensor), std::move(reading), operand.scales},
                     std::move(stated)};
}

std::variant<ReadOperand, Diagnostic> read_operand(const OperandRequest& operand, const CaseRequest& of,
                                                   const use::Family* family) {
  CaseRequest as_case = operand.of;
  as_case.family = of.family, as_case.is_stated = of.is_stated;
  if (operand.padded) {
    auto stated = read_stated(operand, as_case);
    if (std::holds_alternative<Diagnostic>(stated) || family_of(as_case.layout.text, of.family) == family)
      return stated;
  } else {
    auto read = read_tensor(as_case);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    auto& [tensor, reading] = std::get<TensorReading>(read);
    if (family_of(as_case.layout.text, of.family) == family)
      return ReadOperand{
          {{}, operand.result, as_case.layout.text, std::move(tensor), std::move(reading), operand.scales},
          std::nullopt};
  }
  return as_case.layout.diagnose({ErrorCode::Value, "the operands are of different families", 0});
}

// An operation, and the stated continuations of its inputs.
struct ReadOperation {
  use::Operation operation;
  std::vector<std::optional<use::Continued>> stated;
};

std::variant<ReadOperation, Diagnostic> read_all(const OperationRequest& request, const CaseRequest& of,
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
  std::vector<std::optional<use::Continued>> stated;
  for (const OperandRequest& operand : request.operands) {
    auto read = read_operand(operand, of, family);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    auto& made = std::get<ReadOperand>(read);
    operands.push_back(std::move(made.operand));
    if (!operand.result) stated.push_back(std::move(made.stated));
  }
  auto operation = use::create_operation(*what, request.rules, *family, std::move(operands), hints);
  if (!operation) return request.name.diagnose(operation.error());
  return ReadOperation{std::move(*operation), std::move(stated)};
}

std::variant<use::Continued, std::string> beyond(const use::Operand& operand, const use::Family& family) {
  if (const auto* why = operand.reading.undecidable()) return why->reason;
  auto made = use::continued(family, operand.text, operand.tensor, operand.reading);
  if (!made) return fmt::format("{}: {}", operand.role, made.error().message);
  return std::move(*made);
}

}  // namespace

std::variant<use::Operation, Diagnostic> read_operation(const OperationRequest& request, const CaseRequest& of,
                                                        const TensorReading& subject) {
  auto read = read_all(request, of, subject);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  return std::move(std::get<ReadOperation>(read).operation);
}

std::variant<claims::PaddedOperation, Diagnostic> read_padded(const OperationRequest& request, const CaseRequest& of,
                                                              const TensorReading& subject) {
  auto read = read_all(request, of, subject);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  auto& [operation, stated] = std::get<ReadOperation>(read);
  claims::PaddedOperation out{std::move(operation), {}};
  for (const OperandRequest& asked : request.operands) {
    if (asked.result) continue;
    const std::size_t i = out.operands.size();
    const auto text = [](const std::optional<SourceText>& said) { return said ? said->text : std::string(); };
    out.operands.push_back({stated[i] ? std::variant<use::Continued, std::string>(std::move(*stated[i]))
                                      : beyond(out.operation.operands[i], *out.operation.family),
                            text(asked.padding), text(asked.contents),
                            [asked](std::string_view key, const Error& error) {
                              const auto& own = key == "contents" ? asked.contents : asked.padding;
                              return own.value_or(asked.of.layout).diagnose(error);
                            }});
  }
  return out;
}

}  // namespace vl::session
