// What fails, and the exit code: an answer with an expectation fails only if it differs from the expectation; an answer
// without an expectation fails if it is not proved.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/report/report.h"

namespace vl::report {
namespace {

using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;

constexpr std::array<int, 4> kMostSevereFirst = {11, 10, 2, 5};

std::string name_of(const Case& c) { return c.id.value_or(c.layout); }

// Its exit code; 0 when it does not fail.
int code_of(const Answer& answer) {
  const auto* unknown = std::get_if<Unknown>(&answer.verdict);
  if (unknown != nullptr && unknown->reason == Reason::EnginesDisagree) return 11;
  if (!answer.as_expected) return 10;
  if (answer.expected || std::holds_alternative<Proved>(answer.verdict)) return 0;
  return unknown != nullptr ? 5 : 10;
}

std::string reason_of(const Answer& answer) {
  std::string why = std::visit(overloaded{[](const Proved&) { return std::string(); },
                                          [](const Refuted& refuted) { return refuted.counterexample.explanation; },
                                          [](const Unknown& unknown) { return question::why(unknown); }},
                               answer.verdict);
  if (answer.mismatch.empty()) return fmt::format("{}: {}", question::word(answer.verdict), why);
  return why.empty() ? answer.mismatch : fmt::format("{}; {}", answer.mismatch, why);
}

void count(const question::Verdict& verdict, Tally& tally) {
  std::visit(overloaded{[&](const Proved&) { ++tally.proved; }, [&](const Refuted&) { ++tally.refuted; },
                        [&](const Unknown& unknown) {
                          if (unknown.reason == Reason::Vacuous) ++tally.vacuous;
                          else if (unknown.reason == Reason::Unsupported) ++tally.unsupported;
                          else ++tally.unknown;
                        }},
             verdict);
}

}  // namespace

std::vector<std::string> strict_warnings(const Case& c) {
  std::vector<std::string> out = c.warnings();
  if (c.tensor_source == question::TensorSource::Assumed && !c.answers.empty())
    out.push_back(fmt::format("the tensor {} is assumed, since the text states none; give it with --tensor", c.tensor));
  return out;
}

std::vector<Failure> failures_of(const Case& c, const Policy& policy) {
  std::vector<Failure> out;
  const auto add = [&](int code, std::string_view claim, std::string reason) {
    out.push_back({code, name_of(c), std::string(claim), c.place, std::move(reason)});
  };
  if (c.skipped) {
    if (!policy.allow_skipped) add(5, {}, (c.unread.empty() ? "skipped: " : "unread: ") + *c.skipped);
    return out;
  }
  if (c.not_judged) add(5, {}, "not judged: the run was told to end first");
  if (c.expected_invalid && !c.diagnostic) add(10, {}, "the text should be rejected and was read");
  if (c.diagnostic && !c.expected_invalid) {
    add(2, {}, c.diagnostic->message);
    out.back().place = {c.diagnostic->file, c.diagnostic->line, c.diagnostic->column};
  }
  for (const Answer& answer : c.answers)
    if (const int code = code_of(answer); code != 0) add(code, answer.claim, reason_of(answer));
  if (policy.strict)
    for (const std::string& warning : strict_warnings(c)) add(10, {}, "warning: " + warning);
  return out;
}

std::optional<Case> failing_part(const Case& c, const Policy& policy) {
  if (failures_of(c, policy).empty()) return std::nullopt;
  Case out = c;
  std::erase_if(out.answers, [](const Answer& answer) { return code_of(answer) == 0; });
  return out;
}

void count(const Case& c, Tally& tally, const Policy& policy) {
  if (c.occurrences > 0) tally.found += static_cast<Index>(c.occurrences);
  const auto times = static_cast<Index>(std::max<std::size_t>(c.occurrences, 1));
  if (!c.unread.empty()) tally.unread += times, tally.unread_by[c.unread] += times;
  else if (c.skipped) tally.skipped += times;
  else if (!c.further) ++tally.cases;
  for (Failure& failure : failures_of(c, policy)) tally.failures.push_back(std::move(failure));
  if (c.not_judged) ++tally.not_judged;
  if (c.expected_invalid) {
    ++tally.judged;
    ++tally.held;
    if (!c.diagnostic) ++tally.unexpected;
    return;
  }
  if (c.diagnostic) ++tally.errors;
  for (const Answer& answer : c.answers) {
    ++tally.judged;
    if (answer.expected) ++tally.held;
    if (!answer.as_expected) ++tally.unexpected;
    count(answer.verdict, tally);
  }
}

int exit_code(const Tally& tally) {
  for (const int code : kMostSevereFirst)
    if (std::ranges::find(tally.failures, code, &Failure::code) != tally.failures.end()) return code;
  return tally.judged > 0 ? 0 : 2;
}

}  // namespace vl::report
