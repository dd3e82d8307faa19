// Certificates of answers: made, checked, and written where somebody wants them.
#pragma once

#include <optional>
#include <string>

#include "verifier/session/binding.h"

namespace vl::session {

/// Makes a certificate for a verdict and has it checked: a proof is Checked then. The texts are read again for that,
/// and what they say has to be what the certificate states. Writes it as STEM.json when there is a folder; returns the
/// path that could not be written.
[[nodiscard]] std::optional<std::string> certify(const ClaimRequest& claim, const CaseRequest& request,
                                                 const TensorReading& subject, const claims::Subject& about,
                                                 question::Verdict& verdict, const CertificateOptions& options,
                                                 const std::string& stem);

}  // namespace vl::session
