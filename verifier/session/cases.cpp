#include "verifier/session/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "encodings/base/words.h"
#include "verifier/session/arithmetic.h"
#include "verifier/session/case_claims.h"
#include "verifier/session/chips.h"
#include "verifier/session/claim_text.h"
#include "verifier/session/hardware.h"
#include "verifier/session/targets.h"

namespace vl::session {
namespace {

using Ids = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 5> kVerdicts = {"proved", "refuted", "unknown", "vacuous", "unsupported"};

void read_expect(TomlDocument& in, const toml::node& node, CaseRequest& request) {
  if (const auto word = node.value<std::string>(); node.is_string() && word) {
    request.expect_invalid = *word == "invalid";
    if (!request.expect_invalid) in.fail(node.source(), "expected a table of claims, or \"invalid\"");
    return;
  }
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    in.fail(node.source(), "expected a table of claims, or \"invalid\"");
    return;
  }
  if (table->empty()) in.fail(node.source(), "no claim is expected; without 'expect' the defaults are asked");
  // In the order of the text: toml++ sorts its tables.
  std::vector<std::pair<std::size_t, ClaimRequest>> found;
  for (const auto& [key, value] : *table) {
    const claims::Claim* which = claim_named(in, key.str(), key.source());
    if (which == nullptr) continue;
    if (!claims::needs(*which).empty() && !claims::is_about_descriptors(*which))
      in.fail(key.source(), fmt::format("'{}' needs {}; write it as [[case.claim]]", key.str(), claims::needs(*which)));
    ClaimRequest asked;
    asked.claim = which;
    expect_of(in, value, asked);
    found.emplace_back(in.position(key.source().begin), std::move(asked));
  }
  std::ranges::sort(found, {}, &std::pair<std::size_t, ClaimRequest>::first);
  for (auto& [at, claim_request] : found) request.claims.push_back(std::move(claim_request));
}

ReplayRequest read_replay(TomlDocument& in, const toml::node& node) {
  ReplayRequest replay;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    in.fail(node.source(), "expected a table: [case.replay]");
    return replay;
  }
  in.only_keys(*table, {"mismatch", "verb", "host", "unit", "pattern", "data", "fill", "empty", "streamed", "to"},
               "a replay");
  replay.mismatch = in.text(*table, "mismatch", false);
  const auto text = [&](std::string_view key) { return in.text(*table, key, true).value_or(SourceText{}); };
  replay.verb = text("verb");
  replay.host = text("host");
  replay.pattern = text("pattern");
  replay.fill = text("fill");
  replay.to = text("to");
  replay.unit = in.not_negative(*table, "unit");
  replay.data = in.not_negative(*table, "data");
  if (replay.unit != 1 && replay.unit != 2 && replay.unit != 4 && replay.unit != 8) {
    const toml::node* unit = table->get("unit");
    in.fail((unit != nullptr ? *unit : node).source(), "expected a unit of 1, 2, 4 or 8 bytes");
  }
  replay.empty = in.flag(*table, "empty", false);
  replay.streamed = in.flag(*table, "streamed", false);
  return replay;
}

// A verdict by claim: those about layouts, and chain-neutral, for which `outputs` is another word.
void read_program_expect(TomlDocument& in, const toml::node& node, ProgramRequest& program) {
  constexpr std::array<std::string_view, 7> kClaims = {
      "chain-neutral", "view-in-bounds", "view-elements", "mask-exact", "move-implements", "disjoint", "equal"};
  const toml::table* table = node.as_table();
  if (table == nullptr || table->empty()) {
    in.fail(node.source(), "expected a table of claims and verdicts, as in { chain-neutral = \"proved\" }");
    return;
  }
  for (const auto& [key, value] : *table) {
    const std::string_view claim = key.str() == "outputs" ? kClaims[0] : key.str();
    const auto word = value.value<std::string>();
    if (std::ranges::find(kClaims, claim) == kClaims.end())
      in.fail(key.source(),
              fmt::format("'{}' is not asked of programs; expected {}", key.str(), fmt::join(kClaims, ", ")));
    else if (!value.is_string() || !word || std::ranges::find(kVerdicts, *word) == kVerdicts.end())
      in.fail(value.source(), fmt::format("expected one of {}", fmt::join(kVerdicts, ", ")));
    else program.expected.emplace_back(claim, *word);
  }
}

void read_program(TomlDocument& in, const toml::table& table, CaseRequest& request) {
  in.only_keys(table, {"id", "source", "program", "function", "expect"}, "a case that is a program");
  ProgramRequest program;
  if (auto text = in.text(table, "program", true)) program.text = std::move(*text);
  if (const auto function = in.text(table, "function", false)) program.function = function->text;
  if (const toml::node* node = table.get("expect")) read_program_expect(in, *node, program);
  request.layout = program.text;
  request.program = std::make_shared<const ProgramRequest>(std::move(program));
}

// The texts of a key that is one text, or a list of them.
std::vector<SourceText> texts_of(TomlDocument& in, const toml::table& table, std::string_view key) {
  const toml::array* list = table.get(key)->as_array();
  std::vector<SourceText> out;
  if (list == nullptr) {
    if (auto text = in.text(table, key, true)) out.push_back(std::move(*text));
    return out;
  }
  for (const toml::node& each : *list) {
    auto text = in.place(each);
    const auto said = each.value<std::string>();
    if (!each.is_string() || !said) in.fail(each.source(), fmt::format("expected texts in '{}'", key));
    text.text = said.value_or(""), text.verbatim = false;
    out.push_back(std::move(text));
  }
  if (out.empty()) in.fail(list->source(), fmt::format("expected at least one text in '{}'", key));
  return out;
}

void check_target(TomlDocument& in, const toml::table& table, const CaseRequest& request) {
  const auto asks = [](const ClaimRequest& claim) { return claim.claim != nullptr && has_target(*claim.claim); };
  if (std::ranges::none_of(request.claims, asks))
    in.fail(table.get("target")->source(), "unused 'target': the claim accepts is not asked");
}

// What is expected of `accepts`: in `expect`, or with a witness in [[case.claim]].
void read_transfer(TomlDocument& in, const toml::table& table, CaseRequest& request) {
  in.only_keys(table, {"id", "source", "transfer", "target", "expect", "claim", "where", "at_sizes"},
               "a case that is a transfer");
  request.where = in.text(table, "where", false);
  request.sizes = in.text(table, "at_sizes", false);
  TransferRequest transfer{texts_of(in, table, "transfer"), in.text(table, "target", false)};
  const auto keep = [&](ClaimRequest asked, const toml::source_region& where) {
    if (asked.claim == nullptr) return;
    if (!claims::is_about_one_descriptor(*asked.claim))
      in.fail(where,
              fmt::format("'{}' is not asked of a transfer alone; expected accepts or keeps", asked.claim->name));
    else request.claims.push_back(std::move(asked));
  };
  const toml::node* expect = table.get("expect");
  request.expect_invalid = expect != nullptr && expect->value<std::string>() == "invalid";
  if (expect != nullptr && !request.expect_invalid) {
    if (expect->as_table() == nullptr) in.fail(expect->source(), "expected { accepts = \"proved\" }, or \"invalid\"");
    else
      for (const auto& [key, value] : *expect->as_table()) {
        ClaimRequest asked;
        asked.claim = claim_named(in, key.str(), key.source());
        expect_of(in, value, asked);
        keep(std::move(asked), key.source());
      }
  }
  const toml::node* list = table.get("claim");
  if (list != nullptr && (list->as_array() == nullptr || !list->as_array()->is_array_of_tables()))
    in.fail(list->source(), "expected [[case.claim]]");
  else if (list != nullptr)
    for (const toml::node& item : *list->as_array()) keep(read_claim(in, *item.as_table()), item.source());
  if (!transfer.texts.empty()) request.layout = transfer.texts.front();
  if (transfer.target && !request.claims.empty()) check_target(in, table, request);
  request.transfer = std::make_shared<const TransferRequest>(std::move(transfer));
}

// The transfers beside a layout, for the claims that are about them.
void take_transfer(TomlDocument& in, const toml::table& table, CaseRequest& request) {
  std::shared_ptr<const TransferRequest> transfer;
  if (table.contains("transfer"))
    transfer = std::make_shared<const TransferRequest>(
        TransferRequest{texts_of(in, table, "transfer"), in.text(table, "target", false)});
  else if (table.contains("target")) in.fail(table.get("target")->source(), "'target' goes with 'transfer'");
  bool taken = false;
  for (ClaimRequest& claim : request.claims) {
    if (claim.claim == nullptr || !claims::is_about_descriptors(*claim.claim)) continue;
    if (transfer == nullptr)
      in.fail_at(in.position(table.source().begin),
                 fmt::format("the claim {} needs the key 'transfer'", claim.claim->name));
    claim.transfer = transfer, taken = true;
  }
  if (transfer != nullptr && transfer->target && !request.expect_invalid) check_target(in, table, request);
  if (transfer != nullptr && !taken && !request.expect_invalid)
    in.fail(table.get("transfer")->source(), "no claim is about this transfer; expected carries or accepts");
}

CaseRequest read_case(TomlDocument& in, Ids& ids, const toml::table& table) {
  CaseRequest request;
  if (const auto id = in.text(table, "id", true)) {
    request.id = id->text;
    if (id->text.empty() || !ids.insert(id->text).second)
      in.fail(table.get("id")->source(), fmt::format("the id '{}' is empty or not unique", id->text));
  }
  in.text(table, "source", false);
  if (table.contains("program")) return read_program(in, table, request), request;
  if (table.contains("transfer") && !table.contains("layout")) return read_transfer(in, table, request), request;
  in.only_keys(table,
               {"id", "source", "layout", "tensor", "strides", "offset", "view_offset", "family", "box", "expect",
                "claim", "replay", "where", "scope", "at_sizes", "transfer", "target"},
               "a case");
  read_layout_keys(in, table, request);
  if (const auto family = in.text(table, "family", false)) {
    request.family = family->text;
    const auto known = use::families();
    if (std::ranges::none_of(known, [&](const use::Family* f) { return f->name == family->text; }))
      in.fail(table.get("family")->source(), no_such_family(family->text));
  }
  request.box = in.text(table, "box", false);
  request.where = in.text(table, "where", false);
  request.sizes = in.text(table, "at_sizes", false);
  if (const auto scope = in.text(table, "scope", false)) {
    request.all_sizes = scope->text == "all-sizes", request.one_size = scope->text == "instance";
    if (scope->text != "all-sizes" && scope->text != "instance")
      in.fail(table.get("scope")->source(), "expected \"all-sizes\" or \"instance\"");
  }
  if (const toml::node* node = table.get("expect")) read_expect(in, *node, request);
  if (const toml::node* node = table.get("claim")) {
    const toml::array* list = node->as_array();
    if (list == nullptr || !list->is_array_of_tables()) in.fail(node->source(), "expected [[case.claim]]");
    else
      for (const toml::node& item : *list) request.claims.push_back(read_claim(in, *item.as_table()));
  }
  take_transfer(in, table, request);
  if (const toml::node* node = table.get("replay"))
    request.replay = std::make_shared<const ReplayRequest>(read_replay(in, *node));
  return request;
}

// Moves what is wrong since the last call into the file's errors; returns whether there was anything.
bool set_aside(TomlDocument& in, const std::optional<std::string>& id, CaseFile& out) {
  bool further = false;
  for (Diagnostic& wrong : in.take_errors()) {
    out.errors.push_back({id, out.cases.size() + out.places.size(), further && id, std::move(wrong)});
    further = true;
  }
  return further;
}

// Reads the cases of an array, if it is one. Errors of a case that is wrong are set aside. Of a good case the place is
// kept, if there is a part of which it is one.
void read_array(TomlDocument& in, const toml::node* list, Ids& ids, CaseFile& out, const CasePlace* part = nullptr) {
  const toml::array* array = list != nullptr ? list->as_array() : nullptr;
  if (array == nullptr || array->empty() || !array->is_array_of_tables())
    in.fail_at(list != nullptr ? in.position(list->source().begin) : 0, "expected at least one [[case]]");
  if (set_aside(in, {}, out)) return;
  for (std::uint32_t number = 0; const toml::node& node : *array) {
    CaseRequest request = read_case(in, ids, *node.as_table());
    if (!set_aside(in, request.id, out)) {
      if (part == nullptr) {
        out.cases.push_back(std::move(request));
      } else {
        out.places.push_back(*part);
        out.places.back().id = std::move(*request.id), out.places.back().number = number;
      }
    }
    ++number;
  }
}

void check_head(TomlDocument& in, const toml::table& root, CaseFile& out) {
  in.only_keys(root, {"schema", "case"}, "a case file");
  set_aside(in, {}, out);
  const auto schema = root["schema"].value<Index>();
  if (schema && *schema == 1) return;
  if (const toml::node* node = root.get("schema")) in.fail(node->source(), "expected schema = 1");
  else in.fail_at(0, "expected schema = 1 at the head of the file");
}

CaseFile cases(TomlDocument& in, const toml::table& root) {
  CaseFile out;
  Ids ids;
  check_head(in, root, out);
  read_array(in, root.get("case"), ids, out);
  return out;
}

// A file whose cases begin at `starts`, one table of TOML after another: 100,000 of them need no more memory than their
// requests, or their places. What is no TOML is wrong as a whole.
CaseFile cases_of_parts(TomlDocument& in, const toml::table& head, const std::vector<std::size_t>& starts,
                        bool places) {
  CaseFile out;
  Ids ids;
  check_head(in, head, out);
  if (set_aside(in, {}, out)) return out;
  CasePlace place{{}, std::make_shared<const std::string>(in.file()), in.document(), 0, 0, 0};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : in.document()->text().size();
    const toml::table part = in.parse_part(starts[i], end);
    if (in.failed()) return out = {}, set_aside(in, {}, out), out;
    in.only_keys(part, {"case"}, "a case file");
    set_aside(in, {}, out);
    place.begin = static_cast<std::uint32_t>(starts[i]), place.end = static_cast<std::uint32_t>(end);
    read_array(in, part.get("case"), ids, out, places ? &place : nullptr);
  }
  return out;
}

}  // namespace

std::string no_such_claim(std::string_view name, bool of_nests) {
  std::vector<std::string_view> known;
  for (const claims::Claim& claim : claims::claims())
    if (of_nests == claims::is_about_nests(claim)) known.push_back(claim.name);
  return fmt::format("'{}' is not a claim{}; {}", name, of_nests ? " about nests" : "", one_of(name, known));
}

std::string no_such_family(std::string_view name) {
  std::vector<std::string_view> known;
  for (const use::Family* family : use::families()) known.push_back(family->name);
  return fmt::format("'{}' is not a family; {}", name, one_of(name, known));
}

const claims::Claim* claim_named(TomlDocument& in, std::string_view name, const toml::source_region& where,
                                 bool nests) {
  const claims::Claim* found = claims::find_claim(name, nests);
  if (found != nullptr) return found;
  if (!nests && claims::find_claim(name, true) != nullptr) {
    in.fail(where, fmt::format("'{}' is about loop nests; write it as [[case.claim]] with the key 'nests'", name));
    return nullptr;
  }
  in.fail(where, no_such_claim(name, nests));
  return nullptr;
}

std::optional<question::Expectation> expectation(TomlDocument& in, const toml::node& node,
                                                 const ClaimRequest& request) {
  const bool measures = request.claim != nullptr && request.claim->measures && !request.at_most;
  if (const auto* number = node.as_integer(); number != nullptr && measures) return number->get();
  const auto word = node.value<std::string>();
  if (node.is_string() && word && std::ranges::find(kVerdicts, *word) != kVerdicts.end()) return *word;
  in.fail(node.source(),
          fmt::format("expected one of {}{}", fmt::join(kVerdicts, ", "), measures ? ", or a number" : ""));
  return std::nullopt;
}

void expect_of(TomlDocument& in, const toml::node& node, ClaimRequest& request) {
  const bool measures = request.claim != nullptr && request.claim->measures && !request.at_most &&
                        request.claim->lifted != claims::Lifted::No;
  const auto word = node.value<std::string>();
  if (measures && node.is_string() && word && std::ranges::find(kVerdicts, *word) == kVerdicts.end()) {
    const auto expression = map::parse_expression(*word);
    if (!expression) in.fail(node.source(), expression.error().message);
    else request.expression = map::print(*expression);
    return;
  }
  request.expected = expectation(in, node, request);
}

CaseRequest CasePlace::read() const {
  TomlDocument in(*file, document);
  const toml::table part = in.parse_part(begin, end);
  Ids ids;
  return read_case(in, ids, *part["case"][number].as_table());
}

namespace {

CaseFile cases_in(const std::string& file, std::string document, bool places) {
  const std::size_t end = document.size();
  TomlDocument in(file, std::move(document));
  CaseFile out;
  if (in.refused()) return set_aside(in, {}, out), out;
  const std::vector<std::size_t> starts = in.starts_of("[[case]]");
  toml::table root = in.parse_part(0, starts.empty() ? end : starts.front());
  if (!in.failed() && !starts.empty() && !root.contains("case")) return cases_of_parts(in, root, starts, places);
  if (!starts.empty()) root = in.parse();
  // The files of a corpus include profiles of hardware, chips, arithmetic and targets, which are read and have no
  // cases.
  if (in.failed()) return set_aside(in, {}, out), out;
  if (is_hardware(root)) (void)hardware_of(in, root);
  else if (is_chip(root)) (void)chip_of(in, root);
  else if (is_arithmetic(root)) (void)arithmetic_of(in, root);
  else if (is_target(root)) (void)target_of(in, root);
  else out = cases(in, root);
  set_aside(in, {}, out);
  return out;
}

}  // namespace

CaseFile parse_cases(const std::string& file, std::string document) {
  return cases_in(file, std::move(document), false);
}

CaseFile find_cases(const std::string& file, std::string document) { return cases_in(file, std::move(document), true); }

}  // namespace vl::session
