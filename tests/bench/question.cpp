#include "tests/bench/question.h"

#include <fmt/format.h>

#include "encodings/use/synthesis.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/session/claim_text.h"

namespace vl::bench {
namespace {

template <class T>
T good(std::variant<T, Diagnostic> read) {
  const auto* wrong = std::get_if<Diagnostic>(&read);
  VL_CHECK(wrong == nullptr, to_string(*wrong));
  return std::move(std::get<T>(read));
}

session::CaseRequest request_of(const std::string& layout, const std::string& tensor) {
  session::CaseRequest request;
  request.layout = session::SourceText::option("layout", layout);
  request.tensor = session::SourceText::option("tensor", tensor);
  return request;
}

}  // namespace

std::variant<Question, Diagnostic> Question::of(const session::CaseRequest& request, session::ClaimRequest claim,
                                                std::shared_ptr<const session::TensorReading> subject) {
  Question out;
  out.claim_ = std::make_shared<const session::ClaimRequest>(std::move(claim));
  auto bound = session::bind(*out.claim_, request, *subject, {});
  if (auto* wrong = std::get_if<Diagnostic>(&bound)) return std::move(*wrong);
  out.subject_ = std::move(subject);
  out.bound_ = std::make_shared<const session::Bound>(std::move(std::get<session::Bound>(bound)));
  return out;
}

bool Question::decidable() const { return bound_->about.has_value(); }

std::optional<checker::Statement> Question::statement_of(const question::Verdict& verdict) const {
  return claims::statement_of(*claim_->claim, about(), verdict, {});
}

std::shared_ptr<const session::TensorReading> subject_of(const std::string& layout, const std::string& tensor) {
  return std::make_shared<const session::TensorReading>(good(session::read_tensor(request_of(layout, tensor))));
}

Question ask(const Texts& texts) {
  auto subject = subject_of(texts.layout, texts.tensor);
  session::ClaimSetting setting{.nests = texts.nests};
  if (!texts.access.empty()) setting.access = texts.access;
  auto claim = session::claim_of(texts.claim, setting);
  VL_CHECK(std::holds_alternative<session::ClaimRequest>(claim), texts.claim);
  auto& asked = std::get<session::ClaimRequest>(claim);
  if (texts.nests) {
    auto transfer = use::synthesise(*subject->reading.layout(), use::Direction::HostToDevice);
    VL_CHECK(transfer.has_value(), texts.layout);
    asked.nests = std::make_shared<const use::Transfer>(std::move(*transfer));
  }
  return good(Question::of(request_of(texts.layout, texts.tensor), std::move(asked), std::move(subject)));
}

std::string_view word(const claims::Judged& answer) { return question::word(answer.verdict); }

}  // namespace vl::bench
