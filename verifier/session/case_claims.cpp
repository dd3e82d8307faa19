#include "verifier/session/case_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/cursor.h"
#include "encodings/base/words.h"

namespace vl::session {
namespace {

std::vector<use::Slice> slices(TomlDocument& in, const toml::node& node) {
  std::vector<use::Slice> out;
  const toml::array* array = node.as_array();
  if (array == nullptr) in.fail(node.source(), "expected a list of strings for 'slices', as in [\"0:64\", \"64:67\"]");
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const toml::node& item = *array->get(i);
    const auto text = item.value<std::string>();
    const auto slice = use::parse_slice(item.is_string() && text ? *text : "?");
    if (slice) out.push_back(*slice);
    else
      in.fail(item.source(),
              "expected a slice of one begin:end a dimension, as in \"0:5, 0:64\": " + slice.error().message);
  }
  return out;
}

void read_division(TomlDocument& in, const toml::table& table, ClaimRequest& out) {
  use::Division division;
  if (table.get("splits") == nullptr && table.get("slices") == nullptr)
    in.fail(table.source(), "'partition' needs splits = [..], slices = [\"0:64\", ..], or both");
  if (const toml::node* node = table.get("splits")) division.splits = in.integers(*node, "splits");
  if (const toml::node* node = table.get("scales")) division.scales = in.integers(*node, "scales");
  if (const toml::node* node = table.get("sticks")) division.sticks = in.integers(*node, "sticks");
  if (const toml::node* node = table.get("order")) {
    const auto word = node->value<std::string>();
    division.last_fastest = node->is_string() && word == "last-fastest";
    if (node->is_array())
      for (const Index dim : in.integers(*node, "order")) division.order.push_back(index_of(dim));
    else if (!division.last_fastest && word != "first-fastest")
      in.fail(node->source(), "expected \"first-fastest\", \"last-fastest\" or a list of dimensions for 'order'");
  }
  division.cores = in.integer(table, "cores").value_or(division.cores);
  division.span = in.integer(table, "span").value_or(division.span);
  division.stick = in.integer(table, "stick").value_or(division.stick);
  if (const toml::node* node = table.get("slices")) division.slices = slices(in, *node);
  const toml::node* where = table.get(table.get("splits") != nullptr ? "splits" : "slices");
  out.arguments.push_back({"splits", in.place(where != nullptr ? *where : table)});
  out.division = std::move(division);
}

// What padding holds is said of inputs, to claims that read it.
void refuse_padding(TomlDocument& in, const toml::table& operand, const claims::Claim& claim, bool result) {
  for (const char* key : {"padding", "contents"}) {
    const toml::node* node = operand.get(key);
    if (node != nullptr && result)
      in.fail(node->source(), fmt::format("unused key '{}': the operation writes its results", key));
    else if (node != nullptr && claims::is_about<claims::Operated>(claim))
      in.fail(node->source(), fmt::format("unused key '{}': {} asks of shapes and sticks; what padding holds is asked "
                                          "with 'neutral'",
                                          key, claim.name));
  }
}

void read_operands(TomlDocument& in, const toml::table& table, std::string_view key, const claims::Claim& claim,
                   OperationRequest& out) {
  const toml::node* node = table.get(key);
  const toml::array* list = node != nullptr ? node->as_array() : nullptr;
  if (list != nullptr && list->empty()) return;
  if (node != nullptr && (list == nullptr || !list->is_array_of_tables()))
    in.fail(node->source(), fmt::format("expected a list of tables {{layout, tensor}} for '{}'", key));
  for (std::size_t i = 0; list != nullptr && list->is_array_of_tables() && i < list->size(); ++i) {
    const toml::table& operand = *list->get(i)->as_table();
    in.only_keys(operand,
                 {"layout", "tensor", "strides", "offset", "view_offset", "scales", "padding", "contents", "padded"},
                 "an operand");
    refuse_padding(in, operand, claim, key == "results");
    OperandRequest& read = out.operands.emplace_back();
    read_layout_keys(in, operand, read.of);
    read.scales = in.integers_at(operand, "scales");
    read.result = key == "results";
    read.padding = in.text(operand, "padding", false);
    read.contents = in.text(operand, "contents", false);
    read.padded = in.text(operand, "padded", false);
  }
}

void read_operation(TomlDocument& in, const toml::table& table, ClaimRequest& out) {
  OperationRequest operation;
  if (auto name = in.text(table, "operation", true)) operation.name = std::move(*name);
  read_operands(in, table, "operands", *out.claim, operation);
  read_operands(in, table, "results", *out.claim, operation);
  operation.scales = in.integers_at(table, "scales");
  operation.dims = in.text(table, "dims", false);
  if (const toml::node* node = table.get("reduce")) operation.reduced = in.integers(*node, "reduce");
  if (const auto rule = in.text(table, "rule", false)) {
    const auto rules = use::rule_set_of(rule->text);
    if (!rules) in.fail(table.get("rule")->source(), "expected 'documents' or 'upstream' for 'rule'");
    operation.rules = rules.value_or(use::RuleSet::Upstream);
  }
  out.operation = std::move(operation);
}

void only_keys_of(TomlDocument& in, const toml::table& table, const claims::Claim& claim) {
  std::vector<std::string_view> known = claim.keys.list();
  known.insert(known.begin(), "claim");
  known.insert(known.end(), {"expect", "counterexample", "holds"});
  // read_claim reports the error of these keys
  if (claim.keys.all.empty() || claim.keys.all == "with") known.insert(known.begin() + 1, {"with", "direction"});
  for (const auto& [key, node] : table)
    if (std::ranges::find(known, key.str()) == known.end())
      in.fail(key.source(),
              fmt::format("unknown key '{}' in the claim {}; {}", key.str(), claim.name, one_of(key.str(), known)));
}

void read_counterexample(TomlDocument& in, const toml::table& table, ClaimRequest& out) {
  const toml::node* node = table.get("counterexample");
  if (node == nullptr) return;
  const toml::table* fields = node->as_table();
  if (fields == nullptr) in.fail(node->source(), "expected a table of coordinates for 'counterexample'");
  if (fields != nullptr)
    for (const auto& [key, value] : *fields) {
      if (const auto* number = value.as_integer()) out.counterexample.emplace_back(key.str(), number->get());
      else if (const auto* text = value.as_string()) out.counterexample.emplace_back(key.str(), text->get());
      else out.counterexample.emplace_back(key.str(), in.integers(value, key.str()));
    }
  const auto* word = out.expected ? std::get_if<std::string>(&*out.expected) : nullptr;
  const bool wrong = !out.expected && table.contains("expect");  // which was said already
  if (!wrong && (word == nullptr || *word != "refuted"))
    in.fail(node->source(), "a counterexample needs expect = \"refuted\"");
}

}  // namespace

const SourceText* ClaimRequest::text(std::string_view key) const {
  const auto found = std::ranges::find(arguments, key, &ClaimArgument::key);
  return found == arguments.end() ? nullptr : &found->text;
}

std::optional<std::string> give(ClaimRequest& claim, std::string_view key, SourceText text) {
  if (!claim.claim->keys.has(key)) return fmt::format("{} has no key '{}'", claim.claim->name, key);
  if (key == "at_most") {
    Cursor in(text.text);
    const Index limit = in.integer("a limit");
    in.expect_end();
    if (in.failed() || limit < 0)
      return fmt::format("{}: at_most needs one integer that is not negative", claim.claim->name);
    claim.at_most = limit;
    return std::nullopt;
  }
  if (claim.text(key) != nullptr) return fmt::format("{}: '{}' is given twice", claim.claim->name, key);
  claim.arguments.push_back({std::string(key), std::move(text)});
  return std::nullopt;
}

std::string_view lacks(const ClaimRequest& claim) {
  const std::vector<std::string_view> keys = claim.claim->keys.list();
  return keys.empty() || claim.text(keys.front()) != nullptr ? std::string_view{} : claims::needs(*claim.claim);
}

void number_strides(CaseRequest& request) {
  const auto strides = map::parse_rule_strides(request.named_strides->text);
  if (!strides) return;
  std::vector<Index> numbers;
  for (const map::Expression& stride : *strides)
    if (const auto number = stride.number()) numbers.push_back(*number);
  if (numbers.size() < strides->size()) return;
  request.strides = std::move(numbers);
  request.strides_text = std::exchange(request.named_strides, std::nullopt);
}

void number_offsets(CaseRequest& request) {
  for (const auto& [text, into] : {std::pair(&request.named_offset, &request.offset),
                                   std::pair(&request.named_view_offset, &request.view_offset)}) {
    const auto offset = *text ? map::parse_rule_offset((*text)->text) : map::Expression(0);
    if (!*text || !offset || !offset->number()) continue;
    *into = *offset->number();
    text->reset();
  }
}

void read_layout_keys(TomlDocument& in, const toml::table& table, CaseRequest& out) {
  if (auto layout = in.text(table, "layout", true)) out.layout = std::move(*layout);
  if (auto tensor = in.text(table, "tensor", true)) out.tensor = std::move(*tensor);
  if (const toml::node* strides = table.get("strides")) {
    const toml::array* list = strides->as_array();
    if (list != nullptr && std::ranges::any_of(*list, [](const toml::node& one) { return one.is_string(); })) {
      out.named_strides = in.place(*strides);
      out.named_strides->verbatim = false;
      for (const toml::node& one : *list) {
        const auto text = one.value<std::string>();  // of an integer, too
        if (!text && !one.is_integer()) in.fail(one.source(), "expected an integer or an expression in 'strides'");
        out.named_strides->text +=
            fmt::format("{}{}", out.named_strides->text.empty() ? "" : ", ",
                        one.is_integer() ? fmt::format("{}", one.as_integer()->get()) : text.value_or("0"));
      }
      number_strides(out);
    } else {
      out.strides = in.integers(*strides, "strides");
      out.strides_text = in.place(*strides);
    }
  }
  const auto offset = [&](const char* key, std::optional<SourceText>& named) -> Index {
    const toml::node* said = table.get(key);
    if (said == nullptr || !said->is_string()) return in.not_negative(table, key);
    named = in.text(table, key, true);
    return 0;
  };
  out.offset = offset("offset", out.named_offset);
  out.view_offset = offset("view_offset", out.named_view_offset);
  number_offsets(out);
}

ClaimRequest read_claim(TomlDocument& in, const toml::table& table) {
  ClaimRequest out;
  const bool has_nests = table.contains("nests");
  if (const auto name = in.text(table, "claim", true))
    out.claim = claim_named(in, name->text, table.get("claim")->source(), has_nests);
  if (out.claim == nullptr) return out;
  const claims::Claim& claim = *out.claim;
  only_keys_of(in, table, claim);
  const bool divides = claims::is_about<claims::Divided>(claim), operates = claims::is_about_operation(claim);
  if (divides) read_division(in, table, out);
  if (operates) read_operation(in, table, out);
  if (has_nests) {
    out.rule_nests = read_case_rule_nests(table);
    if (out.rule_nests == nullptr || !use::has_expressions(*out.rule_nests)) out.nests = read_case_nests(in, table);
    out.nests_text = in.letters(*table.get("nests"));
    if (table.get("nests")->is_string()) out.nests_at = *in.text(table, "nests", true);
  }
  if (!has_nests && table.contains("direction"))
    in.fail(table.get("direction")->source(), "a direction goes with nests");
  const bool devices = (out.nests && out.nests->direction == use::Direction::DeviceToDevice) ||
                       (out.rule_nests && out.rule_nests->direction == use::Direction::DeviceToDevice);
  const bool compares = has_nests ? devices : claim.keys.has("with");
  if (auto with = in.text(table, "with", compares)) {
    if (compares) out.arguments.push_back({"with", std::move(*with)});
    else in.fail(table.get("with")->source(), fmt::format("'{}' has no second layout", claim.name));
  }
  constexpr std::string_view kRead[] = {"with",     "at_most", "nests", "direction", "operation",  // elsewhere
                                        "operands", "results", "dims",  "reduce",    "rule",      "scales"};
  if (!divides)
    for (const std::string_view key : claim.keys.list())
      if (std::ranges::find(kRead, key) == std::end(kRead))
        if (auto words = in.words(table, key))
          if (auto wrong = give(out, key, std::move(*words))) in.fail(table.get(key)->source(), std::move(*wrong));
  if (table.contains("at_most")) out.at_most = in.not_negative(table, "at_most");
  if (const toml::node* node = table.get("expect")) expect_of(in, *node, out);
  if (const auto holds = in.text(table, "holds", false)) out.holds = holds->text;
  read_counterexample(in, table, out);
  return out;
}

}  // namespace vl::session
