#include "verifier/cli/claim_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

using claims::Argument;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// `key=value; key=value`; the value of `with` is the second layout.
std::optional<std::string> read_keys(std::string_view text, const std::string& name, session::ClaimRequest& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return fmt::format("--claim {}: expected key=value, found '{}'", name, part);
    const std::string key(trimmed(part.substr(0, equals)));
    session::SourceText value = session::SourceText::option(fmt::format("--claim {}: {}", name, key),
                                                            std::string(trimmed(part.substr(equals + 1))));
    const bool twice =
        std::ranges::any_of(out.arguments, [&](const session::ClaimArgument& known) { return known.key == key; });
    if (twice || (key == "with" && out.with)) return fmt::format("--claim {}: '{}' is given twice", name, key);
    if (key == "with") out.with = std::move(value);
    else out.arguments.push_back({key, std::move(value)});
  }
  return std::nullopt;
}

// A layout, or keys of which one is the layout.
std::optional<std::string> read_buffer(std::string_view argument, const std::string& name, session::ClaimRequest& out) {
  constexpr std::array<std::string_view, 3> kKeys = {"with", "with_tensor", "at"};
  const std::string_view first = trimmed(argument.substr(0, std::min(argument.find('='), argument.size())));
  if (std::ranges::find(kKeys, first) == kKeys.end()) {
    out.with = session::SourceText::option("--claim " + name, std::string(argument));
    return std::nullopt;
  }
  if (auto wrong = read_keys(argument, name, out)) return wrong;
  for (const session::ClaimArgument& given : out.arguments)
    if (std::ranges::find(kKeys, given.key) == kKeys.end())
      return fmt::format("--claim {} has no key '{}'", name, given.key);
  if (!out.with) return fmt::format("--claim {} needs a second layout: '{}=…; with=LAYOUT'", name, name);
  return std::nullopt;
}

std::optional<std::string> read_access(const std::string& name, const CheckArguments& arguments,
                                       session::ClaimRequest& out) {
  const auto given = [&](std::string_view key) {
    return std::ranges::any_of(out.arguments, [&](const session::ClaimArgument& known) { return known.key == key; });
  };
  for (const session::ClaimArgument& argument : out.arguments)
    if (argument.key != "access" && argument.key != "hardware")
      return fmt::format("--claim {} has no key '{}'", name, argument.key);
  if (!given("access")) {
    if (!arguments.access) return fmt::format("--claim {} needs --access", name);
    out.arguments.push_back({"access", session::SourceText::option("--access", *arguments.access)});
  }
  if (!given("hardware"))
    out.arguments.push_back(
        {"hardware", session::SourceText::option("--hardware", arguments.hardware.value_or("sm_90"))});
  return std::nullopt;
}

std::optional<Index> number(const std::string& name, std::string_view text) {
  const auto values = integers_of("--claim " + name, std::string(text));
  const auto* list = std::get_if<std::vector<Index>>(&values);
  return list != nullptr && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}

// What stands behind the name.
std::optional<std::string> read_argument(const std::string& name, std::optional<std::string_view> argument,
                                         const CheckArguments& arguments, session::ClaimRequest& out) {
  const claims::Claim& claim = *out.claim;
  switch (claim.argument) {
    case Argument::Operation:
      return fmt::format("the claim {} needs an operation; ask it with `verify-layout {}`, or in a case file", name,
                         name);
    case Argument::Layout:
      if (!argument) return fmt::format("--claim {} needs a second layout: {}=LAYOUT", name, name);
      out.with = session::SourceText::option("--claim " + name, std::string(*argument));
      return std::nullopt;
    case Argument::Buffer:
      if (!argument) return fmt::format("--claim {} needs a second layout: {}=LAYOUT", name, name);
      return read_buffer(*argument, name, out);
    case Argument::Division:
      if (!argument) return fmt::format("--claim {} needs a work division: '{}=[4,1,8] cores=32'", name, name);
      out.division_text = session::SourceText::option("--claim " + name, std::string(*argument));
      return std::nullopt;
    case Argument::Law:
      if (argument)
        if (auto wrong = read_keys(*argument, name, out)) return wrong;
      if (!out.with)
        return fmt::format("--claim {} needs the result to session::judge: '{}=…; with=LAYOUT'", name, name);
      return std::nullopt;
    case Argument::Base:
      if (!argument) return fmt::format("--claim {} needs the base's alignment in bytes: {}=1024", name, name);
      out.arguments.push_back(
          {"base", session::SourceText::option(
                       "--claim " + name,
                       std::string(trimmed(argument->starts_with("base=") ? argument->substr(5) : *argument)))});
      return std::nullopt;
    case Argument::Access:
      if (argument && claim.measures && argument->find('=') == std::string_view::npos) {
        out.expected = number(name, *argument);
        if (!out.expected) return fmt::format("--claim {}= needs one integer", name);
      } else if (argument) {
        if (auto wrong = read_keys(*argument, name, out)) return wrong;
      }
      return read_access(name, arguments, out);
    case Argument::None:
    case Argument::Nests: break;
  }
  if (!argument) return std::nullopt;
  if (!claim.measures) return fmt::format("the claim {} has no argument", name);
  const auto expected = number(name, *argument);
  if (!expected) return fmt::format("--claim {}= needs one integer", name);
  out.expected = *expected;
  return std::nullopt;
}

}  // namespace

std::variant<session::ClaimRequest, std::string> claim_of(const std::string& text, const CheckArguments& arguments) {
  const bool nests = !arguments.nests.empty();
  const std::size_t limit = text.find("<=");
  const std::size_t equals = text.find('=');
  const bool limited = limit != std::string::npos && limit + 1 == equals;
  const std::string name(trimmed(std::string_view(text).substr(0, limited ? limit : equals)));
  session::ClaimRequest out;
  out.claim = nests ? claims::find_nest_claim(name) : claims::find_claim(name);
  if (out.claim == nullptr && !nests && claims::find_nest_claim(name) != nullptr)
    return fmt::format("--claim {} is about loop nests and needs --nests FILE", name);
  if (out.claim == nullptr)
    return fmt::format("'{}' is not a claim{}; `verify-layout claims` lists them", name, nests ? " about nests" : "");
  std::optional<std::string_view> argument;
  if (limited) {
    if (out.claim->argument != Argument::Access || !out.claim->measures)
      return fmt::format("the claim {} has no limit", name);
    out.at_most = number(name, std::string_view(text).substr(equals + 1));
    if (!out.at_most || *out.at_most < 0)
      return fmt::format("--claim {}<= needs one integer that is not negative", name);
  } else if (equals != std::string::npos) {
    argument = std::string_view(text).substr(equals + 1);
  }
  if (auto wrong = read_argument(name, argument, arguments, out)) return std::move(*wrong);
  return out;
}

}  // namespace vl::cli
