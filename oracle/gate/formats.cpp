#include "oracle/gate/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pugixml.hpp>
#include <sstream>

#include "encodings/base/printable.h"

namespace vl::gate {
namespace {

// XML cannot say U+FFFE and U+FFFF; printable() leaves them.
std::string xml_text(std::string_view text) {
  std::string out = printable_lines(text);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(none); at != std::string::npos; at = out.find(none))
      out.replace(at, none.size(), " ");
  return out;
}

std::string told(const Finding& finding) {
  std::string out = fmt::format("{}\ncase {}\n", finding.detail, print_json(finding.request));
  if (!finding.answer.is_null()) out += fmt::format("answer {}\n", print_json(finding.answer));
  if (!finding.right.is_null()) out += fmt::format("right {}\n", print_json(finding.right));
  return out + fmt::format("{} of the cases\n", finding.count);
}

// The reason why a finding's entry is red, if one is about it.
const Red* red_of(const Report& report, const std::string& signature) {
  for (const Red& red : report.reds)
    if (red.signature == signature) return &red;
  return nullptr;
}

struct Suite {
  pugi::xml_node node;
  int tests = 0, failures = 0, skipped = 0;

  pugi::xml_node add(const std::string& of, const std::string& name) {
    pugi::xml_node test = node.append_child("testcase");
    test.append_attribute("classname") = xml_text(of).c_str();
    test.append_attribute("name") = xml_text(name).c_str();
    ++tests;
    return test;
  }
  void fail(pugi::xml_node test, const std::string& type, const std::string& message, const std::string& text) {
    pugi::xml_node failure = test.append_child("failure");
    failure.append_attribute("type") = xml_text(type).c_str();
    failure.append_attribute("message") = xml_text(message).c_str();
    failure.text().set(xml_text(text).c_str());
    ++failures;
  }
};

void add_operation(Suite& suite, const OpTotals& op, const Report& report) {
  pugi::xml_node test = suite.add(op.family, op.op);
  const std::string name = op.family + "/" + op.op;
  if (op.asked > 0 && op.count(Word::Unsupported) == op.asked) {
    test.append_child("skipped").append_attribute("message") = "unsupported";
    ++suite.skipped;
    return;
  }
  for (const Red& red : report.reds)
    if (red.reason == "minimum" && red.what.starts_with(name)) return suite.fail(test, "minimum", red.what, red.what);
  if (op.judged() == 0) suite.fail(test, "undecided", "nothing of it was judged", name);
}

// Why not all cases were asked; empty if they were.
std::string early(const Report& report) {
  if (!report.result.ended_early) return {};
  return "the run ended early: not all cases were asked" + (report.gone.empty() ? "" : "; " + report.gone);
}

std::string level_of(const Report& report, const Finding& finding) {
  return report.known.contains(finding.signature) ? "note" : "error";
}

// A line of the expectations, else the adapter's file.
Json location_of(const Report& report, std::size_t line) {
  const std::string& file = report.expected_file.empty() ? report.adapter_file : report.expected_file;
  if (file.empty()) return Json::List();
  Json artifact, region, physical, out;
  artifact.set("uri", file);
  physical.set("artifactLocation", artifact);
  region.set("startLine", static_cast<Index>(line > 0 ? line : 1));
  physical.set("region", region);
  out.set("physicalLocation", physical);
  return Json::List{out};
}

Json sarif_result(const Report& report, const std::string& rule, const std::string& level, const std::string& text,
                  const std::string& signature, std::size_t line) {
  Json out, message, prints;
  out.set("ruleId", rule);
  out.set("level", level);
  message.set("text", printable_lines(text));
  out.set("message", message);
  out.set("locations", location_of(report, line));
  prints.set("verify-layout/signature", signature);
  out.set("partialFingerprints", prints);
  return out;
}

std::string cell(std::string_view text) {
  std::string out = printable(text);
  for (std::size_t at = out.find('|'); at != std::string::npos; at = out.find('|', at + 2)) out.insert(at, 1, '\\');
  return out;
}

// The message of a workflow command; a property also must not have what separates properties.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') out += "%25";
    else if (c == ':' && property) out += "%3A";
    else if (c == ',' && property) out += "%2C";
    else out += c;
  }
  return out;
}

}  // namespace

std::string to_junit(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  Suite suite{root.append_child("testsuite")};
  for (const OpTotals& op : report.result.ops) add_operation(suite, op, report);
  for (const Finding* finding : findings_of(report.result)) {
    pugi::xml_node test = suite.add("finding", finding->signature);
    const auto known = report.known.find(finding->signature);
    if (known == report.known.end()) suite.fail(test, finding->judgement, finding->detail, told(*finding));
    else test.append_child("system-out").text().set(xml_text(known->second).c_str());
  }
  for (const Red& red : report.reds) {
    if (red.reason == "new" || red.reason == "minimum") continue;  // they are above
    suite.fail(suite.add("expectation", fmt::format("{} {}", red.reason, red.signature)), red.reason, red.what,
               red.what);
  }
  if (const std::string why = early(report); !why.empty())
    suite.fail(suite.add("run", "all cases"), "ended-early", why, why);
  suite.node.append_attribute("name") = xml_text(report.peer.name + " " + report.peer.version).c_str();
  suite.node.append_attribute("tests") = suite.tests;
  suite.node.append_attribute("failures") = suite.failures;
  suite.node.append_attribute("errors") = 0;
  suite.node.append_attribute("skipped") = suite.skipped;
  std::ostringstream out;
  document.save(out, "  ");
  return std::move(out).str();
}

std::string to_sarif(const Report& report) {
  Json::List results;
  for (const Finding* finding : findings_of(report.result)) {
    const Red* red = red_of(report, finding->signature);
    Json one = sarif_result(report, finding->family + "/" + finding->op, level_of(report, *finding), told(*finding),
                            finding->signature, red != nullptr ? red->line : 0);
    if (const auto known = report.known.find(finding->signature); known != report.known.end()) {
      Json suppression;
      suppression.set("kind", "external");
      suppression.set("justification", known->second);
      one.set("suppressions", Json::List{suppression});
    }
    results.push_back(std::move(one));
  }
  for (const Red& red : report.reds)
    if (red.reason != "new")
      results.push_back(
          sarif_result(report, red.reason, "error", red.what, red.reason + " " + red.signature, red.line));
  Json driver, tool, run, out;
  driver.set("name", "verify-layout gate");
  driver.set("version", kVersion);
  tool.set("driver", driver);
  run.set("tool", tool);
  run.set("results", std::move(results));
  if (const std::string why = early(report); !why.empty()) {
    Json invocation, message, notification;
    message.set("text", printable_lines(why));
    notification.set("level", "error");
    notification.set("message", message);
    invocation.set("executionSuccessful", false);
    invocation.set("toolExecutionNotifications", Json::List{notification});
    run.set("invocations", Json::List{invocation});
  }
  out.set("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  out.set("version", "2.1.0");
  out.set("runs", Json::List{run});
  return print_json(out) + "\n";
}

std::string to_markdown(const Report& report) {
  std::string out = fmt::format("## {} {} behind the gate\n\n", cell(report.peer.name), cell(report.peer.version));
  if (report.result.ended_early) out += "**The run ended early: not all cases were asked.**\n";
  else if (report.reds.empty()) out += "Nothing changed.\n";
  for (const Red& red : report.reds) out += fmt::format("- **{}** {}\n", red.reason, cell(red.what));
  for (const Finding* finding : findings_of(report.result)) {
    if (report.known.contains(finding->signature)) continue;
    out += fmt::format("\n### `{}`\n\n{}, {} in {} cases\n\n```\n{}```\n", finding->signature, finding->judgement,
                       finding->count, report.result.cases, printable_lines(told(*finding)));
  }
  out += "\n| operation | asked | agree | disagree | refused | undecided | unsupported | error, fault | yes / no |\n";
  out += "|---|---|---|---|---|---|---|---|---|\n";
  for (const OpTotals& op : report.result.ops)
    out += fmt::format("| {}/{} | {} | {} | {} | {} | {} | {} | {} | {} / {} |\n", op.family, op.op, op.asked,
                       op.count(Word::Agree), op.count(Word::Disagree),
                       op.count(Word::Refused) + op.count(Word::RefusedValid),
                       op.count(Word::Undecided) + op.count(Word::UndecidedOurs), op.count(Word::Unsupported),
                       op.count(Word::Error) + op.count(Word::Fault) + op.count(Word::Unstable), op.yes, op.no);
  return out;
}

std::string to_annotations(const Report& report) {
  std::string out;
  for (const Red& red : report.reds)
    out += fmt::format(
        "::error {}title={}::{}\n",
        report.expected_file.empty()
            ? ""
            : fmt::format("file={},line={},", escaped(report.expected_file, true), std::max<std::size_t>(red.line, 1)),
        escaped(red.reason + " " + red.signature, true), escaped(red.what, false));
  if (const std::string why = early(report); !why.empty())
    out += fmt::format("::error title=ended early::{}\n", escaped(why, false));
  return out;
}

}  // namespace vl::gate
