#include "encodings/spyre/scan_host.h"

#include <algorithm>
#include <array>
#include <string>

#include "encodings/base/cursor.h"
#include "encodings/use/clip.h"
#include "encodings/use/scan.h"

namespace vl::spyre {
namespace {

constexpr std::size_t kAround = 2048;  // bytes in front of a layout in which its call may begin
constexpr int kMostCalls = 6;          // opening parentheses that are tried
constexpr std::size_t kOfLine = 1024;  // bytes of a line on either side
constexpr std::array<std::string_view, 4> kSizeKeys = {"size", "shape", "sizes", "host_size"};
constexpr std::array<std::string_view, 4> kStrideKeys = {"stride", "strides", "host_stride", "host_strides"};
constexpr std::array<std::string_view, 2> kOffsetKeys = {"offset", "storage_offset"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

using Definitions = std::span<const use::Definition>;
using List = std::vector<map::Expression>;

// The list in brackets with which a text begins. A call or an attribute in it is no size.
std::optional<List> list_at(std::string_view text, Definitions definitions) {
  const std::size_t open = text.find_first_not_of(' ');
  if (open == std::string_view::npos || (text[open] != '[' && text[open] != '(')) return std::nullopt;
  use::Clip clip(text, open);
  if (!clip.take_brackets()) return std::nullopt;
  std::string inside = use::bound(clip.text().substr(1, clip.text().size() - 2), definitions);
  inside.erase(inside.find_last_not_of(' ') + 1);
  if (inside.empty()) return List{};
  if (inside.back() == ',') inside.pop_back();
  auto list = map::parse_rule_strides(inside);
  if (!list) return std::nullopt;
  return std::move(*list);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// What keys say, each at most once.
struct Stated {
  Definitions definitions = {};
  std::optional<List> size = {}, strides = {};
  std::optional<map::ElementType> type = {};
  std::optional<Index> offset = {};
  bool twice = false;         // a size is stated twice, so neither is believed
  bool named_offset = false;  // the offset is no number

  void add(std::string_view key, std::string_view value) {
    if (is_one_of(kSizeKeys, key)) {
      if (auto list = list_at(value, definitions)) {
        twice = twice || size.has_value();
        size = std::move(list);
      }
    } else if (is_one_of(kStrideKeys, key)) {
      if (auto list = list_at(value, definitions)) strides = std::move(list);
    } else if (is_one_of(kOffsetKeys, key)) {
      const std::string text = use::bound(value.substr(0, value.find_first_of(",;")), definitions);
      Cursor in(text);
      const Index number = in.integer("an offset");
      named_offset = in.failed() || number < 0;
      offset = named_offset ? 0 : number;
    } else if (key == "dtype") {
      type = stated_type(trimmed(value));
    }
  }

  [[nodiscard]] std::optional<StatedHost> host() const {
    if (!size || twice || named_offset || (strides && strides->size() != size->size())) return std::nullopt;
    return StatedHost{type, *size, strides, offset.value_or(0)};
  }
};

// The arguments of a call, from its cleaned text "NAME(a, b=c, …". An unclosed last one is an argument too.
std::vector<std::string_view> arguments_of(std::string_view call) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t start = call.find('(') + 1;
  for (std::size_t i = start - 1; i < call.size(); ++i) {
    const char c = call[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
    if ((c == ',' && depth == 1) || depth == 0) {
      out.push_back(trimmed(call.substr(start, i - start)));
      start = i + 1;
    }
    if (depth == 0) return out;
  }
  if (!trimmed(call.substr(start)).empty()) out.push_back(trimmed(call.substr(start)));
  return out;
}

Stated of_call(std::string_view name, std::string_view call, Definitions definitions) {
  Stated stated{.definitions = definitions};
  const bool positional = is_one_of(kHostCalls, name);
  for (const std::string_view argument : arguments_of(call)) {
    const std::size_t word =
        static_cast<std::size_t>(std::ranges::find_if_not(argument, use::is_word) - argument.begin());
    const std::size_t equals = argument.find_first_not_of(' ', word);
    if (word > 0 && equals != std::string_view::npos && argument[equals] == '=') {
      stated.add(argument.substr(0, word), argument.substr(equals + 1));
    } else if (positional && argument.starts_with("torch.")) {
      stated.type = stated_type(argument);
    } else if (auto list = positional ? list_at(argument, definitions) : std::nullopt) {
      (stated.size ? stated.strides : stated.size) = std::move(list);
    }
  }
  return stated;
}

// The innermost call around text[begin, end) of which it is an argument itself; `known`: only of kHostCalls.
std::optional<StatedHost> of_call_around(std::string_view text, std::size_t begin, std::size_t end,
                                         Definitions definitions, bool known = false) {
  std::size_t open = begin;
  for (int tries = 0; tries < kMostCalls; ++tries) {
    open = open == 0 ? std::string_view::npos : text.rfind('(', open - 1);
    if (open == std::string_view::npos || begin - open > kAround) return std::nullopt;
    std::size_t word = open;
    while (word > 0 && use::is_word(text[word - 1])) --word;
    if (word == open) continue;  // a tuple
    use::Clip before(text.substr(0, begin), word);
    static_cast<void>(before.take_word());
    if (before.peek() != '(' || before.take_brackets() || !before.at_end()) continue;
    const auto given = arguments_of(before.text());
    const bool bare = !before.text().empty() && (before.text().back() == '(' || trimmed(before.text()).ends_with(','));
    const bool keyed = !given.empty() && trimmed(given.back()).ends_with('=');
    if (!bare && !keyed) return std::nullopt;  // within a list, or a part of an expression
    use::Clip whole(text.substr(0, std::min(text.size(), end + kAround)), word);
    const std::string name(whole.take_word());
    if (known && !is_one_of(kHostCalls, name)) return std::nullopt;
    static_cast<void>(whole.take_brackets());
    return of_call(name, whole.text(), definitions).host();
  }
  return std::nullopt;
}

std::size_t line_start(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// The column of a line's key, with the dash of a list's item counted as white space.
std::size_t column_of_key(std::string_view line) {
  std::size_t column = std::min(line.find_first_not_of(' '), line.size());
  while (line.substr(column).starts_with("- ")) {
    column = std::min(line.find_first_not_of(' ', column + 1), line.size());
  }
  return column;
}

// The siblings above: lines `key: value` at the column of the layout's own key or at its parent's.
std::optional<StatedHost> of_siblings(std::string_view text, std::size_t begin, Definitions definitions) {
  Stated stated{.definitions = definitions};
  std::size_t start = line_start(text, begin);
  std::size_t column = column_of_key(text.substr(start, begin + 1 - start));
  if (column != begin - start) return std::nullopt;
  bool own = true;
  while (start > 0) {
    const std::size_t end = start - 1;
    start = line_start(text, end);
    const std::string_view line = text.substr(start, end - start);
    const std::size_t key = column_of_key(line);
    const bool item = key != std::min(line.find_first_not_of(' '), line.size());
    const std::size_t colon = line.find(':', std::min(key, line.size()));
    if (key >= line.size() || colon == std::string_view::npos) {
      if (key >= line.size() || key <= column) break;
      continue;
    }
    if (key > column) continue;
    if (key < column) {
      if (!own || trimmed(line.substr(key)) != "device_layout:") break;
      own = false;
      column = key;
      stated = {.definitions = definitions};
    } else {
      stated.add(trimmed(line.substr(key, colon - key)), line.substr(colon + 1));
    }
    if (item) break;  // the first key of this mapping
  }
  return stated.host();
}

// Keys in a part of a line, such as "size=[5, 100, 150] stride=[15000, 150, 1]".
Stated of_line(std::string_view line, Definitions definitions) {
  Stated stated{.definitions = definitions};
  for (std::size_t at = 0; at < line.size();) {
    if (!use::is_word(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && (use::is_word(line[end]) || line[end] == '.')) ++end;
    const std::string_view word = line.substr(at, end - at);
    const std::size_t value = line.find_first_not_of(" =:`'\"", end);
    if (value != std::string_view::npos && value > end && (at == 0 || line[at - 1] != '.'))
      stated.add(word, line.substr(value));
    if (word.starts_with("torch.") && stated_type(word)) stated.type = stated_type(word);
    at = end;
  }
  return stated;
}

std::optional<StatedHost> of_its_line(std::string_view text, std::size_t begin, std::size_t end,
                                      Definitions definitions) {
  const auto cleaned = [](std::string_view part) {
    std::string out;
    for (std::size_t i = part.size(); i > 0;) {
      const std::size_t before = use::before_colours(part, i);
      if (before == i) out += part[i - 1];
      i = before == i ? i - 1 : before;
    }
    std::ranges::reverse(out);
    return out;
  };
  constexpr std::string_view kOther = "SpyreTensorLayout";
  const std::size_t start = std::max(line_start(text, begin), begin - std::min(begin, kOfLine));
  const std::string before = cleaned(text.substr(start, begin - start));
  const std::size_t other = before.rfind(kOther);
  const Stated stated = of_line(std::string_view(before).substr(other == std::string::npos ? 0 : other), definitions);
  if (stated.size) return stated.host();
  if (other != std::string::npos) return std::nullopt;
  const std::string_view rest = text.substr(end, kOfLine);
  const std::string after = cleaned(rest.substr(0, rest.find('\n')));
  if (after.find(kOther) != std::string::npos || after.find("device_size") != std::string::npos) return std::nullopt;
  return of_line(after, definitions).host();
}

}  // namespace

std::optional<map::ElementType> stated_type(std::string_view dtype) {
  if (dtype.starts_with("torch.")) {
    const std::size_t end =
        static_cast<std::size_t>(std::ranges::find_if_not(dtype.substr(6), use::is_word) - dtype.substr(6).begin());
    return map::element_type_of(dtype.substr(0, 6 + end));
  }
  return std::nullopt;
}

std::optional<StatedHost> host_of_call(std::string_view text, std::size_t begin, std::size_t end,
                                       std::span<const use::Definition> definitions) {
  return use::ends_argument(text, end) ? of_call_around(text, begin, end, definitions, true) : std::nullopt;
}

std::optional<StatedHost> stated_host(std::string_view text, std::size_t begin, std::size_t end,
                                      std::span<const use::Definition> definitions) {
  if (auto host = of_call_around(text, begin, end, definitions)) return host;
  if (auto host = of_siblings(text, begin, definitions)) return host;
  return of_its_line(text, begin, end, definitions);
}

}  // namespace vl::spyre
