// The cases of the corpus with their files, and the families and references that know a text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "encodings/use/reference.h"
#include "tests/support/sanitized.h"
#include "tests/support/shard.h"
#include "verifier/session/cases.h"
#include "verifier/session/judge.h"

namespace vl::conformance_corpus_test {

using session::CaseRequest;

const std::string kCorpus = VL_SOURCE_DIR "/corpus";

struct Named {
  std::string file;
  CaseRequest request;
};

inline const std::vector<Named>& corpus() {
  static const std::vector<Named> all = [] {
    std::vector<Named> out;
    for (const std::string& file : session::case_files(kCorpus)) {
      session::CaseFile read = session::read_cases(file);
      for (const session::BadCase& bad : read.errors) ADD_FAILURE() << to_string(bad.diagnostic);
      for (CaseRequest& request : read.cases) out.push_back({file, std::move(request)});
    }
    return out;
  }();
  return all;
}

/// Where nothing is sanitized every case is asked; under the sanitizers, which take forty times as long, one case of
/// sixteen.
constexpr test::Shard kShare{0, test::kSanitized ? 16 : 1};
constexpr bool kWhole = kShare.count == 1;

/// The cases that are asked here: by a digest of their ids, so that a new case leaves the others where they were.
inline const std::vector<Named>& asked() {
  static const std::vector<Named> share = [] {
    std::vector<Named> out;
    for (const Named& named : corpus()) {
      std::size_t digest = 14695981039346656037U;  // FNV-1a
      for (const char c : named.request.id.value_or(named.request.layout.text))
        digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
      if (kShare.has(digest)) out.push_back(named);
    }
    return out;
  }();
  return share;
}

/// What a floor for the whole corpus is for the share: a quarter of its part, since no share is even.
constexpr std::int64_t part_of(std::int64_t floor) {
  return kWhole ? floor : floor / 4 / static_cast<std::int64_t>(kShare.count);
}

inline const use::Reference* reference_of(std::string_view family) {
  const auto known = use::references();
  const auto found = std::ranges::find(known, family, [](const use::Reference* r) { return r->family; });
  return found == known.end() ? nullptr : *found;
}

inline std::vector<const use::Family*> recognisers(std::string_view text) {
  std::vector<const use::Family*> out;
  for (const use::Family* family : use::families())
    if (family->recognises(text)) out.push_back(family);
  return out;
}

}  // namespace vl::conformance_corpus_test
