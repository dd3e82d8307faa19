// One function of a user's text, and what is asked of it (functions.h).
#pragma once

#include <string>
#include <string_view>

#include "verifier/programs/outputs.h"
#include "verifier/programs/text.h"
#include "verifier/question/record.h"
#include "verifier/session/judge.h"

namespace vl::programs {

/// Of a claim that is not asked, and why.
[[nodiscard]] question::Answer unsupported(std::string_view claim, std::string why);

/// The function as a case. `function`: null of a program that no function is. `id`: of the case; empty: "f.mlir:12 @f".
[[nodiscard]] question::Case judge_function(const Text& text, const mlir::Function* function, ReadProgram read,
                                            const session::JudgeOptions& options, std::string id = {});

}  // namespace vl::programs
