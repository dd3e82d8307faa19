// --baseline FILE and --update-baseline: the baseline (verifier/report/baseline.h) of a run of check.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "verifier/cli/arguments.h"
#include "verifier/report/baseline.h"

namespace vl::cli {

/// The baseline that the options name, or an empty one where --update-baseline makes it. Nothing without --baseline.
/// The diagnostic, with its place: the file cannot be read, or is no baseline.
[[nodiscard]] std::variant<std::optional<report::Baseline>, Diagnostic> baseline_of(const CheckArguments& arguments);

/// Writes the file of --update-baseline, as a whole, and says on stderr what changed.
[[nodiscard]] std::optional<Diagnostic> write_baseline(const CheckArguments& arguments,
                                                       const report::Baseline& baseline);

}  // namespace vl::cli
