// The corpus, claim by claim: the subject of each claim of a case, read as by the program, for tests that ask the claim
// again under other conditions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "verifier/session/cases.h"
#include "verifier/session/certificates.h"
#include "verifier/session/judge.h"

namespace vl::test {

/// One case that is read, with its subject.
struct CorpusCase {
  std::string file;
  session::CaseRequest request;
};

inline const std::vector<CorpusCase>& corpus() {
  static const std::vector<CorpusCase> all = [] {
    std::vector<CorpusCase> out;
    for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus")) {
      session::CaseFile read = session::read_cases(file);
      for (const session::BadCase& bad : read.errors) ADD_FAILURE() << to_string(bad.diagnostic);
      for (session::CaseRequest& request : read.cases)
        if (!request.expect_invalid && request.has_layout()) out.push_back({file, std::move(request)});
    }
    return out;
  }();
  return all;
}

/// The claims of a case: those that it lists, or its family's defaults.
inline std::vector<session::ClaimRequest> claims_of(const session::CaseRequest& request) {
  if (!request.claims.empty()) return request.claims;
  std::vector<session::ClaimRequest> out;
  for (const std::string_view name : session::family_of(request.layout.text, request.family)->default_claims)
    out.emplace_back().claim = claims::find_claim(name);
  return out;
}

/// A claim of a case; what its subject points at lives in it and in the case's subject.
struct CorpusClaim {
  const session::CaseRequest& request;
  const session::ClaimRequest& asked;
  const session::TensorReading& subject;
  session::Bound bound;

  [[nodiscard]] const claims::Claim& claim() const { return *asked.claim; }
  [[nodiscard]] const claims::Subject& about() const { return *bound.about; }
};

/// A case with its subject and its claims: all of which the family says something, their layouts read and supported.
struct ReadCase {
  std::unique_ptr<session::TensorReading> subject;
  std::unique_ptr<std::vector<session::ClaimRequest>> asked;
  std::vector<CorpusClaim> claims;
};

inline ReadCase read_case(const session::CaseRequest& request) {
  ReadCase out;
  auto read = session::read_tensor(request);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) {
    ADD_FAILURE() << to_string(*diagnostic);
    return out;
  }
  out.subject = std::make_unique<session::TensorReading>(std::move(std::get<session::TensorReading>(read)));
  if (out.subject->reading.undecidable() != nullptr || request.all_sizes) return out;  // texts with names, for one
  out.asked = std::make_unique<std::vector<session::ClaimRequest>>(claims_of(request));
  for (const session::ClaimRequest& claim : *out.asked) {
    if (claims::is_about_one_descriptor(*claim.claim)) continue;  // beside the layout, which has no part in it
    auto bound = session::bind(claim, request, *out.subject, {});
    if (const auto* diagnostic = std::get_if<Diagnostic>(&bound)) {
      ADD_FAILURE() << to_string(*diagnostic);
      continue;
    }
    auto& made = std::get<session::Bound>(bound);
    if (made.about) out.claims.push_back({request, claim, *out.subject, std::move(made)});
  }
  return out;
}

}  // namespace vl::test
