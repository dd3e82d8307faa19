// Question: one claim about one layout, already read, so that the decision is measured without the reading.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "verifier/checker/certificate.h"
#include "verifier/session/certificates.h"

namespace vl::bench {

class Question {
 public:
  /// Reads the subject of a case's claim from its texts; or the error.
  static std::variant<Question, Diagnostic> of(const session::CaseRequest& request, session::ClaimRequest claim,
                                               std::shared_ptr<const session::TensorReading> subject);

  [[nodiscard]] std::string_view claim() const { return claim_->claim->name; }
  [[nodiscard]] const claims::Claim& asked() const { return *claim_->claim; }
  /// Whether there is something to decide: not where a text says more than its map.
  [[nodiscard]] bool decidable() const;
  [[nodiscard]] claims::Judged decide(const engines::Options& options = {}) const {
    return claims::decide(*claim_->claim, about(), options);
  }
  /// What a certificate of an answer states; nothing where no certificate covers the claim.
  [[nodiscard]] std::optional<checker::Statement> statement_of(const question::Verdict& verdict) const;
  /// What the claim is about. Valid while this lives.
  [[nodiscard]] const claims::Subject& about() const { return *bound_->about; }

 private:
  std::shared_ptr<const session::ClaimRequest> claim_;
  std::shared_ptr<const session::TensorReading> subject_;
  std::shared_ptr<const session::Bound> bound_;
};

/// A question as one would type it. With `nests`, the claim is about the nests that synthesis gives.
struct Texts {
  std::string layout;
  std::string tensor;
  std::string claim;   // as after --claim: "injective", "equal=LAYOUT"
  std::string access;  // of claims about one, on sm_90
  bool nests = false;
};

/// Requires: texts that can be read.
[[nodiscard]] std::shared_ptr<const session::TensorReading> subject_of(const std::string& layout,
                                                                       const std::string& tensor);
[[nodiscard]] Question ask(const Texts& texts);

/// "proved", "refuted", …
[[nodiscard]] std::string_view word(const claims::Judged& answer);

}  // namespace vl::bench
