// JUnit XML, which CI systems read: one test case per answer, whose class is the case's id. An undecided answer is an
// error, never a pass and never skipped.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "encodings/base/printable.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

using question::Refuted;
using question::Unknown;

// XML has no way to write U+FFFE, U+FFFF and most control characters; those and what else a terminal acts on are
// written as everywhere, but for the ends of lines.
std::string junit_text(std::string_view text) {
  std::string out = printable_lines(text);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(none); at != std::string::npos; at = out.find(none))
      out.replace(at, none.size(), " ");
  return out;
}

pugi::xml_node add_case(pugi::xml_node suite, const Case& c, std::string_view name, double micros) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = junit_text(c.id.value_or(c.layout)).c_str();
  test.append_attribute("name") = junit_text(name).c_str();
  if (c.times) test.append_attribute("time") = fmt::format("{:.9f}", micros / 1e6).c_str();
  return test;
}

void add_outcome(pugi::xml_node test, const char* kind, std::string_view type, std::string_view message) {
  pugi::xml_node outcome = test.append_child(kind);
  outcome.append_attribute("type") = std::string(type).c_str();
  outcome.append_attribute("message") = junit_text(message).c_str();
}

struct Counts {
  Index tests = 0;
  Index failures = 0;
  Index errors = 0;
};

// Warnings, as the output of the test.
void add_warnings(pugi::xml_node test, const Case& c) {
  std::string text;
  for (const std::string& warning : c.warnings()) text += fmt::format("warning: {}\n", warning);
  if (!text.empty())
    test.append_child("system-out").append_child(pugi::node_pcdata).set_value(junit_text(text).c_str());
}

// What fails and is excused: neither a failure nor a pass.
void add_excused(pugi::xml_node test, const question::Excuse& excuse, const std::string& why) {
  add_outcome(test, "skipped", excuse.ignored ? "ignored" : "known",
              excuse.ignored ? fmt::format("ignored: {}; {}", *excuse.ignored, why) : "known: " + why);
}

void add_leftover(pugi::xml_node suite, const Case& c, const Policy& policy, Counts& counts) {
  const bool gone = c.leftover->kind == question::Leftover::Kind::Gone;
  pugi::xml_node test = suite.append_child("testcase");
  const std::string place = c.place.line > 0 ? fmt::format("{}:{}", c.place.file, c.place.line) : c.place.file;
  test.append_attribute("classname") = junit_text(place).c_str();
  test.append_attribute("name") = junit_text(c.leftover->claim).c_str();
  ++counts.tests;
  if (policy.strict) ++counts.failures;
  add_outcome(test, policy.strict ? "failure" : "skipped", gone ? "gone" : "unused-ignore",
              leftover_in_words(*c.leftover));
}

void add_answer(pugi::xml_node suite, const Case& c, const Answer& answer, Counts& counts) {
  pugi::xml_node test = add_case(suite, c, answer.claim, answer.micros);
  ++counts.tests;
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  const auto* unknown = std::get_if<Unknown>(&answer.verdict);
  if (answer.expected && answer.as_expected) return add_warnings(test, c);
  if (answer.excuse.excuses()) {
    add_excused(test, answer.excuse, std::string(question::word(answer.verdict)));
    return add_warnings(test, c);
  }
  if (unknown != nullptr) {
    ++counts.errors;
    add_outcome(test, "error", question::name(unknown->reason), unknown->detail);
  } else if (refuted != nullptr || !answer.as_expected) {
    ++counts.failures;
    const std::string why = refuted != nullptr ? refuted->counterexample.explanation : std::string();
    add_outcome(test, "failure", question::word(answer.verdict),
                answer.as_expected ? why : fmt::format("{}{}{}", answer.mismatch, why.empty() ? "" : "; ", why));
  }
  add_warnings(test, c);
}

// A case that has no answer: what it is in the place of one.
void add_unanswered(pugi::xml_node suite, const Case& c, std::string_view name, const Policy& policy, Counts& counts) {
  pugi::xml_node test = add_case(suite, c, name, 0);
  ++counts.tests;
  for (const Failure& failure : failures_of(c, policy)) {
    const bool wrong = failure.code == 10;
    ++(wrong ? counts.failures : counts.errors);
    const std::string_view type = !c.unread.empty() ? "unread"
                                  : c.skipped       ? "skipped"
                                  : c.not_judged    ? "interrupted"
                                  : wrong           ? "accepted"
                                                    : "input";
    add_outcome(test, wrong ? "failure" : "error", type, c.diagnostic ? vl::to_string(*c.diagnostic) : failure.reason);
    return;
  }
  if (c.excuse.excuses())
    add_excused(test, c.excuse, c.diagnostic ? c.diagnostic->message : c.skipped.value_or("read"));
  else if (c.skipped) add_outcome(test, "skipped", "skipped", *c.skipped);
}

// With --strict: one test that holds what the case is warned of.
void add_strict(pugi::xml_node suite, const Case& c, Counts& counts) {
  std::vector<std::string> warnings = strict_warnings(c);
  std::ranges::move(strict_unknowns(c), std::back_inserter(warnings));
  if (warnings.empty()) return;
  pugi::xml_node test = add_case(suite, c, "warnings", 0);
  ++counts.tests;
  ++counts.failures;
  add_outcome(test, "failure", "warning", fmt::format("{}", fmt::join(warnings, "; ")));
}

}  // namespace

std::string to_junit(const std::vector<Case>& cases, const Policy& policy) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "verify-layout";
  Counts counts;
  for (const Case& c : cases) {
    if (c.leftover) {
      add_leftover(suite, c, policy, counts);
      continue;
    }
    if (c.skipped || c.not_judged || c.diagnostic || c.expected_invalid)
      add_unanswered(suite, c, c.skipped || c.not_judged ? "judge" : "read", policy, counts);
    for (const Answer& answer : c.answers) add_answer(suite, c, answer, counts);
    if (policy.strict) add_strict(suite, c, counts);
  }
  suite.append_attribute("tests") = static_cast<long long>(counts.tests);
  suite.append_attribute("failures") = static_cast<long long>(counts.failures);
  suite.append_attribute("errors") = static_cast<long long>(counts.errors);
  std::ostringstream out;
  document.save(out, "  ");
  return std::move(out).str();
}

}  // namespace vl::report
