// Cases about all sizes, for tests and benchmarks.
#pragma once

#include "verifier/session/cases.h"

namespace vl::test {

struct RuleTexts {
  const char* tensor;
  const char* layout;
  const char* where;  // "": none
  const char* strides = "";
  const char* offset = "";
  const char* view_offset = "";
};

/// A request without claims.
[[nodiscard]] inline session::CaseRequest request_for(const RuleTexts& texts) {
  session::CaseRequest out;
  out.layout = session::SourceText::option("the layout", texts.layout);
  out.tensor = session::SourceText::option("the tensor", texts.tensor);
  if (*texts.where != 0) out.where = session::SourceText::option("where", texts.where);
  if (*texts.strides != 0) out.named_strides = session::SourceText::option("strides", texts.strides);
  if (*texts.offset != 0) out.named_offset = session::SourceText::option("offset", texts.offset);
  if (*texts.view_offset != 0) out.named_view_offset = session::SourceText::option("view offset", texts.view_offset);
  session::number_offsets(out);
  return out;
}

}  // namespace vl::test
