// From texts to layouts: the tensor, its family, and the proof of the text's derivations.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/judge.h"

namespace vl::session {
namespace {

// The first derivation of the text that is not proved; empty if all are.
std::string unproved(const use::Reading& reading, const engines::Options& options) {
  const claims::Claim& same = *claims::find_claim("equal");
  for (const use::Derivation& derivation : reading.derived) {
    const claims::Answer answer = claims::decide(same, claims::Pair{derivation.result, derivation.expected}, options);
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
  const use::Family* family = family_of(text.text, forced);
  if (family == nullptr) {
    std::string heads;  // the beginning of each family's notation
    for (const use::Family* f : use::families())
      heads += fmt::format("{}{}(…)", heads.empty() ? "" : " or ", f->forms.substr(0, f->forms.find('(')));
    return text.diagnose(
        {ErrorCode::Syntax,
         fmt::format("no family recognises this layout; expected {} as `verify-layout families` lists", heads), 0});
  }
  auto reading = family->read(text.text, tensor);
  if (!reading) return text.diagnose(reading.error());
  if (const std::string why = unproved(*reading, options); !why.empty())
    return text.diagnose({ErrorCode::Value, why, 0});
  return std::move(*reading);
}

std::variant<Subject, Diagnostic> read_subject(const CaseRequest& request, const engines::Options& options) {
  auto tensor = map::parse_tensor(request.tensor.text);
  if (!tensor) return request.tensor.diagnose(tensor.error());
  tensor->strides = request.strides;
  tensor->offset = request.offset;
  tensor->view_offset = request.view_offset;
  if (const auto strides = map::host_strides(*tensor); !strides)
    return (request.strides_text ? *request.strides_text : request.tensor).diagnose(strides.error());
  if (request.box) {
    auto box = map::parse_box(request.box->text);
    if (!box) return request.box->diagnose(box.error());
    tensor->box = std::move(*box);
  }
  auto reading = read_layout(request.layout, request.family, *tensor, options);
  if (auto* diagnostic = std::get_if<Diagnostic>(&reading)) return std::move(*diagnostic);
  const map::Layout* layout = std::get<use::Reading>(reading).layout();
  if (request.box && layout != nullptr && !layout->named_axes())
    return request.box->diagnose(
        {ErrorCode::Value, "this layout has no named axes whose extents could be declared", 0});
  return Subject{std::move(*tensor), std::move(std::get<use::Reading>(reading))};
}

}  // namespace vl::session
