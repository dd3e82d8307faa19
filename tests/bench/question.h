// Question: one claim about one layout, already read, so that the decision is measured without the reading.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "verifier/session/certificates.h"

namespace vl::bench {

class Question {
 public:
  /// Reads the subject of a case's claim from its texts; or the error.
  static std::variant<Question, Diagnostic> of(const session::CaseRequest& request, session::ClaimRequest claim,
                                               std::shared_ptr<const session::Subject> subject);

  [[nodiscard]] std::string_view claim() const { return claim_->claim->name; }
  [[nodiscard]] const claims::Claim& asked() const { return *claim_->claim; }
  /// Whether there is something to decide: not where a text says more than its map.
  [[nodiscard]] bool decidable() const;
  [[nodiscard]] claims::Answer decide(const engines::Options& options = {}) const {
    return claims::decide(*claim_->claim, about(), options);
  }
  /// The statement of an answer's certificate; nothing if no certificate covers the claim.
  [[nodiscard]] std::optional<nlohmann::json> statement_of(const question::Verdict& verdict) const;
  /// The subject of the claim. Valid as long as this object.
  [[nodiscard]] claims::Subject about() const { return session::subject_of(*claim_, *subject_, *comparison_); }

 private:
  std::shared_ptr<const session::ClaimRequest> claim_;
  std::shared_ptr<const session::Subject> subject_;
  std::shared_ptr<const session::Comparison> comparison_;
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
[[nodiscard]] std::shared_ptr<const session::Subject> subject_of(const std::string& layout, const std::string& tensor);
[[nodiscard]] Question ask(const Texts& texts);

/// "proved", "refuted", …
[[nodiscard]] std::string_view word(const claims::Answer& answer);

}  // namespace vl::bench
