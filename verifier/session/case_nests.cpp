// The nests of a case file.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/case_claims.h"
#include "verifier/session/nests_file.h"
#include "verifier/session/rule_nests_file.h"

namespace vl::session {
namespace {

// The value of one field of a nest; an offset is a list of one.
NestField nest_field(TomlDocument& in, const toml::node& node, std::string_view name) {
  NestField field{{}, in.position(node.source().begin)};
  if (!is_offset(name)) field.values = in.integers(node, name);
  if (const auto negative = std::ranges::find_if(field.values, [](Index n) { return n < 0; });
      name == kNestFields[0] && negative != field.values.end())
    in.fail(node.as_array()->get(static_cast<std::size_t>(negative - field.values.begin()))->source(),
            fmt::format("expected an extent that is not negative, found {}", *negative));
  if (!is_offset(name)) return field;
  if (const auto* value = node.as_integer()) field.values = {value->get()};
  else in.fail(node.source(), fmt::format("expected an integer for '{}'", name));
  return field;
}

}  // namespace

std::shared_ptr<const use::RuleTransfer> read_case_rule_nests(const toml::table& table) {
  const auto* text = table.get("nests")->as_string();
  auto transfer = text != nullptr ? parse_rule_nests(text->get()) : Result<use::RuleTransfer>(Error{});
  return transfer ? std::make_shared<const use::RuleTransfer>(std::move(*transfer)) : nullptr;
}

// Nests as a list of tables, with the fields of their JSON, or as a text in any form that --nests reads.
std::shared_ptr<const use::Transfer> read_case_nests(TomlDocument& in, const toml::table& table) {
  std::optional<use::Direction> direction;
  if (const auto name = in.text(table, "direction", false)) {
    direction = use::direction_of(name->text);
    if (!direction) in.fail(table.get("direction")->source(), "expected \"h2d\", \"d2h\" or \"d2d\"");
  }
  const toml::node& node = *table.get("nests");
  if (node.is_string()) {
    const auto source = in.text(table, "nests", true);
    auto transfer = parse_nests(source->text, direction);
    if (transfer) return std::make_shared<const use::Transfer>(std::move(*transfer));
    in.fail_at(source->at + (source->verbatim ? transfer.error().offset : 0), transfer.error().message);
    return nullptr;
  }
  const toml::array* list = node.as_array();
  if (list == nullptr || !std::ranges::all_of(*list, [](const toml::node& item) { return item.is_table(); })) {
    in.fail(node.source(), "expected a list of nests {..}, or a text");
    return nullptr;
  }
  use::Transfer transfer{direction.value_or(use::Direction::HostToDevice), {}};
  for (const toml::node& item : *list) {
    NestFields fields;
    for (const auto& [key, value] : *item.as_table()) {
      const auto known = std::ranges::find(kNestFields, key.str());
      if (known == kNestFields.end())
        in.fail(key.source(), fmt::format("unknown key '{}' in a nest; expected extents, host_strides, device_strides, "
                                          "host_offset, device_offset",
                                          key.str()));
      else fields[static_cast<std::size_t>(known - kNestFields.begin())] = nest_field(in, value, key.str());
    }
    if (in.failed()) return nullptr;
    auto nest = nest_of(fields, transfer.direction, in.position(item.source().begin));
    if (!nest) {
      in.fail_at(nest.error().offset, nest.error().message);
      return nullptr;
    }
    transfer.nests.push_back(std::move(*nest));
  }
  return std::make_shared<const use::Transfer>(std::move(transfer));
}

}  // namespace vl::session
