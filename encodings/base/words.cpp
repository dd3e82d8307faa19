#include "encodings/base/words.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace vl {
namespace {

// Longer words are not compared: no word that is known is so long.
constexpr std::size_t kLongestWord = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Insertions, omissions, replacements and exchanges of neighbours from a to b (optimal string alignment).
std::size_t steps_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t fewest = kLongestWord;
  for (const std::string_view candidate : words) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t steps = steps_between(word, candidate);
    if (steps >= fewest || 3 * steps > longer + 2) continue;
    best = candidate;
    fewest = steps;
  }
  return best;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string one_of(std::string_view word, std::span<const std::string_view> words) {
  const std::string_view near = nearest(word, words);
  return fmt::format("{}expected one of {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                     fmt::join(words, ", "));
}

std::string one_of(std::string_view word, const std::vector<std::string>& words) {
  return one_of(word, std::vector<std::string_view>(words.begin(), words.end()));
}

}  // namespace vl
