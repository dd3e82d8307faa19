// Single answers, judged.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "oracle/gate/judge.h"
#include "tests/support/process.h"

namespace vl::gate::test_gate {

inline Case made(const std::string& rest, const std::string& family = "tirx") {
  const auto parsed = parse_json("{\"family\":\"" + family + "\"," + rest + "}");
  EXPECT_TRUE(parsed.has_value()) << rest;
  auto out = case_of(*parsed);
  EXPECT_TRUE(out.has_value()) << rest << ": " << out.error().message;
  return *out;
}

inline Reply ok(const std::string& value) { return {ReplyKind::Ok, *parse_json(value), {}, 0}; }

inline Judgement said(const std::string& request, const Reply& reply, Standing standing = Standing::Unstated,
                      std::string_view convention = "", const std::string& family = "tirx") {
  session::JudgeOptions options;
  options.engines = session::engine_options();
  options.engines.budget.worker = test::program("verify-layout");
  return Judge(options).judge(made(request, family), reply, standing, convention);
}

}  // namespace vl::gate::test_gate
