// The checker: is this certificate a proof of its statement? It shares no code with the engines, nor with the IR that
// they work on, and asks no solver. What it takes for granted: that the statement's map is what the layout's text says
// (the command reads the text again and compares), and that the claim's obligations below are the claim.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace vl::checker {

/// "sha256:" and the digest of the statement's canonical text (keys sorted, no white space).
[[nodiscard]] std::string digest(const nlohmann::json& statement);

/// Nothing when the certificate is accepted, else why not. Never throws.
///   {"schema": "verify-layout-certificate/1", "statement": {…}, "digest": "sha256:…", "evidence": {…}}
[[nodiscard]] std::optional<std::string> check(const nlohmann::json& certificate) noexcept;

}  // namespace vl::checker
