// Pairs of functions: a comment `// vl: equal @f @g` asks whether both put out the same (equal.h).
#pragma once

#include <string>
#include <vector>

#include "verifier/programs/text.h"
#include "verifier/session/judge.h"

namespace vl::programs {

struct Pair {
  const mlir::Function *f = nullptr, *g = nullptr;  // of the text; null: the module has none, or two of the name
  std::size_t offset = 0;                           // of the comment
  std::string words;                                // "equal @f @g"
};

/// The pairs of which comments say so, each of functions of the comment's own module.
[[nodiscard]] std::vector<Pair> pairs_of(const Text& text);

/// The claim `equal` of a pair, as a case: "f.mlir:4 equal @f @g". `stem`: with which names of certificates begin;
/// empty: with the file and its line.
[[nodiscard]] question::Case judge_pair(const Text& text, const Pair& pair, const session::JudgeOptions& options,
                                        const std::string& stem = {});

}  // namespace vl::programs
