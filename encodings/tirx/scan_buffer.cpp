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
  std::optional<std::vector<Index>> shape;
  std::optional<std::vector<map::Expression>> named = {};  // a shape with names in it
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
  return in.failed() ? std::nullopt : std::optional(std::move(out));
}

// The type in quotes and the first list among the arguments in front of `layout=` in the cleaned text of a call.
Buffer buffer_of(std::string_view call) {
  Buffer buffer;
  bool twice = false;
  for (std::size_t at = call.find('('); at < call.size(); ++at) {
    const char c = call[at];
    if (c == '"' || c == '\'') {
      const std::size_t close = std::min(call.find(c, at + 1), call.size() - 1);
      if (const auto type = type_of_text(call.substr(at + 1, close - at - 1))) {
        twice = twice || (buffer.type && *buffer.type != *type);
        buffer.type = type;
      }
      at = close;
    } else if ((c == '(' || c == '[') && at > call.find('(') && !buffer.shape) {
      Cursor in(call.substr(at));
      const auto list = in.integer_list("a shape");
      if (!in.failed()) buffer.shape = list;
      else if (!buffer.named) buffer.named = take_shape(call.substr(at));
    }
  }
  if (twice) buffer.type.reset();
  return buffer;
}

Buffer buffer_around(std::string_view text, std::size_t begin) {
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
    const std::string_view call = clip.text();
    return call.ends_with("layout=") || call.ends_with("layout =") ? buffer_of(call) : Buffer{};
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
  if (!layout.tile) return;
  const auto size = size_of(*layout.tile);
  if (!size) return;
  const Buffer buffer = buffer_around(passage.text, found.offset);
  if (!buffer.type && !fits_any_type(*layout.tile)) {
    found.reason = kColumns;
    return;
  }
  const std::string_view type = map::name(buffer.type.value_or(map::ElementType::U8));
  const bool fits = buffer.shape && checked_product(*buffer.shape) == *size;
  found.tensor = fits ? fmt::format("{}[{}]", type, fmt::join(*buffer.shape, ",")) : fmt::format("{}[{}]", type, *size);
}

void state_rule_buffer(use::Found& found, std::string reason, const use::Passage& passage) {
  const auto shape = rule_shape(found.layout);
  if (!shape) {
    found.reason = std::move(reason);
    return;
  }
  const Buffer buffer = buffer_around(passage.text, found.offset);
  if (!buffer.type && std::ranges::count(shape->axes, Axis::TCol) > 0) {
    found.reason = kColumns;
    return;
  }
  const auto elements = map::product_of(shape->extents);
  map::RuleTensor tensor{buffer.type.value_or(map::ElementType::U8), {elements}};
  if (buffer.named && map::print(map::product_of(*buffer.named)) == map::print(elements)) tensor.size = *buffer.named;
  const auto read = read_rule(found.layout, tensor);
  const map::Rule* rule = read ? read->rule_for_all_sizes() : nullptr;
  std::vector<std::string> replicas;
  if (rule != nullptr)
    for (const map::Expression& extent : rule->replicas) map::add_names(extent, replicas);
  if (rule == nullptr || (!map::has_symbols(tensor) && !replicas.empty())) {
    found.reason = std::move(reason);
    return;
  }
  found.tensor = map::print(tensor);
  for (const map::Symbol& symbol : rule->symbols) found.names.push_back(symbol.name);
}

}  // namespace vl::tirx
