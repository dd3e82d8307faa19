// Reads a file of expectations.
#include <fmt/format.h>

#include <array>

#include "encodings/base/words.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/expect.h"
#include "verifier/session/toml_document.h"

namespace vl::gate {
namespace {

using session::TomlDocument;

std::size_t line_of(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? 0 : static_cast<std::size_t>(node->source().begin.line);
}

std::string text_at(TomlDocument& in, const toml::table& table, std::string_view key, bool required) {
  const auto text = in.text(table, key, required);
  return text ? text->text : std::string();
}

std::optional<double> share_at(TomlDocument& in, const toml::node& node, std::string_view key) {
  const auto value = node.value<double>();
  if (value && *value >= 0 && *value <= 1) return value;
  in.fail(node.source(), fmt::format("{} is a share from 0 to 1", key));
  return std::nullopt;
}

void read_minima(TomlDocument& in, const toml::table& root, Expectations& out) {
  const toml::node* node = root.get("minimum");
  if (node == nullptr) return;
  if (!node->is_table()) return in.fail(node->source(), "minimum is a table: [minimum.\"tirx/place\"]");
  for (const auto& [key, value] : *node->as_table()) {
    const std::string name(key.str());
    const std::size_t slash = name.find('/');
    const std::string op = slash == std::string::npos ? name : name.substr(slash + 1);
    if (slash == std::string::npos || find_operation(op) == nullptr)
      in.fail(value.source(), fmt::format("'{}' is no FAMILY/OPERATION; {}", name, one_of(op, operation_names())));
    if (!value.is_table()) {
      in.fail(value.source(), "a minimum is a table");
      continue;
    }
    Minimum& minimum = out.minima[name];
    minimum.line = static_cast<std::size_t>(value.source().begin.line);
    in.only_keys(*value.as_table(), {"agree", "decided", "yes", "no"}, "a minimum");
    for (const auto& [share, number] : *value.as_table())
      if (const auto read = share_at(in, number, share.str())) minimum.shares[std::string(share.str())] = *read;
  }
}

void read_case(TomlDocument& in, const toml::table& table, Known& out) {
  out.request = text_at(in, table, "case", true);
  if (in.failed() || out.request.empty()) return;
  const auto parsed = parse_json(out.request);
  auto made = parsed ? case_of(*parsed) : Result<Case>(parsed.error());
  if (!made) return in.fail(table.get("case")->source(), "this is no request: " + made.error().message);
  out.of = std::move(*made);
  out.of->convention = text_at(in, table, "convention", false);
  if (!is_convention_of(out.of->op->name, out.of->convention))
    in.fail(table.get("convention")->source(),
            fmt::format("'{}' is no convention of {}", out.of->convention, out.of->op->name));
}

void read_rate(TomlDocument& in, const toml::table& table, Known& out) {
  const toml::node* rate = table.get("rate");
  if (rate == nullptr) return;
  const toml::array* both = rate->as_array();
  if (both == nullptr || both->size() != 2) return in.fail(rate->source(), "rate is a list of two shares");
  const auto low = share_at(in, *both->get(0), "rate"), high = share_at(in, *both->get(1), "rate");
  if (low && high) out.rate = {*low, *high};
}

Known known_at(TomlDocument& in, const toml::table& table) {
  Known out;
  out.line = static_cast<std::size_t>(table.source().begin.line);
  in.only_keys(table, {"signature", "case", "answer", "convention", "judgement", "issue", "until", "rate"},
               "a known finding");
  out.signature = text_at(in, table, "signature", true);
  out.judgement = text_at(in, table, "judgement", true);
  out.issue = text_at(in, table, "issue", false);
  out.answer = text_at(in, table, "answer", false);
  constexpr std::array<std::string_view, 6> kWordsOfFindings = {"disagree", "refused-valid", "invalid-accepted",
                                                                "error",    "fault",         "unstable"};
  if (!in.failed() && std::ranges::find(kWordsOfFindings, out.judgement) == kWordsOfFindings.end())
    in.fail(table.get("judgement")->source(), fmt::format("'{}' is no judgement of a finding; {}", out.judgement,
                                                          one_of(out.judgement, kWordsOfFindings)));
  read_case(in, table, out);
  read_rate(in, table, out);
  if (const toml::node* until = table.get("until")) {
    if (const auto date = until->value<toml::date>()) out.until = date->year * 10000 + date->month * 100 + date->day;
    else in.fail(until->source(), "until is a date: 2027-06-30");
  }
  return out;
}

}  // namespace

std::variant<Expectations, std::vector<Diagnostic>> read_expectations(const std::string& file, std::string text) {
  TomlDocument in(file, std::move(text));
  const toml::table root = in.parse();
  Expectations out;
  out.file = file;
  if (in.failed()) return in.take_errors();
  in.only_keys(root, {"schema", "peer", "versions", "generator", "minimum", "known"}, "a file of expectations");
  const auto schema = in.integer(root, "schema");
  if (!in.failed() && schema != 1) in.fail(root.source(), "expected schema = 1");
  out.peer = text_at(in, root, "peer", true);
  out.versions = text_at(in, root, "versions", false);
  out.generator = in.integer(root, "generator").value_or(0);
  out.line_of_peer = line_of(root, "peer");
  out.line_of_versions = line_of(root, "versions");
  out.line_of_generator = line_of(root, "generator");
  read_minima(in, root, out);
  if (const toml::node* known = root.get("known")) {
    const toml::array* list = known->as_array();
    if (list == nullptr) in.fail(known->source(), "known is a list of tables: [[known]]");
    else
      for (const toml::node& one : *list) {
        if (one.is_table()) out.known.push_back(known_at(in, *one.as_table()));
        else in.fail(one.source(), "known is a list of tables: [[known]]");
      }
  }
  if (in.failed()) return in.take_errors();
  return out;
}

}  // namespace vl::gate
