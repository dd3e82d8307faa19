// The corpus, claim by claim: everything that a claim of a case is about, read as the program reads it, for tests that ask
// the claim again in other circumstances.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "verifier/cli/cases.h"
#include "verifier/cli/certificates.h"
#include "verifier/cli/judge.h"

namespace vl::test {

/// One case that is read, with its subject.
struct CorpusCase {
  std::string file;
  cli::CaseRequest request;
};

inline const std::vector<CorpusCase>& corpus() {
  static const std::vector<CorpusCase> all = [] {
    std::vector<CorpusCase> out;
    for (const std::string& file : cli::case_files(VL_SOURCE_DIR "/corpus")) {
      auto cases = cli::read_cases(file);
      if (const auto* diagnostic = std::get_if<Diagnostic>(&cases)) {
        ADD_FAILURE() << to_string(*diagnostic);
        continue;
      }
      for (cli::CaseRequest& request : std::get<std::vector<cli::CaseRequest>>(cases))
        if (!request.expect_invalid) out.push_back({file, std::move(request)});
    }
    return out;
  }();
  return all;
}

/// The claims of a case: those that it lists, or its family's defaults.
inline std::vector<cli::ClaimRequest> claims_of(const cli::CaseRequest& request) {
  if (!request.claims.empty()) return request.claims;
  std::vector<cli::ClaimRequest> out;
  for (const std::string_view name : cli::family_of(request.layout.text, request.family)->default_claims)
    out.emplace_back().claim = claims::find_claim(name);
  return out;
}

/// A claim of a case; what its subject points at lives in it and in the case's subject.
struct CorpusClaim {
  const cli::CaseRequest& request;
  const cli::ClaimRequest& asked;
  const cli::Subject& subject;
  cli::Comparison comparison;

  [[nodiscard]] const claims::Claim& claim() const { return *asked.claim; }
  [[nodiscard]] claims::Subject about() const { return cli::subject_of(asked, subject, comparison); }
};

/// A case with its subject and its claims: all of which the family says something, their layouts read and supported.
struct ReadCase {
  std::unique_ptr<cli::Subject> subject;
  std::unique_ptr<std::vector<cli::ClaimRequest>> asked;
  std::vector<CorpusClaim> claims;
};

inline ReadCase read_case(const cli::CaseRequest& request) {
  ReadCase out;
  auto read = cli::read_subject(request);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) {
    ADD_FAILURE() << to_string(*diagnostic);
    return out;
  }
  out.subject = std::make_unique<cli::Subject>(std::move(std::get<cli::Subject>(read)));
  out.asked = std::make_unique<std::vector<cli::ClaimRequest>>(claims_of(request));
  for (const cli::ClaimRequest& claim : *out.asked) {
    auto comparison = cli::comparison_of(claim, request, *out.subject, {});
    if (const auto* diagnostic = std::get_if<Diagnostic>(&comparison)) {
      ADD_FAILURE() << to_string(*diagnostic);
      continue;
    }
    auto& made = std::get<cli::Comparison>(comparison);
    const bool supported = out.subject->reading.unsupported.empty() && (!made.layout || made.layout->unsupported.empty());
    if (supported || made.operation) out.claims.push_back({request, claim, *out.subject, std::move(made)});
  }
  return out;
}

}  // namespace vl::test
