// What a user states of padding, as text and by region.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/words.h"
#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"

namespace vl::claims {
namespace {

using values::CodeSet;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_part(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == ' '; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The length of "M+K" in front of a colon; nothing where a statement has no region. "bits:0x7fff" is a state.
std::optional<std::size_t> region_end(std::string_view statement) {
  std::size_t end = 0;
  while (end < statement.size() && is_part(statement[end])) ++end;
  const std::string_view name = trimmed(statement.substr(0, end));
  const bool region = end < statement.size() && statement[end] == ':' && !name.empty() && is_letter(name.front());
  return region && name != "bits" ? std::optional(end) : std::nullopt;
}

Result<use::Region> region_of(std::string_view names, std::size_t offset, std::span<const use::OperationDim> dims) {
  use::Region out = 0;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find('+', at), names.size());
    const std::string_view name = trimmed(names.substr(at, end - at));
    const auto found = std::ranges::find(dims, name, &use::OperationDim::name);
    if (found == dims.end()) {
      std::vector<std::string_view> known{"holes"};
      for (const use::OperationDim& dim : dims) known.push_back(dim.name);
      return Error{ErrorCode::Value,
                   fmt::format("'{}' is not a dimension of the operation; {}", name, one_of(name, known)), offset + at};
    }
    out |= use::Region{1} << (found - dims.begin());
    at = end + 1;
  }
  return out;
}

}  // namespace

CodeSet PaddingStates::of(use::Region region, const values::Format& format) const {
  const auto within = [&](const Said& one) { return (one.dims & ~region) == 0; };
  std::optional<CodeSet> out;
  for (const Said& one : said) {
    const bool largest = within(one) && std::ranges::none_of(said, [&](const Said& other) {
                           return within(other) && other.dims != one.dims && (one.dims & ~other.dims) == 0;
                         });
    if (largest) out = out ? out->united(one.codes) : one.codes;
  }
  return out.value_or(CodeSet::all(format));
}

CodeSet PaddingStates::of_holes(const values::Format& format) const { return holes ? *holes : of(0, format); }

Result<PaddingStates> read_padding(std::string_view text, std::span<const use::OperationDim> dims,
                                   const values::Format& format, const CodeSet& contents) {
  PaddingStates out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::string_view statement = text.substr(at, end - at);
    const auto colon = region_end(statement);
    const std::string_view name = trimmed(statement.substr(0, colon.value_or(0)));
    const std::size_t start = at + (colon ? *colon + 1 : 0);
    if (text.empty() || (trimmed(statement).empty() && end == text.size() && at > 0)) break;
    auto codes = values::parse_state(text.substr(start, end - start), format, &contents);
    if (!codes) return Error{codes.error().code, codes.error().message, start + codes.error().offset};
    if (name == "holes" || name == "lanes") {
      if (out.holes) return Error{ErrorCode::Value, "holes are stated twice", at};
      out.holes = std::move(*codes);
    } else {
      auto region = name.empty() ? Result<use::Region>(use::Region{0}) : region_of(name, at, dims);
      if (!region) return region.error();
      if (std::ranges::find(out.said, *region, &PaddingStates::Said::dims) != out.said.end())
        return Error{ErrorCode::Value, "a region is stated twice", at};
      out.said.push_back({*region, std::move(*codes)});
    }
    at = end + 1;
  }
  return out;
}

}  // namespace vl::claims
