// Annotations of GitHub's workflows: "::error file=…,line=…,title=…::message", which the code host shows beside the
// line.
#include <fmt/format.h>

#include "encodings/base/printable.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

// The escapes of workflow commands; `property` also those of a value between the colons.
std::string escaped_for_workflow(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '%') out += "%25";
    else if (c == '\n') out += "%0A";
    else if (property && c == ':') out += "%3A";
    else if (property && c == ',') out += "%2C";
    else out += c;
  }
  return out;
}

std::string annotation(std::string_view level, const Place& place, const std::string& title,
                       const std::string& message) {
  std::string where;
  if (!place.file.empty() && !place.file.starts_with("--")) {
    where = fmt::format("file={},", escaped_for_workflow(place.file, true));
    if (place.line > 0) where += fmt::format("line={},col={},", place.line, place.column);
  }
  return fmt::format("::{} {}title={}::{}\n", level, where, escaped_for_workflow(title, true),
                     escaped_for_workflow(message, false));
}

}  // namespace

std::string to_annotations(const Case& c, const Policy& policy) {
  std::string out;
  for (const Failure& failure : failures_of(c, policy)) {
    const std::string title = failure.claim.empty() ? failure.who : failure.who + " " + failure.claim;
    out += annotation(failure.code == 5 ? "warning" : "error", failure.place, title, failure.reason);
  }
  if (c.leftover && !policy.strict)
    out += annotation("warning", c.place, c.leftover->claim, leftover_in_words(*c.leftover));
  if (!policy.strict)
    for (const std::string& warning : c.warnings())
      out += annotation("warning", c.place, c.id.value_or(c.layout), warning);
  return out;
}

}  // namespace vl::report
