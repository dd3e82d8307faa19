#include "verifier/session/gitignore.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vl::session {
namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) out.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return out;
}

// Spaces at the end of a line do not count, unless a backslash is before them.
std::string_view without_trailing_spaces(std::string_view line) {
  while (line.ends_with(' ')) {
    std::size_t backslashes = 0;
    while (backslashes + 1 < line.size() && line[line.size() - 2 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 1) break;
    line.remove_suffix(1);
  }
  return line;
}

bool is_in_named_class(std::string_view name, unsigned char c) {
  struct Named {
    std::string_view name;
    int (*is)(int);
  };
  static constexpr std::array<Named, 12> kNamed{{{"alnum", std::isalnum},
                                                 {"alpha", std::isalpha},
                                                 {"blank", std::isblank},
                                                 {"cntrl", std::iscntrl},
                                                 {"digit", std::isdigit},
                                                 {"graph", std::isgraph},
                                                 {"lower", std::islower},
                                                 {"print", std::isprint},
                                                 {"punct", std::ispunct},
                                                 {"space", std::isspace},
                                                 {"upper", std::isupper},
                                                 {"xdigit", std::isxdigit}}};
  const auto found = std::ranges::find(kNamed, name, &Named::name);
  return found != kNamed.end() && found->is(c) != 0;
}

// A class `[…]` at `at`; `at` is then after its bracket. Nothing where it does not close.
std::optional<bool> class_has(std::string_view pattern, std::size_t& at, char sign) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  const auto c = static_cast<unsigned char>(sign);
  bool has = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    if (pattern.substr(i, 2) == "[:") {
      const std::size_t end = pattern.find(":]", i + 2);
      if (end != std::string_view::npos) {
        has = has || is_in_named_class(pattern.substr(i + 2, end - i - 2), c);
        i = end + 2;
        continue;
      }
    }
    const auto take = [&] {
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      return static_cast<unsigned char>(pattern[i++]);
    };
    const unsigned char low = take();
    unsigned char high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      high = take();
    }
    has = has || (low <= c && c <= high);
  }
  if (i >= pattern.size()) return std::nullopt;
  at = i + 1;
  return has != negated;
}

// Whether one sign of a name fits what the pattern has at `at`, which is no '*'; `at` is then after it.
bool takes(std::string_view pattern, std::size_t& at, char sign) {
  if (pattern[at] == '?') return ++at, true;
  if (pattern[at] == '[') {
    const auto has = class_has(pattern, at, sign);
    return has && *has;
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  return pattern[at++] == sign;
}

}  // namespace

// The last '*' takes as little as it can, and one sign more whenever the rest does not fit.
bool matches_part(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = n;
      continue;
    }
    if (std::size_t next = p; p < pattern.size() && takes(pattern, next, name[n])) {
      p = next;
      ++n;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    n = ++resume;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<Gitignore::Pattern> Gitignore::pattern_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with('#')) return std::nullopt;
  line = without_trailing_spaces(line);
  Pattern out;
  if (line.starts_with('!')) {
    out.takes_back = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    out.folders_only = true;
    line.remove_suffix(1);
  }
  out.anchored = line.find('/') != std::string_view::npos;
  for (std::string_view part : split_path(line)) {
    if (part.size() > 2 && part.find_first_not_of('*') == std::string_view::npos) part = "**";  // as git has it
    if (part == "**" && !out.parts.empty() && out.parts.back() == "**") continue;
    out.parts.emplace_back(part);
  }
  if (out.parts.empty()) return std::nullopt;
  return out;
}

Gitignore Gitignore::parse(std::string_view text) {
  Gitignore out;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto pattern = pattern_of(text.substr(at, end - at))) out.patterns_.push_back(std::move(*pattern));
    at = end + 1;
  }
  return out;
}

// The same by parts: the last "**" takes as few folders as it can. At the end of a pattern it takes at least one part:
// `a/**` is all that is beneath a, and not a.
bool Gitignore::matches(const Pattern& pattern, const std::vector<std::string_view>& parts) {
  if (!pattern.anchored) return matches_part(pattern.parts.front(), parts.back());
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (n < parts.size()) {
    if (p < pattern.parts.size() && pattern.parts[p] == "**") {
      if (p + 1 == pattern.parts.size()) return true;
      star = ++p;
      resume = n;
      continue;
    }
    if (p < pattern.parts.size() && matches_part(pattern.parts[p], parts[n])) {
      ++p, ++n;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    n = ++resume;
  }
  return p == pattern.parts.size();
}

std::optional<bool> Gitignore::ignores(std::string_view path, bool is_folder) const {
  const auto parts = split_path(path);
  if (parts.empty()) return std::nullopt;
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern)
    if ((is_folder || !pattern->folders_only) && matches(*pattern, parts)) return !pattern->takes_back;
  return std::nullopt;
}

}  // namespace vl::session
