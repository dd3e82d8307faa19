// From texts to layouts (reading.h), with the proof of what a text derives.
#include <fmt/format.h>

#include "verifier/session/judge.h"

namespace vl::session {
namespace {

// The first derivation of the text that is not proved; empty if all are.
std::string unproved(const use::Reading& reading, const engines::Options& options) {
  const claims::Claim& same = *claims::find_claim("equal");
  for (const use::Derivation& derivation : reading.derived) {
    const claims::Judged answer = claims::decide(same, claims::Pair{derivation.result, derivation.expected}, options);
    if (std::holds_alternative<question::Proved>(answer.verdict)) continue;
    const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
    const auto* unknown = std::get_if<question::Unknown>(&answer.verdict);
    return fmt::format("the result of {} is not proved, so it is not used: {}", derivation.operation,
                       refuted != nullptr ? refuted->counterexample.explanation : unknown->detail);
  }
  return {};
}

}  // namespace

std::variant<use::Reading, Diagnostic> read_layout(const SourceText& text, std::string_view forced,
                                                   const map::Tensor& tensor, const engines::Options& options) {
  auto reading = read_unproved(text, forced, tensor);
  if (const auto* error = std::get_if<TextError>(&reading)) return error->diagnose();
  if (const std::string why = unproved(std::get<use::Reading>(reading), options); !why.empty())
    return text.diagnose({ErrorCode::Value, why, 0});
  return std::get<use::Reading>(std::move(reading));
}

std::variant<use::Reading, Diagnostic> read_stated_layout(const SourceText& text, std::string_view forced,
                                                          const map::Tensor& tensor) {
  auto reading = read_unproved(text, forced, tensor);
  if (const auto* error = std::get_if<TextError>(&reading)) return error->diagnose();
  return std::get<use::Reading>(std::move(reading));
}

std::variant<TensorReading, Diagnostic> read_tensor(const CaseRequest& request, const engines::Options& options) {
  auto read = read_unproved(request);
  if (const auto* error = std::get_if<TextError>(&read)) return error->diagnose();
  const auto why = request.is_stated ? std::string() : unproved(std::get<TensorReading>(read).reading, options);
  if (!why.empty()) return request.layout.diagnose({ErrorCode::Value, why, 0});
  return std::get<TensorReading>(std::move(read));
}

}  // namespace vl::session
