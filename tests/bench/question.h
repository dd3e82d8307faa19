// Question: one claim about one layout, read and ready to be decided, so that a decision is measured without the reading.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "verifier/cli/comparison.h"

namespace vl::bench {

class Question {
 public:
  /// What the claim of a case needs is read from its texts; or what is wrong with them.
  static std::variant<Question, Diagnostic> of(const cli::CaseRequest& request, cli::ClaimRequest claim,
                                               std::shared_ptr<const cli::Subject> subject);

  [[nodiscard]] std::string_view claim() const { return claim_->claim->name; }
  /// Whether there is something to decide: not where a text says more than its map.
  [[nodiscard]] bool decidable() const { return cli::unsupported(*subject_, *comparison_).empty(); }
  [[nodiscard]] claims::Answer decide(const engines::Options& options = {}) const {
    return claims::decide(*claim_->claim, cli::about(*claim_, *subject_, *comparison_), options);
  }

 private:
  std::shared_ptr<const cli::ClaimRequest> claim_;
  std::shared_ptr<const cli::Subject> subject_;
  std::shared_ptr<const cli::Comparison> comparison_;
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
[[nodiscard]] std::shared_ptr<const cli::Subject> subject_of(const std::string& layout, const std::string& tensor);
[[nodiscard]] Question ask(const Texts& texts);

/// "proved", "refuted", …
[[nodiscard]] std::string_view word(const claims::Answer& answer);

}  // namespace vl::bench
