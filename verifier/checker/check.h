// The checker: is this certificate a proof of its statement? It shares no code with the engines, nor with the IR that
// they work on, and asks no solver. What it takes for granted: that the statement's map is what the layout's text says
// (the command reads the text again and compares), and that the claim's obligations below are the claim.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// The digest of the book of lemmas (lemmas/book.h) that is built in: what a proof that a fill is neutral names.
[[nodiscard]] const char* lemma_book();

/// Nothing when the evidence shows the statement, else why not. Never throws.
[[nodiscard]] std::optional<std::string> check(Statement statement, Evidence evidence) noexcept;
/// Nothing when the certificate is accepted, else why not: its schema and its digest are looked at, too. Never throws.
[[nodiscard]] std::optional<std::string> check(Certificate certificate) noexcept;
[[nodiscard]] std::optional<std::string> check(const nlohmann::json& certificate) noexcept;

}  // namespace vl::checker
