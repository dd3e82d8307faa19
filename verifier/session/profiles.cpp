#include "verifier/session/profiles.h"

#include <algorithm>

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
