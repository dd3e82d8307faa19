// One claim of one case, judged as in a case file.
#pragma once

#include <fmt/format.h>

#include "verifier/session/cases.h"
#include "verifier/session/judge.h"

namespace vl::test {

/// The answer to a claim, the text of whose [[case.claim]] is given. Requires: a text that is read.
inline question::Answer one_answer(const std::string& layout, const std::string& tensor, const std::string& claim) {
  auto file = session::parse_cases(
      "test.toml", fmt::format("schema = 1\n[[case]]\nid = \"a\"\nlayout = \"{}\"\ntensor = \"{}\"\n[[case.claim]]\n{}",
                               layout, tensor, claim));
  VL_CHECK(file.errors.empty() && file.cases.size() == 1,
           file.errors.empty() ? "" : to_string(file.errors[0].diagnostic));
  session::JudgeOptions options;
  options.engines = session::engine_options();
  question::Case judged = session::judge(file.cases.front(), options);
  VL_CHECK(!judged.diagnostic && judged.answers.size() == 1, judged.diagnostic ? to_string(*judged.diagnostic) : "");
  return std::move(judged.answers.front());
}

}  // namespace vl::test
