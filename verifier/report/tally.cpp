// What answers mean for the exit code: an answer with an expectation counts only when it differs from it, one without
// counts as what it is.
#include <fmt/format.h>

#include "verifier/report/report.h"

namespace vl::report {

using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;

void count(const Case& c, Tally& tally) {
  ++tally.cases;
  if (c.expected_invalid) {
    ++tally.held;
    if (!c.diagnostic) ++tally.unexpected;
    return;
  }
  if (c.diagnostic) ++tally.errors;
  for (const Answer& answer : c.answers) {
    const bool open = !answer.expected;
    if (!open) ++tally.held;
    if (!answer.as_expected) ++tally.unexpected;
    std::visit(overloaded{[&](const Proved&) { ++tally.proved; },
                          [&](const Refuted&) {
                            ++tally.refuted;
                            tally.refutation = tally.refutation || open;
                          },
                          [&](const Unknown& unknown) {
                            if (unknown.reason == Reason::Vacuous) ++tally.vacuous;
                            else if (unknown.reason == Reason::Unsupported) ++tally.unsupported;
                            else ++tally.unknown;
                            tally.disagreement = tally.disagreement || unknown.reason == Reason::EnginesDisagree;
                            tally.undecided = tally.undecided || open;
                          }},
               answer.verdict);
  }
}

int exit_code(const Tally& tally) {
  if (tally.disagreement) return 11;
  if (tally.refutation || tally.unexpected > 0) return 10;
  if (tally.errors > 0) return 2;
  return tally.undecided ? 5 : 0;
}

}  // namespace vl::report
