#include "verifier/session/anchors.h"

#include <algorithm>
#include <cstring>

namespace vl::session {
namespace {

constexpr std::string_view kBlanks = " \t=:\"'";  // between the word of a field and its bracket
constexpr std::size_t kMostBlanks = 24;

}  // namespace

std::size_t NextBracket::find(std::string_view text, std::size_t at, std::size_t end) {
  std::size_t first = end;
  for (std::size_t i = 0; i < kBrackets.size(); ++i) {
    if (next_[i] == kUnknown || next_[i] < at) {
      const void* hit = at < end ? std::memchr(text.data() + at, kBrackets[i], end - at) : nullptr;
      next_[i] = hit == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
    }
    first = std::min(first, next_[i]);
  }
  return first;
}

Anchors::Anchors(std::string_view family) {
  for (const use::Family* one : use::families()) {
    if (one->scan == nullptr || (!family.empty() && family != one->name)) continue;
    for (const use::Anchor& anchor : one->scan->anchors) {
      anchors_.push_back({one, &anchor});
      ends_[static_cast<unsigned char>(anchor.word.back())] = true;
    }
  }
}

const FamilyAnchor* Anchors::at(std::string_view text, std::size_t bracket, const FamilyAnchor* row,
                                std::size_t& word) const {
  if (bracket == 0 || text[bracket - 1] == '\x1b') return nullptr;
  const std::size_t close = text[bracket - 1] == 'm' ? use::before_colours(text, bracket) : bracket;
  std::size_t blank = close;
  while (blank > 0 && close - blank < kMostBlanks) {
    const std::size_t plain = text[blank - 1] == 'm' ? use::before_colours(text, blank) : blank;
    if (plain == blank && kBlanks.find(text[blank - 1]) == std::string_view::npos) break;
    blank = plain == blank ? blank - 1 : plain;
  }
  if (blank == 0 || !ends_[static_cast<unsigned char>(text[blank - 1])]) return nullptr;
  for (; row != anchors_.data() + anchors_.size(); ++row) {
    const std::string_view name = row->anchor->word;
    const std::size_t end = row->anchor->field ? blank : close;
    if (row->anchor->bracket != text[bracket] || end < name.size()) continue;
    if (text.substr(end - name.size(), name.size()) != name) continue;
    word = end - name.size();
    const std::size_t before = use::before_colours(text, word);
    if (before > 0 && use::is_word(text[before - 1]) && use::is_word(name.front())) continue;
    return row;
  }
  return nullptr;
}

}  // namespace vl::session
