// SARIF 2.1.0, in which code hosts show findings beside a file: one result per finding, at the line of its layout. A
// run without findings has no result.
#include <nlohmann/json.hpp>

#include <algorithm>

#include "verifier/report/report.h"

namespace vl::report {
namespace {

using Json = nlohmann::ordered_json;
using question::Refuted;
using question::Unknown;

Json location(const Place& place) {
  Json out = Json::array();
  if (place.file.empty() || place.file.starts_with("--")) return out;  // an option, not a file
  Json physical;
  physical["artifactLocation"]["uri"] = place.file;
  if (place.line > 0)
    physical["region"] = {{"startLine", place.line}, {"startColumn", std::max<std::size_t>(place.column, 1)}};
  out.push_back({{"physicalLocation", std::move(physical)}});
  return out;
}

void add(Json& results, std::string_view rule, std::string_view level, const std::string& text, const Place& place) {
  Json result;
  result["ruleId"] = rule;
  result["level"] = level;
  result["message"]["text"] = text;
  result["locations"] = location(place);
  results.push_back(std::move(result));
}

void add_answer(Json& results, const Case& c, const Answer& answer) {
  const std::string who = c.id.value_or(c.layout);
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  const auto* unknown = std::get_if<Unknown>(&answer.verdict);
  if (answer.expected && answer.as_expected) return;
  std::string text = who + ": " + answer.claim + " " + std::string(question::word(answer.verdict));
  if (!answer.mismatch.empty()) text += "; " + answer.mismatch;
  if (refuted != nullptr) text += ": " + refuted->counterexample.explanation;
  if (unknown != nullptr) text += " (" + std::string(question::name(unknown->reason)) + "): " + unknown->detail;
  if (refuted != nullptr || unknown != nullptr || !answer.as_expected)
    add(results, answer.claim, unknown != nullptr && answer.as_expected ? "warning" : "error", text, c.place);
}

}  // namespace

std::string to_sarif(const Tools& tools, const std::vector<Case>& cases) {
  Json results = Json::array();
  for (const Case& c : cases) {
    if (c.expected_invalid && !c.diagnostic)
      add(results, "input", "error", c.id.value_or("") + ": the text should be rejected and was read", c.place);
    if (c.diagnostic && !c.expected_invalid)
      add(results, "input", "error", c.diagnostic->message,
          {c.diagnostic->file, c.diagnostic->line, c.diagnostic->column});
    for (const Answer& answer : c.answers) add_answer(results, c, answer);
  }
  Json run;
  run["tool"]["driver"] = {{"name", "verify-layout"}, {"version", tools.version}};
  run["results"] = std::move(results);
  Json out;
  out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  out["version"] = "2.1.0";
  out["runs"] = Json::array({std::move(run)});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vl::report
