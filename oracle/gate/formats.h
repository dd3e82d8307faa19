// Formats: a report for machines that show findings, one entry a signature and never one a case.
#pragma once

#include "oracle/gate/report.h"

namespace vl::gate {

/// JUnit XML: a test case per operation (unsupported: skipped; nothing judged or a minimum missed: failure), and one
/// per signature (known: passes, with its issue as output; else failure) and per entry of the expectations that is red.
[[nodiscard]] std::string to_junit(const Report& report);
/// SARIF 2.1.0: a result per signature and per red entry, at the line of the expectations, with the signature as its
/// fingerprint; a known one is suppressed with its issue as the reason.
[[nodiscard]] std::string to_sarif(const Report& report);
/// For a pull request: what changed, the table of operations.
[[nodiscard]] std::string to_markdown(const Report& report);
/// GitHub's workflow commands, one line per red reason.
[[nodiscard]] std::string to_annotations(const Report& report);

}  // namespace vl::gate
