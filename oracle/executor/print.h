// Plans in words, for people: what moves, in which loops, with which kernel, and why that is the layout.
#pragma once

#include <optional>
#include <string>

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// The plan of a relation as text, of several lines: memories, steps by group with their loops (bytes), then the
/// certificate, each rewrite with what it asks for, and the checker's verdict: accepted where there is no objection.
[[nodiscard]] std::string print(const Plan& plan, Index unit, const std::optional<std::string>& objection);

/// One rewrite in words: "cut v2 at 128 (0 < 128 < its extent)".
[[nodiscard]] std::string print(const Rewrite& rewrite);

}  // namespace vl::oracle
