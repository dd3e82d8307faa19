// Of the program's output: that nothing is claimed.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/compiled_once.h"

namespace vl::test {

/// No word of an answer may be printed where there is none. The summary line may say "0 proved".
inline void expect_no_proof(const std::string& out, const std::string& name) {
  EXPECT_FALSE(has_match(out, R"(^\s*proved|\n\s*proved|[1-9]\d* proved|"verdict")")) << name << "\n" << out;
}

}  // namespace vl::test
