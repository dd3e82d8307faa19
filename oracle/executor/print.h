// Plans in words, for readers: the moves, their loops, their kernels, and the certificate that they are the layout.
#pragma once

#include <optional>
#include <string>

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// The plan of a relation as text, of several lines: memories, steps by group with their loops (bytes), then the
/// certificate, each rewrite with its condition, and the checker's verdict: accepted if there is no objection.
[[nodiscard]] std::string print(const Plan& plan, Index unit, const std::optional<std::string>& objection);

/// One rewrite in words: "cut v2 at 128 (0 < 128 < its extent)".
[[nodiscard]] std::string print(const Rewrite& rewrite);

}  // namespace vl::oracle
