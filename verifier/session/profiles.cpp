#include "verifier/session/profiles.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace vl::session {

std::vector<std::string> names_of(std::span<const EmbeddedFile> files) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : files) names.emplace_back(file.name);
  std::ranges::sort(names);
  return names;
}

Diagnostic not_a_profile(const Diagnostic& found, std::string_view what) {
  return {found.file, found.line, found.column, fmt::format("expected schema = 1 and the other keys of {}", what),
          {},         0};
}

bool is_profile_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".toml");
}

std::string_view profile_path(std::string_view key, std::string_view argument) {
  constexpr std::array<std::string_view, 6> kNamed = {"hardware", "capacity",   "alignment",
                                                      "minimum",  "arithmetic", "target"};
  if (std::ranges::find(kNamed, key) == kNamed.end()) return {};
  if (key == "hardware" || key == "target") return is_profile_path(argument) ? argument : std::string_view{};
  argument.remove_prefix(std::min(argument.find_first_not_of(" \t"), argument.size()));
  const std::string_view first = argument.substr(0, argument.find_first_of(" \t"));
  const bool entry = key == "arithmetic" && first.find('=') != std::string_view::npos && !first.ends_with(".toml");
  return is_profile_path(first) && !entry ? first : std::string_view{};
}

std::optional<std::string> canonical_profile(const std::string& path) {
  const auto text = read_file(path, "a profile", kLargestProfile);
  if (!std::holds_alternative<std::string>(text)) return std::nullopt;
  TomlDocument in(path, std::get<std::string>(text));
  toml::table root = in.parse();
  if (in.failed()) return std::nullopt;
  root.erase("source");
  std::ostringstream out;
  out << root << '\n';
  return out.str();
}

Index integer_within(TomlDocument& in, const toml::table& table, std::string_view key, Ends ends,
                     std::string_view what) {
  const auto value = in.integer(table, key);
  if (!value) {
    in.fail(table.source(), fmt::format("expected '{}' in {}", key, what));
    return ends.least;
  }
  if (*value < ends.least || *value > ends.most)
    in.fail(table.get(key)->source(), fmt::format("'{}' is {}; expected {} to {}", key, *value, ends.least, ends.most));
  return *value;
}

}  // namespace vl::session
