#include "encodings/use/named_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/scan.h"

namespace vl::use {

Result<std::string> with_sizes(std::string_view text, std::span<const NamedSize> named, const map::Sizes& sizes,
                               Index least) {
  std::vector<Definition> definitions;
  for (const auto& [name, value] : sizes) definitions.push_back({name, value});
  std::string out;
  std::size_t copied = 0;
  for (const NamedSize& size : named) {
    const std::string_view said = text.substr(size.start, size.end - size.start);
    if (said.find_first_not_of("0123456789") == said.npos) continue;
    std::vector<std::string> names;
    map::add_names(size.value, names);
    out += text.substr(copied, size.start - copied);
    copied = size.end;
    if (!std::ranges::all_of(names, [&](const std::string& name) { return sizes.contains(name); })) {
      out += bound(said, definitions);
      continue;
    }
    const auto value = map::evaluate(size.value, sizes);
    if (!value) return Error{value.error().code, value.error().message, size.start};
    if (*value < least) return Error{ErrorCode::Value, fmt::format("{} is {}", said, *value), size.start};
    out += fmt::format("{}", *value);
  }
  return out + std::string(text.substr(copied));
}

}  // namespace vl::use
