// Certificates of answers: made, checked, and written to a folder on request.
#pragma once

#include <optional>
#include <string>

#include "verifier/session/binding.h"

namespace vl::session {

/// Makes a certificate for a verdict and has it checked; an accepted proof becomes Checked. The texts are read again,
/// and their statement has to be the certificate's. Writes the certificate as STEM.json if there is a folder; returns a
/// path that could not be written.
[[nodiscard]] std::optional<std::string> certify(const ClaimRequest& claim, const CaseRequest& request,
                                                 const TensorReading& subject, const claims::Subject& about,
                                                 question::Verdict& verdict, const CertificateOptions& options,
                                                 const std::string& stem);

}  // namespace vl::session
