// Cases about all sizes, for tests and benchmarks.
#pragma once

#include "verifier/session/cases.h"

namespace vl::test {

struct RuleTexts {
  const char* tensor;
  const char* layout;
  const char* where;  // "": none
};

/// A request without claims.
[[nodiscard]] inline session::CaseRequest request_for(const RuleTexts& texts) {
  session::CaseRequest out;
  out.layout = session::SourceText::option("the layout", texts.layout);
  out.tensor = session::SourceText::option("the tensor", texts.tensor);
  if (*texts.where != 0) out.where = session::SourceText::option("where", texts.where);
  return out;
}

}  // namespace vl::test
