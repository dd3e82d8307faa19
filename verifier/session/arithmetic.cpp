#include "verifier/session/arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verifier/session/profiles.h"

namespace vl::session {
namespace {

// A text, a flag, or a list of texts, joined by |. Nothing: an error.
std::optional<std::string> alternatives_of(TomlDocument& in, const toml::node& node, std::string_view key) {
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* word = node.as_string()) return word->get();
  std::vector<std::string> out;
  const toml::array* list = node.as_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if (const auto* word = list->get(i)->as_string()) out.push_back(word->get());
  if (list != nullptr && !out.empty() && out.size() == list->size()) return fmt::format("{}", fmt::join(out, "|"));
  in.fail(node.source(), fmt::format("expected a text or a list of texts for '{}'", key));
  return std::nullopt;
}

void take_entry(TomlDocument& in, const toml::table& root, values::Entry entry, values::Profile& out) {
  const std::string_view key = name(entry);
  const toml::node* node = root.get(key);
  const auto words = node == nullptr ? std::string("unknown") : alternatives_of(in, *node, key);
  if (!words) return;
  if (const auto error = set_entry(out, entry, *words)) in.fail(node->source(), error->message);
}

void take_facts(TomlDocument& in, const toml::node& node, values::Profile& out) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return in.fail(node.source(), "expected a table [[function]]");
  in.only_keys(*table, {"name", "type", "of", "gives", "source"}, "a function");
  const auto word = [&](std::string_view key, bool required) {
    const auto text = in.text(*table, key, required);
    return text ? text->text : std::string();
  };
  values::Fact fact{"", word("type", false), word("of", true), word("gives", true), word("source", false)};
  const toml::node* names = table->get("name");
  if (names == nullptr) return in.fail(table->source(), "the key 'name' is missing");
  const auto list = alternatives_of(in, *names, "name");
  if (!list || in.failed()) return;
  for (std::size_t at = 0; at <= list->size();) {
    const std::size_t end = std::min(list->find('|', at), list->size());
    fact.function = list->substr(at, end - at);
    if (const auto error = wrong_with(fact)) return in.fail(table->source(), error->message);
    out.facts.push_back(fact);
    at = end + 1;
  }
}

}  // namespace

bool is_arithmetic(const toml::table& root) { return root.contains("arithmetic") && !root.contains("case"); }

values::Profile arithmetic_of(TomlDocument& in, const toml::table& root) {
  constexpr std::size_t kMostFacts = 256;
  in.only_keys(root,
               {"schema", "arithmetic", "source", "accumulate", "start", "order", "max", "flush", "integers", "fused",
                "ties", "rounding", "conversion", "function"},
               "a profile of an arithmetic");
  values::Profile out;
  if (in.integer(root, "schema") != 1) in.fail(root.source(), "expected schema = 1 in a profile of an arithmetic");
  if (const auto text = in.text(root, "arithmetic", true)) out.name = text->text;
  if (const auto text = in.text(root, "source", false)) out.source = text->text;
  for (const values::Entry entry : values::entries()) take_entry(in, root, entry, out);
  const toml::node* functions = root.get("function");
  if (functions == nullptr) return out;
  const toml::array* list = functions->as_array();
  if (list == nullptr || list->size() > kMostFacts) {
    in.fail(functions->source(), fmt::format("expected at most {} tables [[function]]", kMostFacts));
    return out;
  }
  for (const toml::node& node : *list) take_facts(in, node, out);
  if (in.failed()) return out;
  if (const std::string message = values::contradiction(out.facts); !message.empty())
    in.fail(functions->source(), fmt::format("the functions contradict one another: {}", message));
  return out;
}

std::variant<values::Profile, Diagnostic> read_arithmetic(const SourceText& text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t start = std::min(text.text.find_first_not_of(kSpace), text.text.size());
  const std::size_t end = std::min(text.text.find_first_of(kSpace, start), text.text.size());
  SourceText first = text;
  first.text = text.text.substr(start, end - start);
  first.at += start;
  if (!first.document && first.line == 0) first.line = 1, first.column = start + 1;
  values::Profile base;
  std::size_t entries = start;
  if (first.text.find('=') == std::string::npos || first.text.ends_with(".toml")) {
    auto named = read_profile(first, {"an arithmetic", "arithmetic", arithmetic_files()}, arithmetic_of);
    if (auto* diagnostic = std::get_if<Diagnostic>(&named)) return std::move(*diagnostic);
    base = std::get<values::Profile>(std::move(named));
    entries = end;
  }
  auto out = values::parse_profile(std::string_view(text.text).substr(entries), base);
  if (out) return *std::move(out);
  Error error = out.error();
  error.offset += entries;
  return text.diagnose(error);
}

}  // namespace vl::session
