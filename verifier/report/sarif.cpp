// SARIF 2.1.0, in which code hosts show findings beside a file: one result per finding, at the line of its layout. A
// run without findings has no result.

#include <algorithm>

#include "verifier/report/json_parts.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

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

Json& add(Json& results, std::string_view rule, std::string_view level, const std::string& text, const Place& place) {
  Json result;
  result["ruleId"] = rule;
  result["level"] = level;
  result["message"]["text"] = text;
  result["locations"] = location(place);
  results.push_back(std::move(result));
  return results.back();
}

// SARIF's words: what stands in the baseline is unchanged, and what a comment ignores is suppressed in the source.
void add_excuse_to_result(Json& result, const question::Excuse& excuse) {
  using Baseline = question::Excuse::Baseline;
  if (excuse.baseline != Baseline::None)
    result["baselineState"] = excuse.baseline == Baseline::Known ? "unchanged" : "new";
  if (excuse.ignored)
    result["suppressions"] = Json::array({{{"kind", "inSource"}, {"justification", *excuse.ignored}}});
}

void add_leftover_result(Json& results, const Case& c, const Policy& policy) {
  const bool gone = c.leftover->kind == question::Leftover::Kind::Gone;
  Json& result = add(results, c.leftover->claim,
                     policy.strict ? "error"
                     : gone        ? "note"
                                   : "warning",
                     gone ? c.layout + ": " + leftover_in_words(*c.leftover) : leftover_in_words(*c.leftover), c.place);
  if (gone) result["baselineState"] = "absent";
}

void add_failure(Json& results, const Failure& failure) {
  const std::string text = failure.claim.empty() ? failure.who + ": " + failure.reason
                                                 : failure.who + ": " + failure.claim + " " + failure.reason;
  add_excuse_to_result(add(results, failure.claim.empty() ? "input" : failure.claim,
                           failure.code == 5 ? "warning" : "error", text, failure.place),
                       failure.excuse);
}

}  // namespace

std::string to_sarif(const Tools& tools, const std::vector<Case>& cases, const Policy& policy) {
  Json results = Json::array();
  for (const Case& c : cases) {
    if (c.leftover) {
      add_leftover_result(results, c, policy);
      continue;
    }
    for (const Failure& failure : findings_of(c, policy)) add_failure(results, failure);
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
