#include "verifier/session/claim_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "encodings/base/cursor.h"

namespace vl::session {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Reads `key=value; key=value`; returns the error.
std::optional<std::string> read_keys(std::string_view text, ClaimRequest& out) {
  const std::string_view name = out.claim->name;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return fmt::format("--claim {}: expected key=value, found '{}'", name, part);
    const std::string key(trimmed(part.substr(0, equals)));
    auto value =
        SourceText::option(fmt::format("--claim {}: {}", name, key), std::string(trimmed(part.substr(equals + 1))));
    if (auto wrong = give(out, key, std::move(value))) return "--claim " + *wrong;
  }
  return std::nullopt;
}

std::optional<Index> number(std::string_view text) {
  Cursor in(text);
  const Index value = in.integer("an integer");
  in.expect_end();
  return in.failed() ? std::nullopt : std::optional(value);
}

// Reads the text behind `NAME=`: keys, the text of the first key, or the expected number of a measuring claim.
std::optional<std::string> read_argument(std::string_view argument, ClaimRequest& out) {
  const claims::Claim& claim = *out.claim;
  const std::size_t equals = argument.find('=');
  auto text = SourceText::option(fmt::format("--claim {}", claim.name), std::string(argument));
  if (claims::is_about<claims::Divided>(claim)) {  // it has its own notation and keys
    out.arguments.push_back({"splits", std::move(text)});
    return std::nullopt;
  }
  if (claims::is_about<claims::Transferred>(claim)) return fmt::format("the claim {} has no argument", claim.name);
  if (claim.keys.has(trimmed(argument.substr(0, std::min(equals, argument.size()))))) return read_keys(argument, out);
  if (claim.keys.bare) return give(out, claim.keys.list().front(), std::move(text));
  if (claim.measures && (claim.keys.all.empty() || equals == std::string_view::npos)) {
    out.expected = number(argument);
    return out.expected ? std::nullopt : std::optional(fmt::format("--claim {}= needs one integer", claim.name));
  }
  if (claims::needs(claim).empty()) return fmt::format("the claim {} has no argument", claim.name);
  return read_keys(argument, out);
}

// Fills in what the claim does not state itself; returns what is still missing.
std::optional<std::string> complete(const ClaimSetting& setting, ClaimRequest& out) {
  const claims::Claim& claim = *out.claim;
  if (claims::is_about_operation(claim))
    return fmt::format("the claim {} needs an operation; ask it with `verify-layout {}`, or in a case file", claim.name,
                       claim.name);
  if (claims::is_about<claims::Accessed>(claim)) {
    if (out.text("access") == nullptr) {
      if (!setting.access) return fmt::format("--claim {} needs --access", claim.name);
      out.arguments.push_back({"access", SourceText::option("--access", *setting.access)});
    }
    if (out.text("hardware") == nullptr)
      out.arguments.push_back({"hardware", SourceText::option("--hardware", setting.hardware.value_or("sm_90"))});
  }
  if (claims::is_about<claims::Transferred>(claim)) return std::nullopt;
  if (claims::is_about_descriptors(claim))
    return setting.transfer != Beside::Nothing ? std::nullopt
                                               : std::optional(fmt::format("--claim {} needs --transfer", claim.name));
  if (const std::string_view missing = lacks(out); !missing.empty())
    return fmt::format("--claim {} needs {}: '{}={}'", claim.name, missing, claim.name, claim.keys.sample);
  return std::nullopt;
}

}  // namespace

std::variant<ClaimRequest, std::string> claim_of(const std::string& text, const ClaimSetting& setting) {
  const std::size_t limit = text.find("<=");
  const std::size_t equals = text.find('=');
  const bool limited = limit != std::string::npos && limit + 1 == equals;
  const std::string name(trimmed(std::string_view(text).substr(0, limited ? limit : equals)));
  ClaimRequest out;
  out.claim = claims::find_claim(name, setting.nests);
  if (out.claim == nullptr && !setting.nests && claims::find_claim(name, true) != nullptr)
    return fmt::format("--claim {} is about loop nests and needs --nests FILE", name);
  if (out.claim == nullptr) return no_such_claim(name, setting.nests);
  std::optional<std::string> wrong;
  if (limited) {
    if (!out.claim->keys.has("at_most")) return fmt::format("the claim {} has no limit", name);
    out.at_most = number(std::string_view(text).substr(equals + 1));
    if (!out.at_most || *out.at_most < 0)
      return fmt::format("--claim {}<= needs one integer that is not negative", name);
  } else if (equals != std::string::npos) {
    wrong = read_argument(std::string_view(text).substr(equals + 1), out);
  }
  if (!wrong) wrong = complete(setting, out);
  if (wrong) return std::move(*wrong);
  return out;
}

namespace {

// The access or hardware of the setting that no claim takes.
std::optional<std::string> untaken(const std::vector<ClaimRequest>& claims, const ClaimSetting& setting) {
  const auto is_taken = [&](const std::string& key) {
    return std::ranges::any_of(claims, [&](const ClaimRequest& claim) {
      const SourceText* text = claim.text(key);
      return text != nullptr && text->file == "--" + key;
    });
  };
  for (const auto& [key, given] : {std::pair("access", &setting.access), std::pair("hardware", &setting.hardware)})
    if (*given && !is_taken(key))
      return fmt::format("--{} is unused: {}", key,
                         claims.empty() ? "it goes with an access"
                                        : fmt::format("no claim that is asked takes its {} from there", key));
  return std::nullopt;
}

}  // namespace

bool has_target(const claims::Claim& claim) { return claims::is_about<claims::Described>(claim); }

std::variant<std::vector<ClaimRequest>, std::string> claims_of(std::vector<std::string> texts,
                                                               const ClaimSetting& setting) {
  if (texts.empty() && setting.nests) texts = {"in-bounds", "covers-once", "implements"};
  if (texts.empty() && setting.transfer == Beside::NoLayout) texts = {"accepts"};
  if (texts.empty() && setting.transfer == Beside::Layout) texts = {"accepts", "carries"};
  if (texts.empty() && setting.access) texts = {"conflict-free", "wavefronts", "conflicts"};
  std::vector<ClaimRequest> out;
  for (const std::string& text : texts) {
    auto claim = claim_of(text, setting);
    if (auto* message = std::get_if<std::string>(&claim)) return std::move(*message);
    out.push_back(std::move(std::get<ClaimRequest>(claim)));
  }
  const auto about = [](const ClaimRequest& claim) { return claims::is_about_descriptors(*claim.claim); };
  if (setting.transfer != Beside::Nothing && std::ranges::none_of(out, about))
    return "--transfer is unused: no claim that is asked is about it; accepts, carries, fills and keeps are";
  if (setting.target && std::ranges::none_of(out, [](const ClaimRequest& claim) { return has_target(*claim.claim); }))
    return "--target is unused: the claim accepts is not asked";
  for (const ClaimRequest& claim : out)
    if (setting.transfer == Beside::NoLayout && !claims::is_about_one_descriptor(*claim.claim))
      return fmt::format("--claim {} needs --layout", claim.claim->name);
  if (auto message = untaken(out, setting)) return std::move(*message);
  return out;
}

}  // namespace vl::session
