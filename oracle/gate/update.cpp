#include "oracle/gate/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vl::gate {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// "0.75" behind a key keeps what stands behind it.
std::string with_value(const std::string& line, const std::string& value) {
  const std::size_t equals = line.find('=');
  std::size_t begin = equals + 1;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  std::size_t end = begin;
  if (begin < line.size() && line[begin] == '"') end = line.find('"', begin + 1) + 1;
  else
    while (end < line.size() && line[end] != ' ' && line[end] != '#' && line[end] != '\t') ++end;
  return line.substr(0, begin) + value + line.substr(std::min(end, line.size()));
}

bool is_header(const std::string& line) { return line.starts_with('['); }

std::string key_of(const std::string& line) {
  const std::size_t end = line.find_first_of(" =\t");
  return line.substr(0, end);
}

double seen(const OpTotals& op, std::string_view word) {
  const std::uint64_t have = word == "agree"     ? op.count(Word::Agree)
                             : word == "decided" ? op.judged()
                             : word == "yes"     ? op.yes
                                                 : op.no;
  return op.asked == 0 ? 0 : static_cast<double>(have) / static_cast<double>(op.asked);
}

std::string floored(double share) { return fmt::format("{:.3f}", std::floor(share * 0.98 * 1000) / 1000); }

std::string minimum_of(const OpTotals& op) {
  std::string out = fmt::format("\n[minimum.\"{}/{}\"]\nagree = {}\n", op.family, op.op, floored(seen(op, "agree")));
  if (op.yes + op.no > 0) out += fmt::format("yes = {}\nno = {}\n", floored(seen(op, "yes")), floored(seen(op, "no")));
  return out;
}

std::string quoted(const std::string& text) {  // as a TOML string
  return text.find('\'') == std::string::npos ? "'" + text + "'" : print_json(Json(text));
}

std::string entry_of(const Finding& finding, const std::string& issue) {
  std::string out = fmt::format("\n[[known]]\nsignature = {}\ncase      = {}\n", quoted(finding.signature),
                                quoted(print_json(finding.request)));
  if (!finding.answer.is_null()) out += fmt::format("answer    = {}\n", quoted(print_json(finding.answer)));
  if (!finding.convention.empty()) out += fmt::format("convention = {}\n", quoted(finding.convention));
  return out + fmt::format("judgement = \"{}\"\nissue     = {}\n", finding.judgement, quoted(issue));
}

// Raises the numbers of one table of minima, whose header is at `at`.
void raise(std::vector<std::string>& lines, std::size_t at, const Minimum& minimum, const OpTotals& op, bool lower) {
  for (std::size_t k = at + 1; k < lines.size() && !is_header(lines[k]); ++k) {
    const auto old = minimum.shares.find(key_of(lines[k]));
    if (old == minimum.shares.end()) continue;
    const double now = std::floor(seen(op, old->first) * 0.98 * 1000) / 1000;
    if (now > old->second || (lower && now < old->second)) lines[k] = with_value(lines[k], fmt::format("{:.3f}", now));
  }
}

}  // namespace

Result<std::string> updated(const std::string& text, const Expectations& expected, const Peer& peer,
                            const CampaignResult& result, const std::vector<Red>& reds, const UpdateOptions& options) {
  std::vector<std::string> lines = lines_of(text);
  std::string added;
  for (const OpTotals& op : result.ops) {
    const std::string name = op.family + "/" + op.op;
    const auto minimum = expected.minima.find(name);
    const bool lower = std::ranges::find(options.lower, name) != options.lower.end();
    if (minimum == expected.minima.end()) added += minimum_of(op);
    else raise(lines, minimum->second.line - 1, minimum->second, op, lower);
  }
  for (const std::string& signature : options.accept) {
    for (const Known& known : expected.known)
      if (known.signature == signature)
        return Error{ErrorCode::Value, fmt::format("'{}' is known already, in line {}", signature, known.line), 0};
    if (options.issue.empty()) return Error{ErrorCode::Value, "--accept needs --issue URL", 0};
    const Finding* found = nullptr;
    for (const OpTotals& op : result.ops)
      if (const auto one = op.findings.find(signature); one != op.findings.end()) found = &one->second;
    if (found == nullptr) return Error{ErrorCode::Value, fmt::format("'{}' was not found in this run", signature), 0};
    added += entry_of(*found, options.issue);
  }
  if (!satisfies(peer.version, expected.versions) && expected.line_of_versions > 0)
    lines[expected.line_of_versions - 1] =
        with_value(lines[expected.line_of_versions - 1], "\"==" + peer.version + "\"");
  if (expected.line_of_generator > 0)
    lines[expected.line_of_generator - 1] =
        with_value(lines[expected.line_of_generator - 1], fmt::format("{}", kGenerator));
  std::set<std::size_t> gone;  // lines of entries that are over
  for (const Red& red : reds) {
    if (!red.is_over) continue;
    gone.insert(red.line - 1);
    for (std::size_t k = red.line; k < lines.size() && !is_header(lines[k]); ++k) gone.insert(k);
  }
  std::string out;
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!gone.contains(k)) out += lines[k] + "\n";
  return out + added;
}

std::string new_expectations(const Peer& peer) {
  return fmt::format("schema    = 1\npeer      = {}\nversions  = \"=={}\"\ngenerator = {}\n", quoted(peer.name),
                     peer.version, kGenerator);
}

}  // namespace vl::gate
