#include "verifier/session/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/session/profiles.h"

namespace vl::session {
namespace {

constexpr std::size_t kMostRules = 200;

use::Authority authority_of(TomlDocument& in, const toml::table& table) {
  constexpr std::array kLevels = {use::Authority::Document, use::Authority::Driver, use::Authority::Toolchain,
                                  use::Authority::Disputed};
  const auto level = in.text(table, "level", true);
  if (!level) return use::Authority::Document;
  for (const use::Authority each : kLevels)
    if (use::name(each) == level->text) return each;
  in.fail(table.get("level")->source(), "expected document, driver, toolchain or disputed for 'level'");
  return use::Authority::Document;
}

std::vector<use::FieldComparison> condition_of(TomlDocument& in, const toml::table& table, std::string_view key,
                                               const use::DescriptorKind& kind) {
  const auto text = in.text(table, key, key == "then");
  if (!text) return {};
  auto read = use::parse_rule_condition(text->text, kind);
  if (read) return std::move(*read);
  in.fail(table.get(key)->source(), fmt::format("'{}': {}", key, read.error().message));
  return {};
}

use::TargetRule rule_of(TomlDocument& in, const toml::table& table, const use::DescriptorKind& kind, bool erratum) {
  if (erratum) in.only_keys(table, {"name", "if", "then", "source"}, "an erratum");
  else in.only_keys(table, {"name", "each", "if", "then", "level", "source"}, "a rule of a target");
  use::TargetRule out;
  if (const auto name = in.text(table, "name", true)) out.name = name->text;
  if (const auto each = in.text(table, "each", false)) {
    out.each = each->text;
    if (!use::has_field(kind, out.each))
      in.fail(table.get("each")->source(), fmt::format("'{}' is no field of {}", out.each, kind.name));
  }
  out.when = condition_of(in, table, "if", kind);
  out.holds = condition_of(in, table, "then", kind);
  out.level = erratum ? use::Authority::Erratum : authority_of(in, table);
  if (const auto source = in.text(table, "source", true)) out.source = source->text;
  return out;
}

void read_rules(TomlDocument& in, const toml::table& root, std::string_view key, const use::DescriptorKind& kind,
                use::Target& out) {
  const toml::node* node = root.get(key);
  const toml::array* list = node != nullptr ? node->as_array() : nullptr;
  if (node != nullptr && (list == nullptr || !list->is_array_of_tables()))
    return in.fail(node->source(), fmt::format("expected [[{}]]", key));
  for (std::size_t k = 0; list != nullptr && k < list->size() && k < kMostRules; ++k)
    out.rules.push_back(rule_of(in, *list->get(k)->as_table(), kind, key == "erratum"));
  if (list != nullptr && list->size() > kMostRules)
    in.fail(node->source(), fmt::format("more than {} entries", kMostRules));
}

}  // namespace

bool is_target(const toml::table& root) { return root.contains("kind") && !root.contains("case"); }

use::Target target_of(TomlDocument& in, const toml::table& root) {
  in.only_keys(root, {"schema", "name", "kind", "rule", "erratum"}, "a target");
  use::Target out;
  if (in.integer(root, "schema") != 1) in.fail(root.source(), "expected schema = 1 in a target");
  if (const auto name = in.text(root, "name", true)) out.name = name->text;
  const auto kind = in.text(root, "kind", true);
  const use::DescriptorKind* known = kind ? use::descriptor_kind(kind->text) : nullptr;
  if (known == nullptr) {
    std::vector<std::string_view> names;
    for (const use::DescriptorKind& each : use::descriptor_kinds()) names.push_back(each.name);
    if (kind)
      in.fail(root.get("kind")->source(),
              fmt::format("'{}' is no kind of descriptor; {}", kind->text, one_of(kind->text, names)));
    return out;
  }
  out.kind = kind->text;
  read_rules(in, root, "rule", *known, out);
  read_rules(in, root, "erratum", *known, out);
  if (out.rules.empty()) in.fail(root.source(), "expected at least one [[rule]]");
  return out;
}

std::vector<std::string> target_names() { return names_of(target_files()); }

std::variant<use::Target, Diagnostic> read_target(const SourceText& name) {
  return read_profile(name, {"a target", "targets", target_files()}, target_of);
}

namespace {

// Those that are compiled in, parsed once.
const std::vector<std::pair<std::string, use::Target>>& known_targets() {
  static const std::vector<std::pair<std::string, use::Target>> all = [] {
    std::vector<std::pair<std::string, use::Target>> out;
    for (std::string& name : target_names()) {
      auto read = read_target(SourceText::option("--target", name));
      if (auto* target = std::get_if<use::Target>(&read)) out.emplace_back(std::move(name), std::move(*target));
    }
    return out;
  }();
  return all;
}

}  // namespace

std::vector<const use::Target*> targets_for(std::string_view kind) {
  std::vector<const use::Target*> out;
  for (const auto& [name, target] : known_targets())
    if (target.kind == kind) out.push_back(&target);
  return out;
}

}  // namespace vl::session
