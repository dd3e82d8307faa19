#include "encodings/tirx/scan_buffer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "encodings/tirx/rule_text.h"
#include "encodings/use/clip.h"

namespace vl::tirx {
namespace {

constexpr std::size_t kAround = 1024;  // bytes in front of a layout in which its call may begin
constexpr int kMostCalls = 4;          // opening parentheses that are tried
constexpr int kWidest = 64;            // bits of an element
constexpr int kNarrowest = 4;
constexpr std::string_view kColumns = "how many columns TCol has depends on the element type, and the text names none";

std::optional<map::ElementType> type_of_text(std::string_view quoted) {
  const auto type = map::element_type_of(quoted);
  return type ? type : map::element_type_of(fmt::format("torch.{}", quoted));
}

struct Buffer {
  std::optional<map::ElementType> type;
  std::optional<std::vector<map::Expression>> shape;  // maybe with names in it

  // Its sizes, where none has a name.
  [[nodiscard]] std::optional<std::vector<Index>> sizes() const {
    if (!shape) return std::nullopt;
    std::vector<Index> out;
    for (const map::Expression& size : *shape) {
      const auto number = size.number();
      if (!number || *number < 0) return std::nullopt;
      out.push_back(*number);
    }
    return out;
  }
};

// A list of expressions, some with names.
std::optional<std::vector<map::Expression>> take_shape(std::string_view text) {
  Cursor in(text.substr(1));
  const std::string_view close = text.starts_with('(') ? ")" : "]";
  std::vector<map::Expression> out;
  std::size_t parts = 0;
  while (!in.failed() && !in.accept(close)) {
    out.push_back(map::take_expression(in));
    parts += out.back().size();
    if (parts > map::kMostParts || (!in.accept(",") && in.peek() != close.front())) return std::nullopt;
  }
  const bool whole = in.at_end() || in.peek() == ',';  // and no part of an expression, as in (4, 2) * n
  return in.failed() || !whole ? std::nullopt : std::optional(std::move(out));
}

// Which positional argument of a function is the shape; nothing for other functions.
std::optional<std::size_t> place_of_shape(std::string_view function) {
  if (std::ranges::find(kBufferCalls, function) == kBufferCalls.end()) return std::nullopt;
  return function == "match_buffer" ? 1 : 0;
}

// The type in quotes, and the shape, among the arguments in front of `layout=` in the cleaned text of a call.
Buffer buffer_of(std::string_view call) {
  Buffer buffer;
  const std::size_t open = call.find('(');
  const auto place = place_of_shape(call.substr(0, open));
  bool twice = false;
  std::size_t argument = 0;
  std::size_t start = open + 1;  // of the argument
  int depth = 0;
  for (std::size_t at = start; at < call.size(); ++at) {
    const char c = call[at];
    if (c == '"' || c == '\'') {
      const std::size_t close = std::min(call.find(c, at + 1), call.size() - 1);
      if (const auto type = type_of_text(call.substr(at + 1, close - at - 1))) {
        twice = twice || (buffer.type && *buffer.type != *type);
        buffer.type = type;
      }
      at = close;
    } else if (c == '(' || c == '[') {
      const std::string_view before = call.substr(start, at - start);
      const std::size_t word = std::min(before.find_first_not_of(' '), before.size());
      const std::string_view key = before.substr(word, before.find_last_not_of(' ') + 1 - word);
      const bool names_shape = key == "shape=" || key == "shape =" || (key.empty() && argument == place);
      if (depth++ == 0 && place && names_shape && !buffer.shape) buffer.shape = take_shape(call.substr(at));
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      ++argument, start = at + 1;
    }
  }
  if (twice) buffer.type.reset();
  return buffer;
}

Buffer buffer_around(const use::Passage& passage, std::size_t begin, std::size_t length) {
  const std::string_view text = passage.text;
  if (!use::ends_argument(text, begin + length)) return {};  // a part of an expression
  std::size_t open = begin;
  for (int tries = 0; tries < kMostCalls; ++tries) {
    open = open == 0 ? std::string_view::npos : text.rfind('(', open - 1);
    if (open == std::string_view::npos || begin - open > kAround) return {};
    std::size_t word = open;
    while (word > 0 && use::is_word(text[word - 1])) --word;
    if (word == open) continue;  // a tuple
    use::Clip clip(text.substr(0, begin), word);
    static_cast<void>(clip.take_word());
    if (clip.peek() != '(' || clip.take_brackets() || !clip.at_end()) continue;
    const std::string call = use::bound(clip.text(), passage.definitions);
    return call.ends_with("layout=") || call.ends_with("layout =") ? buffer_of(call) : Buffer{};
  }
  return {};
}

// The name at `at`, behind blanks, and where it ends; empty where no name stands there by itself.
std::string_view name_at(std::string_view text, std::size_t& at) {
  const std::size_t begin = std::min(text.find_first_not_of(' ', at), text.size());
  std::size_t end = begin;
  while (end < text.size() && (use::is_word(text[end]) || text[end] == '.')) ++end;
  at = std::min(text.find_first_not_of(' ', end), text.size());
  return end > begin && !(text[begin] >= '0' && text[begin] <= '9') ? text.substr(begin, end - begin)
                                                                    : std::string_view{};
}

// The name in S[shape] or S[shape : strides], which may as well stand for a tuple; empty if there is none. A stride
// that is a number has an extent that is one.
std::string_view may_be_tuple(std::string_view text) {
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    if (at == 0 || (text[at - 1] != 'S' && text[at - 1] != 'R') || (at > 1 && use::is_word(text[at - 2]))) continue;
    std::size_t next = at + 1;
    const std::string_view extents = name_at(text, next);
    if (extents.empty() || next == text.size()) continue;
    if (text[next] == ']') return extents;
    if (text[next] != ':' || name_at(text, ++next).empty()) continue;
    if (next < text.size() && text[next] == ']') return extents;
  }
  return {};
}

// Whether TCol holds this layout for every type, or for none: then the type does not matter.
bool fits_any_type(const TileLayout& tile) {
  const auto named = axes_of(tile);
  if (std::ranges::find(named, Axis::TCol) == named.end()) return true;
  const auto range = range_of(tile, Axis::TCol);
  const auto widest = capacity(Axis::TCol, kWidest, false);
  const auto narrowest = capacity(Axis::TCol, kNarrowest, false);
  return !range || !widest || !narrowest || range->low < 0 || range->high < *widest || range->high >= *narrowest;
}

}  // namespace

void state_buffer(use::Found& found, const Layout& layout, const use::Passage& passage) {
  const Buffer buffer = buffer_around(passage, found.offset, found.length);
  const auto size = layout.tile ? size_of(*layout.tile) : Result<Index>(Error{});
  const auto shape = buffer.sizes();
  if (!size && !(shape && buffer.type)) return;
  if (!buffer.type && layout.tile && !fits_any_type(*layout.tile)) {
    found.no_tensor = kColumns;
    return;
  }
  const std::string_view type = map::name(buffer.type.value_or(map::ElementType::U8));
  found.assumed = !buffer.type || !shape;
  found.tensor = shape ? fmt::format("{}[{}]", type, fmt::join(*shape, ",")) : fmt::format("{}[{}]", type, *size);
}

void state_rule_buffer(use::Found& found, std::string reason, const use::Passage& passage) {
  if (const std::string_view name = may_be_tuple(found.layout); !name.empty()) {
    use::leave_unread(found, use::kUnboundNames, fmt::format("'{}' is a name that may stand for a tuple", name));
    return;
  }
  const auto shape = rule_shape(found.layout);
  if (!shape) {
    use::leave_unread(found, use::kUnboundNames, std::move(reason));
    return;
  }
  const Buffer buffer = buffer_around(passage, found.offset, found.length);
  if (!buffer.type && std::ranges::count(shape->axes, Axis::TCol) > 0) {
    found.no_tensor = kColumns;
    return;
  }
  const map::RuleTensor own{buffer.type.value_or(map::ElementType::U8), {map::product_of(shape->extents)}};
  const auto read = read_rule(found.layout, own);
  const map::Rule* rule = read ? read->rule_for_all_sizes() : nullptr;
  std::vector<std::string> replicas;
  if (rule != nullptr)
    for (const map::Expression& extent : rule->replicas) map::add_names(extent, replicas);
  if (rule == nullptr || (!map::has_symbols(own) && !replicas.empty())) {
    use::leave_unread(found, use::kUnboundNames, std::move(reason));
    return;
  }
  for (const map::Symbol& symbol : rule->symbols) found.names.push_back(symbol.name);
  for (const map::Expression& size : buffer.shape.value_or(std::vector<map::Expression>{}))
    map::add_names(size, found.names);
  found.assumed = !buffer.type || !buffer.shape;
  found.tensor = map::print(buffer.shape ? map::RuleTensor{own.type, *buffer.shape} : own);
}

}  // namespace vl::tirx
