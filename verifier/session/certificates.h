// Certificates of answers: made, checked, and written to a folder on request.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "verifier/claims/proofs/certify.h"
#include "verifier/session/binding.h"

namespace vl::session {

/// The texts of a claim as certificates state them. `derived`: what operations in the claim's own texts gave
/// (Bound::derived).
[[nodiscard]] claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request,
                                     const TensorReading& subject,
                                     const std::vector<checker::DerivedText>& derived = {});

/// Adds a claim's own texts: its arguments with the files that they name, the direction of its nests, its operation;
/// and the family, where it is not that of the layout's text. A file that cannot be read has no digest, so no statement
/// with it is certified.
void add_texts_of_claim(const ClaimRequest& claim, const CaseRequest& request, claims::Texts& out);

/// The name of a claim's files: "spyre-default.0-bijective". `number`: which of the case's claims it is.
[[nodiscard]] std::string stem_of(const CaseRequest& request, std::size_t number, const claims::Claim& claim);
/// The same of a case by its id.
[[nodiscard]] std::string stem_of(std::string_view id, std::size_t number, std::string_view claim);

/// What making a certificate took, why it could not be written, and what the proof rests on, if that was asked.
struct Certified {
  std::chrono::nanoseconds time{0};
  std::optional<Diagnostic> unwritten = {};
  std::optional<question::RestsOn> rests_on = {};
};

/// What an accepted proof rests on. Its families are those that recognise a text of the statement, so none is left out.
[[nodiscard]] question::RestsOn rests_on(const checker::Statement& statement, const checker::Evidence& evidence);

/// The texts of a case, read a second time when its first certificate is made.
class ReadAgain {
 public:
  explicit ReadAgain(const CaseRequest& request) : request_(request) {}
  /// Null when they cannot be read.
  [[nodiscard]] const TensorReading* subject();

 private:
  const CaseRequest& request_;
  std::optional<std::variant<TensorReading, Diagnostic>> read_;
};

/// Makes a certificate for a verdict and has it checked; an accepted proof becomes Checked. It takes as
/// much work as the engines that decided are worth (claims::Effort), and `budget` ends it. The texts are read again,
/// and their statement has to be the certificate's. Writes the certificate as STEM.json if there is a folder.
[[nodiscard]] Certified certify(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                                const Bound& bound, question::Verdict& verdict, const CertificateOptions& options,
                                const std::string& stem, const Budget& budget, ReadAgain& again);

/// Writes STEM.json, or STEM.cbor, into the folder, which is made; a refutation's into its subfolder refuted/. The file
/// is whole or absent.
[[nodiscard]] std::optional<Diagnostic> write_certificate(const checker::Certificate& made,
                                                          const CertificateOptions& options, const std::string& stem);

}  // namespace vl::session
