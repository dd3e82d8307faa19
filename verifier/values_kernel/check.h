// The values kernel: is this certificate a proof of what it says of values? Of relations it asks their checker, which
// knows nothing of this one. What it takes for granted: that floats are as values.h says, and functions as functions.h
// does; and that the claim's obligations are the claim.
#pragma once

#include <utility>

#include "verifier/checker/check.h"

namespace vl::values_kernel {

/// The digest of the book of lemmas (lemmas/book.h) that is built in: what a proof that a fill is neutral names.
[[nodiscard]] const char* lemma_book();

/// Shows a claim of any kind.
void show_claim(checker::Statement& statement, checker::Evidence& evidence);

/// As checker::check, of a claim of any kind.
[[nodiscard]] inline std::optional<std::string> check(checker::Statement statement,
                                                      checker::Evidence evidence) noexcept {
  return checker::check(std::move(statement), std::move(evidence), show_claim);
}
[[nodiscard]] inline std::optional<std::string> check(checker::Certificate certificate) noexcept {
  return checker::check(std::move(certificate), show_claim);
}
[[nodiscard]] inline std::optional<std::string> check(const nlohmann::json& certificate) noexcept {
  return checker::check(certificate, show_claim);
}

}  // namespace vl::values_kernel
