// The checker of relations: is this certificate a proof of its statement? It shares no code with the engines, nor with
// the IR that they work on, and asks no solver. What it takes for granted: that the statement's map is what the
// layout's text says (the command reads the text again and compares), and that the claim's obligations below are the
// claim.
//
// Claims about values (what padding holds, what is neutral) are another kernel's, values_kernel/check.h, which asks
// this one about layouts (operands.h); nothing here includes it.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// Whether the statement says what values are: then show_relation rejects it.
[[nodiscard]] bool is_about_values(const Statement& statement);

/// What shows a claim: it takes the fields that it looked at, and throws where they show nothing.
using Show = void (*)(Statement& statement, Evidence& evidence);
void show_relation(Statement& statement, Evidence& evidence);

/// Nothing when the evidence shows the statement, else why not. Never throws.
[[nodiscard]] std::optional<std::string> check(Statement statement, Evidence evidence,
                                               Show show = show_relation) noexcept;
/// Nothing when the certificate is accepted, else why not: its schema and its digest are looked at, too. Never throws.
[[nodiscard]] std::optional<std::string> check(Certificate certificate, Show show = show_relation) noexcept;
[[nodiscard]] std::optional<std::string> check(const nlohmann::json& certificate, Show show = show_relation) noexcept;

}  // namespace vl::checker
