#include "verifier/session/ignore_comments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "encodings/base/words.h"
#include "encodings/use/scan.h"
#include "verifier/claims/claim.h"

namespace vl::session {
namespace {

constexpr std::size_t kFarthestBack = std::size_t{32} << 10;
constexpr std::array<std::string_view, 3> kKinds = {"error", "skipped", "unread"};
constexpr std::array<std::string_view, 4> kClosings = {"*/", "-->", "#}", "\"\"\""};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// What of a mark's line is before it.
std::string_view before_mark(std::string_view text, std::size_t mark) {
  const std::string_view before = text.substr(0, mark);
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return before.substr(std::max(start, mark - std::min(mark, kFarthestBack)));
}

// A comment begins with a sign of one, or is all of its line; a mark in quotes is about comments.
bool is_comment(std::string_view before) {
  const std::string_view text = without_blanks(before);
  return text.empty() || std::string_view("#/*-;%!").find(text.back()) != std::string_view::npos;
}

bool is_known(std::string_view claim) {
  return std::ranges::find(kKinds, claim) != kKinds.end() ||
         std::ranges::any_of(claims::claims(), [&](const claims::Claim& known) { return known.name == claim; });
}

std::string no_such_claim_to_ignore(std::string_view claim) {
  std::vector<std::string_view> known(kKinds.begin(), kKinds.end());
  for (const claims::Claim& one : claims::claims())
    if (std::ranges::find(known, one.name) == known.end()) known.push_back(one.name);
  return fmt::format("'{}' is not a claim to ignore; {}", claim, one_of(claim, known));
}

}  // namespace

std::size_t IgnoreComments::next(std::string_view text, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* hit = ::memmem(text.data() + from, text.size() - from, kMark.data(), kMark.size());
  return hit == nullptr ? std::string_view::npos
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

void IgnoreComments::take(std::string_view text, std::size_t mark, std::size_t line) {
  const std::string_view before = before_mark(text, mark);
  if (!is_comment(before)) return;
  std::string_view rest = text.substr(mark, kLongest);
  rest = rest.substr(0, rest.find('\n')).substr(kMark.size());
  if (!rest.empty() && !is_blank(rest.front())) return;  // "ignored"
  rest = without_blanks(rest);
  for (const std::string_view closing : kClosings)
    if (rest.ends_with(closing)) rest = without_blanks(rest.substr(0, rest.size() - closing.size()));
  const std::string_view claim = rest.substr(0, rest.find_first_of(" \t"));
  const std::string_view reason = without_blanks(rest.substr(claim.size()));
  const std::size_t column = before.size() + 1;
  const auto fail = [&](std::string message) { wrong_.push_back({file_, line, column, std::move(message), {}, 0}); };
  if (before.size() >= kFarthestBack) return fail("expected this comment in the first 32 KiB of its line");
  if (claim.empty()) return fail("expected a claim and a reason after 'verify-layout: ignore'");
  if (!is_known(claim)) return fail(no_such_claim_to_ignore(claim));
  if (reason.empty()) return fail(fmt::format("expected a reason after 'verify-layout: ignore {}'", claim));
  const bool alone = std::ranges::none_of(before, [](char c) { return use::is_word(c); });
  by_line_.insert_or_assign(line, Entry{{std::string(claim), std::string(reason), line, column}, alone});
}

std::vector<question::IgnoreComment> IgnoreComments::at(std::size_t line) const {
  std::vector<question::IgnoreComment> out;
  if (by_line_.empty()) return out;
  if (const auto here = by_line_.find(line); here != by_line_.end() && !here->second.alone)
    out.push_back(here->second.comment);
  for (std::size_t above = line; above-- > 1;) {
    const auto found = by_line_.find(above);
    if (found == by_line_.end() || !found->second.alone) break;
    out.push_back(found->second.comment);
  }
  return out;
}

std::vector<question::IgnoreComment> IgnoreComments::all() const {
  std::vector<question::IgnoreComment> out;
  for (const auto& [line, entry] : by_line_) out.push_back(entry.comment);
  return out;
}

}  // namespace vl::session
