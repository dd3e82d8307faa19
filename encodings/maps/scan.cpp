#include "encodings/maps/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/maps/maps.h"

namespace vl::maps {
namespace {

using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 3> kAnchors = {
    {{"affine", '(', false}, {"split", '(', false}, {"swizzle", '(', false}}};

constexpr std::size_t kLongest = 16U * 1024;
constexpr std::string_view kBlanks = " \t\r\n";

// The place of the last letter in front of `at` that is no blank; npos if there is none.
std::size_t last_before(std::string_view text, std::size_t at) { return text.substr(0, at).find_last_not_of(kBlanks); }

// Where the domain begins behind which a stage is: "(x0:4, x1:8) -> " in front of its word. npos if there is none.
std::size_t start_of_domain(std::string_view text, std::size_t word) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t arrow = last_before(text, word);
  if (arrow == kNone || arrow == 0 || text.substr(arrow - 1, 2) != "->") return kNone;
  const std::size_t close = last_before(text, arrow - 1);
  if (close == kNone || text[close] != ')') return kNone;
  for (std::size_t at = close; at-- > 0 && close - at < kLongest;) {
    const char c = text[at];
    if (c == '(') return at > 0 && use::is_word(text[at - 1]) ? kNone : at;
    if (!use::is_word(c) && c != ':' && c != ',' && c != '@' && kBlanks.find(c) == std::string_view::npos) break;
  }
  return kNone;
}

// Behind the bracket that closes the one at `open`; npos where none does. No bracket of a map has one in it.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
  const std::size_t close = text.substr(0, std::min(text.size(), open + kLongest)).find_first_of("()", open + 1);
  return close == std::string_view::npos || text[close] == '(' ? std::string_view::npos : close + 1;
}

// Behind the last stage, or behind the box, of a map whose first stage has this bracket.
std::size_t end_of_map(std::string_view text, std::size_t bracket) {
  std::size_t end = behind_bracket(text, bracket);
  while (end != std::string_view::npos) {
    std::size_t next = std::min(text.find_first_not_of(kBlanks, end), text.size());
    if (text.substr(next, 2) != "->") return end;
    next = std::min(text.find_first_not_of(kBlanks, next + 2), text.size());
    std::size_t open = next;
    while (open < text.size() && use::is_word(text[open])) ++open;
    const std::size_t behind =
        open < text.size() && text[open] == '(' ? behind_bracket(text, open) : std::string_view::npos;
    if (behind == std::string_view::npos) return end;
    if (open == next) return behind;  // the box
    end = behind;
  }
  return end;
}

std::vector<Found> found_at(const Passage& passage, const use::Anchor&) {
  const std::string_view text = passage.text;
  const std::size_t start = start_of_domain(text, passage.word);
  const std::size_t end = start == std::string_view::npos ? start : end_of_map(text, passage.bracket);
  if (end == std::string_view::npos || end - start > kLongest) return {};
  Found found{start, end - start, std::string(text.substr(start, end - start)), {}, {}, 0, {}};
  std::ranges::replace_if(
      found.layout, [](char c) { return kBlanks.find(c) != std::string_view::npos; }, ' ');
  found.assumed = true;
  std::vector<Index> sizes = {1};  // of a text that is wrong: its reading gives the error
  if (const auto parsed = parse(found.layout)) {
    sizes = map::extents_of(parsed->map.domain());
    sizes.resize(parsed->logical);
  }
  found.tensor = fmt::format("u8[{}]", fmt::join(sizes, ","));
  return {std::move(found)};
}

}  // namespace

const use::Scan kScan{kAnchors, found_at};

}  // namespace vl::maps
