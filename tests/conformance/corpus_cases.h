// The cases of the corpus with their files, and the families and references that know a text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "encodings/use/reference.h"
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
