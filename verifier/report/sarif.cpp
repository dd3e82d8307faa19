// SARIF 2.1.0, in which code hosts show findings beside a file: one result per finding, at the line of its layout. A
// run without findings has no result.
#include <nlohmann/json.hpp>

#include <algorithm>

#include "verifier/report/report.h"

namespace vl::report {
namespace {

using Json = nlohmann::ordered_json;
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

void add_failure(Json& results, const Failure& failure) {
  const std::string text = failure.claim.empty() ? failure.who + ": " + failure.reason
                                                 : failure.who + ": " + failure.claim + " " + failure.reason;
  add(results, failure.claim.empty() ? "input" : failure.claim, failure.code == 5 ? "warning" : "error", text,
      failure.place);
}

}  // namespace

std::string to_sarif(const Tools& tools, const std::vector<Case>& cases, const Policy& policy) {
  Json results = Json::array();
  for (const Case& c : cases) {
    for (const Failure& failure : failures_of(c, policy)) add_failure(results, failure);
    if (!policy.strict)
      for (const std::string& warning : c.warnings())
        add(results, "warning", "warning", c.id.value_or(c.layout) + ": " + warning, c.place);
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
