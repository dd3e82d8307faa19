#include "encodings/cute/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "encodings/cute/cute.h"
#include "encodings/cute/rule_text.h"

namespace vl::cute {
namespace {

using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 31> kAnchors = {{{")", '(', true},
                                                   {"S", '<', false},
                                                   {"Sw", '<', false},
                                                   {"Swizzle", '<', false},
                                                   {"Layout", '<', false},
                                                   {"Layout", '(', false},
                                                   {"make_layout", '(', false},
                                                   {"ComposedLayout", '<', false},
                                                   {"ComposedLayout", '(', false},
                                                   {"composition", '(', false},
                                                   {"Swizzle", '(', false},
                                                   {"make_ordered_layout", '(', false},
                                                   {"make_composed_layout", '(', false},
                                                   {"make_identity_layout", '(', false},
                                                   {"make_layout_like", '(', false},
                                                   {"tile_to_shape", '(', false},
                                                   {"logical_divide", '(', false},
                                                   {"zipped_divide", '(', false},
                                                   {"tiled_divide", '(', false},
                                                   {"flat_divide", '(', false},
                                                   {"logical_product", '(', false},
                                                   {"zipped_product", '(', false},
                                                   {"tiled_product", '(', false},
                                                   {"flat_product", '(', false},
                                                   {"blocked_product", '(', false},
                                                   {"raked_product", '(', false},
                                                   {"recast_layout", '(', false},
                                                   {"right_inverse", '(', false},
                                                   {"left_inverse", '(', false},
                                                   {"coalesce", '(', false},
                                                   {"complement", '(', false}}};
constexpr std::size_t kRead = 11;       // of these, the ones whose texts can be read
constexpr std::size_t kPlainWords = 4;  // the last ones, and some of the first, are CuTe's only with `cute` in front

constexpr std::size_t kLongest = 4096;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

char closer_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : open == '<' ? '>' : open == '{' ? '}' : '\0';
}

// Behind the bracket that closes the one at `at`; npos where none does.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
  std::string closers;
  for (; at < text.size() && closers.size() < 64; ++at) {
    const char c = text[at];
    if (closer_of(c) != '\0') {
      closers += closer_of(c);
    } else if (!closers.empty() && c == closers.back()) {
      closers.pop_back();
      if (closers.empty()) return at + 1;
    } else if (c == ')' || c == ']' || c == '>' || c == '}' || c == ';') {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

// The bracket that opens the tuple which closes at `close`; npos where other letters than a tuple's are met.
std::size_t start_of_tuple(std::string_view text, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t at = close + 1; at-- > 0 && close - at < kLongest;) {
    const char c = text[at];
    if (c == ')') ++depth;
    if (c == '(' && --depth == 0) return at;
    const bool inside =
        (c >= '0' && c <= '9') || is_blank(c) || std::string_view("()_,-?{}idv=").find(c) != std::string_view::npos;
    if (!inside) break;
  }
  return std::string_view::npos;
}

// Behind a word or number, with the brackets that follow it at once.
std::size_t behind_part(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  while (at < text.size() && (use::is_word(text[at]) || (at == start && text[at] == '-') ||
                              (text[at] == ':' && text.substr(at).starts_with("::"))))
    at += text[at] == ':' ? 2 : 1;
  while (at < text.size() && closer_of(text[at]) != '\0') {
    const std::size_t end = behind_brackets(text, at);
    if (end == std::string_view::npos) return std::string_view::npos;
    at = end;
  }
  return at > start ? at : std::string_view::npos;
}

// Behind PART {"o" PART} [":" PART].
std::size_t behind_layout(std::string_view text, std::size_t at) {
  std::size_t end = behind_part(text, at);
  while (end != std::string_view::npos) {
    const std::size_t next = behind_blanks(text, end);
    const bool joins = next > end && text.substr(next).starts_with("o ");
    const bool strides = next < text.size() && text[next] == ':' && !text.substr(next).starts_with("::");
    if (!joins && !strides) return end;
    const std::size_t part = behind_part(text, behind_blanks(text, next + 1));
    if (part == std::string_view::npos) return strides ? end : part;
    end = part;
    if (strides) return end;
  }
  return end;
}

// Fills the rest of a finding from its text; false where it is not read.
bool read_found(Found& found) {
  const auto parsed = parse(found.layout);
  if (!parsed) return false;
  found.assumed = true;
  if (auto shape = rule_shape(found.layout); shape && !shape->names.empty()) {
    found.tensor = map::print(map::RuleTensor{map::ElementType::U8, std::move(shape->modes)});
    found.names = std::move(shape->names);
    return true;
  }
  if (!parsed->symbolic.empty()) {
    if (parsed->symbolic.ends_with("not a number")) return false;  // names that may be tuples
    use::leave_unread(found, parsed->symbolic.starts_with("'?'") ? "with dynamic integers" : use::kOtherNotation,
                      parsed->symbolic);
    return true;
  }
  std::vector<Index> sizes;
  const Mode& mode = parsed->layout.mode;
  for (const Mode& each : mode.leaf ? std::vector<Mode>{mode} : mode.modes) sizes.push_back(size_of(each).value());
  found.tensor = fmt::format("u8[{}]", fmt::join(sizes, ","));
  return true;
}

std::vector<Found> cut(const Passage& passage, std::size_t start, std::size_t end) {
  Found found{start, end - start, use::bound(passage.text.substr(start, end - start), passage.definitions), {}, {},
              0,     {}};
  std::ranges::replace_if(found.layout, is_blank, ' ');
  return read_found(found) ? std::vector<Found>{std::move(found)} : std::vector<Found>{};
}

// What is composed with the text at `start` from the left, on its line, and is not part of it: "swizzle o" or a
// pointer. A layout is another one without it. Quotes may stand between, as in memref<f16, smem, S<3,4,3>,
// "(8,8):(8,1)">.
std::string composed_before(std::string_view text, std::size_t start) {
  const std::size_t line = text.substr(0, start).rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view before = text.substr(std::max(line, start - std::min(start, kLongest)),
                                              start - std::max(line, start - std::min(start, kLongest)));
  const std::size_t last = before.find_last_not_of(" \t");
  if (last == std::string_view::npos) return {};
  const bool composed = before[last] == 'o' && last > 0 && !use::is_word(before[last - 1]);
  if (!composed && before[last] != '"') return {};
  for (const std::string_view name : {"S<", "Sw<", "Swizzle<", "SW_"})
    if (before.rfind(name) != std::string_view::npos) return "a swizzle in front of it, which is not read";
  if (composed && before.rfind("smem_ptr[") != std::string_view::npos)
    return "a pointer in front of it, which is not read";
  return {};
}

// A finding whose text says all; else it says why that is not known.
std::vector<Found> alone(const Passage& passage, std::vector<Found> found, std::size_t start) {
  if (std::string why = composed_before(passage.text, start); !found.empty() && !why.empty()) {
    use::leave_unread(found.front(), use::kOtherNotation, std::move(why));
    found.front().tensor.reset();
  }
  return found;
}

// ")" and the bracket of the stride: between them stands one ':'.
std::vector<Found> pair_at(const Passage& passage) {
  if (passage.prose && !passage.asked) return {};  // (4,3):(16,9) is a ratio there
  const std::string_view text = passage.text;
  const std::string_view between = text.substr(passage.word + 1, passage.bracket - passage.word - 1);
  if (std::ranges::count(between, ':') != 1 || between.find_first_not_of(" \t:") != std::string_view::npos) return {};
  const std::size_t start = start_of_tuple(text, passage.word);
  const std::size_t end = behind_brackets(text, passage.bracket);
  if (start == std::string_view::npos || end == std::string_view::npos || end - start > kLongest) return {};
  if (text.substr(start, passage.word - start).find(',') == std::string_view::npos) return {};
  if (start > 0 && (use::is_word(text[start - 1]) || text[start - 1] == '.')) return {};
  const std::size_t before = text.substr(0, start).find_last_not_of(" \t");
  const bool in_a_list =
      before != std::string_view::npos && std::string_view("{,[").find(text[before]) != std::string_view::npos;
  const std::size_t after = behind_blanks(text, end);
  const bool in_braces = after < text.size() && (text[after] == '}' || text[after] == ':');
  if (in_a_list || in_braces) return {};
  return alone(passage, cut(passage, start, end), start);
}

// A name in a call that is none of CuTe's own and no keyword; empty if there is none.
std::string_view unknown_name(std::string_view call) {
  static constexpr std::array<std::string_view, 22> kOwn = {
      "cute",       "make_shape",  "make_stride", "make_tuple",  "make_coord",  "make_tile", "Shape",  "Stride",
      "Step",       "Tile",        "Coord",       "tuple",       "Int",         "C",         "Layout", "make_layout",
      "LayoutLeft", "LayoutRight", "GenColMajor", "GenRowMajor", "composition", "Swizzle"};
  for (std::size_t at = call.find_first_of("(<"); at < call.size();) {
    if (!use::is_word(call[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < call.size() && (use::is_word(call[end]) || call[end] == '.')) ++end;
    std::string_view name = call.substr(at, end - at);
    if (name.starts_with("cute.")) name.remove_prefix(5);
    const std::size_t next = std::min(call.find_first_not_of(' ', end), call.size());
    const bool keyword = next < call.size() && call[next] == '=' && !call.substr(next).starts_with("==");
    const bool number = name.find_first_not_of("_0123456789") == name.npos || (name[0] >= '0' && name[0] <= '9');
    const bool own = std::ranges::find(kOwn, name) != kOwn.end() || name == "True" || name == "False";
    if (!keyword && !number && !own) return call.substr(at, end - at);
    at = end;
  }
  return {};
}

// Whether a type stands in front of a name, on its line or, in C++, on the one before: it is declared there.
bool has_type_before(std::string_view text, std::size_t start) {
  static constexpr std::array<std::string_view, 13> kNoTypes = {
      "return", "else", "case", "in", "and", "or", "not", "if", "is", "from", "yield", "lambda", "await"};
  const std::size_t last = text.substr(0, start).find_last_not_of(" \t");
  if (last == std::string_view::npos || last + 1 == start) return false;
  if (text[last] == '>' || text[last] == '&' || text[last] == '*') return true;
  std::size_t begin = last + 1;
  while (begin > 0 && use::is_word(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, last + 1 - begin);
  return !word.empty() && std::ranges::find(kNoTypes, word) == kNoTypes.end();
}

// A call that makes a layout and is not read. What stands in it is looked at on its own.
std::vector<Found> unread(const Passage& passage, const use::Anchor& anchor, std::size_t start) {
  const bool of_cute = start < passage.word;
  const std::span words(kAnchors);
  const auto index = static_cast<std::size_t>(&anchor - kAnchors.data());
  const bool plain = anchor.word == "Layout" || anchor.word == "composition" || index + kPlainWords >= words.size();
  if (passage.prose || anchor.word == "S" || anchor.word == "Sw" || anchor.word == "Swizzle") return {};
  if ((plain && !of_cute) || anchor.bracket == '<' || has_type_before(passage.text, start)) return {};
  const std::size_t end = behind_brackets(passage.text, passage.bracket);
  if (end == std::string_view::npos || end - start > kLongest) return {};
  const std::string_view text = passage.text.substr(start, end - start);
  Found found{start, passage.bracket + 1 - start, use::bound(text, passage.definitions), {}, {}, 0, {}};
  std::ranges::replace_if(found.layout, is_blank, ' ');
  const std::string_view inside = std::string_view(found.layout).substr(passage.bracket + 1 - start);
  if (inside.find_first_not_of(" )") == std::string_view::npos || inside.find("const&") != std::string_view::npos)
    return {};
  if (index >= kRead) {
    use::leave_unread(found, fmt::format("`{}`", anchor.word), fmt::format("calls of {} are not read", anchor.word));
  } else if (use::is_abbreviated(found.layout)) {
    use::leave_unread(found, use::kAbbreviated, "the text is abbreviated: '...' stands for a part of it");
  } else if (const std::string_view name = unknown_name(found.layout); !name.empty()) {
    use::leave_unread(found, use::kUnboundNames, fmt::format("'{}' is a name, and nothing binds it to a number", name));
  } else {
    const auto parsed = parse(found.layout);
    use::leave_unread(found, use::kOtherNotation,
                      parsed ? parsed->symbolic : "it is not read: " + parsed.error().message);
  }
  return {std::move(found)};
}

std::vector<Found> word_at(const Passage& passage, const use::Anchor& anchor) {
  std::size_t start = passage.word;
  if (use::is_declared(passage.text, start)) return {};
  if (passage.text.substr(0, start).ends_with("cute::")) start -= 6;
  if (passage.text.substr(0, start).ends_with("cute.")) start -= 5;
  const std::size_t end = behind_layout(passage.text, passage.word);
  const bool can_be = end != std::string_view::npos && end - start <= kLongest;
  std::vector<Found> found = can_be ? alone(passage, cut(passage, start, end), start) : std::vector<Found>{};
  return found.empty() ? unread(passage, anchor, start) : found;
}

std::vector<Found> found_at(const Passage& passage, const use::Anchor& anchor) {
  return anchor.word == ")" ? pair_at(passage) : word_at(passage, anchor);
}

}  // namespace

const use::Scan kScan{kAnchors, found_at};

}  // namespace vl::cute
