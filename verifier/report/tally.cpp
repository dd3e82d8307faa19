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

std::vector<std::string> strict_unknowns(const Case& c) {
  std::vector<std::string> out;
  const auto is_expected = [](const Answer& answer) { return answer.expected.has_value(); };
  if (!c.function || std::ranges::any_of(c.answers, is_expected)) return out;
  for (const auto& [line, operation] : c.function->unknown)
    out.push_back(fmt::format("line {}, {} is not known: its result may hold anything", line, operation));
  return out;
}

int code_of(const Answer& answer) {
  const auto* unknown = std::get_if<Unknown>(&answer.verdict);
  if (unknown != nullptr && unknown->reason == Reason::EnginesDisagree) return kEnginesDisagree;
  if (!answer.as_expected) return 10;
  if (answer.expected || std::holds_alternative<Proved>(answer.verdict)) return 0;
  return unknown != nullptr ? 5 : 10;
}

std::string_view kind_of(const Case& c) {
  if (c.skipped) return c.unread.empty() ? "skipped" : "unread";
  if (c.diagnostic && !c.expected_invalid) return "error";
  return !c.diagnostic && c.expected_invalid ? "accepted" : "";
}

std::string leftover_in_words(const question::Leftover& leftover) {
  if (leftover.kind == question::Leftover::Kind::Gone)
    return fmt::format("gone: it was {}, and stands in the baseline", leftover.detail);
  return fmt::format("unused comment: it ignores nothing ({})", leftover.detail);
}

std::vector<Failure> findings_of(const Case& c, const Policy& policy) {
  std::vector<Failure> out;
  const auto add = [&](int code, std::string_view claim, std::string reason, question::Excuse excuse = {}) {
    out.push_back({code, name_of(c), std::string(claim), c.place, std::move(reason), std::move(excuse)});
  };
  if (c.leftover) {
    if (policy.strict) add(10, c.leftover->claim, leftover_in_words(*c.leftover));
    return out;
  }
  if (c.skipped) {
    if (!policy.allow_skipped) add(5, {}, (c.unread.empty() ? "skipped: " : "unread: ") + *c.skipped, c.excuse);
    return out;
  }
  if (c.not_judged) add(5, {}, "not judged: the run was told to end first");
  if (c.expected_invalid && !c.diagnostic) add(10, {}, "the text should be rejected and was read", c.excuse);
  if (c.diagnostic && !c.expected_invalid) {
    add(2, {}, c.diagnostic->message, c.excuse);
    out.back().place = {c.diagnostic->file, c.diagnostic->line, c.diagnostic->column};
  }
  for (const Answer& answer : c.answers)
    if (const int code = code_of(answer); code != 0) add(code, answer.claim, reason_of(answer), answer.excuse);
  if (policy.strict) {
    for (const std::string& warning : strict_warnings(c)) add(10, {}, "warning: " + warning);
    for (std::string& unknown : strict_unknowns(c)) add(5, {}, std::move(unknown));
  }
  return out;
}

std::vector<Failure> failures_of(const Case& c, const Policy& policy) {
  std::vector<Failure> out = findings_of(c, policy);
  std::erase_if(out, [](const Failure& failure) { return failure.excuse.excuses(); });
  return out;
}

std::optional<Case> failing_part(const Case& c, const Policy& policy) {
  if (failures_of(c, policy).empty()) return std::nullopt;
  Case out = c;
  std::erase_if(out.answers, [](const Answer& answer) { return code_of(answer) == 0 || answer.excuse.excuses(); });
  return out;
}

bool heed(Case& c, HeededComments& heeded) {
  if (c.leftover) return !heeded.contains({c.place.file, c.place.line});
  const std::string_view kind = kind_of(c);
  for (const question::IgnoreComment& comment : c.ignores) {
    bool asked = false, ignores = c.not_judged;
    if (comment.claim == kind) c.excuse.ignored = comment.reason, ignores = true;
    for (Answer& answer : c.answers) {
      if (answer.claim != comment.claim) continue;
      asked = true;
      const int code = code_of(answer);
      if (code == 0 || code == kEnginesDisagree) continue;
      answer.excuse.ignored = comment.reason;
      ignores = true;
    }
    const bool is_claim = comment.claim != "error" && comment.claim != "skipped" && comment.claim != "unread";
    if (ignores || (is_claim && !asked)) heeded.emplace(c.place.file, comment.line);
  }
  return true;
}

void count(const Case& c, Tally& tally, const Policy& policy) {
  for (Failure& failure : findings_of(c, policy)) {
    if (failure.excuse.ignored) ++tally.ignored;
    else if (failure.excuse.accepted) ++tally.known;
    else tally.failures.push_back(std::move(failure));
  }
  if (c.leftover) {
    if (c.leftover->kind == question::Leftover::Kind::Gone) ++tally.gone;
    return;
  }
  if (c.occurrences > 0) tally.found += static_cast<Index>(c.occurrences);
  const auto times = static_cast<Index>(std::max<std::size_t>(c.occurrences, 1));
  if (!c.unread.empty()) tally.unread += times, tally.unread_by[c.unread] += times;
  else if (c.skipped) tally.skipped += times;
  else if (!c.further) ++tally.cases;
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
    if (tally.rests) count(answer, *tally.rests);
  }
}

int exit_code(const Tally& tally) {
  for (const int code : kMostSevereFirst)
    if (std::ranges::find(tally.failures, code, &Failure::code) != tally.failures.end()) return code;
  return tally.judged > 0 ? 0 : 2;
}

}  // namespace vl::report
