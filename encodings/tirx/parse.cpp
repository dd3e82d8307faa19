// A text to a layout: the expression, its value, and the error of a value that is not a layout.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/cursor.h"
#include "encodings/tirx/builders.h"

namespace vl::tirx {
namespace {

constexpr std::array<std::string_view, 4> kCalls = {"TileLayout", "TileLayout.from_iters", "ComposeLayout",
                                                    "SwizzleLayout"};

// Characters that may precede the first S of a sum: brackets and an offset on m.
bool in_offset(char c) {
  return (c >= '0' && c <= '9') || std::string_view("()+-*/%<> \t\r\n").find(c) != std::string_view::npos;
}

Error no_layout(std::string_view text, std::size_t offset) {
  Cursor in(text);
  in.move_to(offset);
  return Error{
      ErrorCode::Syntax,
      fmt::format("expected a layout: S[…], R[…], TileLayout(…), SwizzleLayout(…) or ComposeLayout(…), found {}",
                  in.found()),
      offset};
}

}  // namespace

bool recognises(std::string_view text) {
  const auto* start = std::ranges::find_if_not(text, in_offset);
  Cursor in(text);
  in.move_to(static_cast<std::size_t>(start - text.begin()));
  const std::string_view name = without_prefix(in.dotted_name("a layout"));
  const char next = in.peek();
  if (name == "S" || name == "R") return next == '[';
  const auto is_name = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  return next == '(' && (is_name(kCalls) || is_name(builders()));
}

Result<Parsed> parse(std::string_view text) {
  if (!recognises(text)) {
    const auto* start = std::ranges::find_if_not(text, in_offset);
    return no_layout(text, static_cast<std::size_t>(start - text.begin()));
  }
  const auto expression = read_expression(text);
  if (!expression) return expression.error();
  Evaluation evaluation;
  const Value value = evaluation.evaluate(*expression);
  if (evaluation.error()) return *evaluation.error();
  Parsed parsed;
  parsed.symbolic = evaluation.symbolic();
  std::optional<Layout> layout;
  if (const Layout* made = value.as<Layout>()) layout = *made;
  if (const Spec* spec = value.as<Spec>()) {
    auto tile = tile_of(*spec);
    if (!tile) return tile.error();
    layout = Layout{std::nullopt, std::move(*tile)};
  }
  if (!layout && !value.unknown()) return no_layout(text, 0);
  VL_CHECK(layout || !parsed.symbolic.empty(), "a value that is not known, and no name for it");
  if (parsed.symbolic.empty()) parsed.layout = std::move(*layout);
  else parsed.layout.tile = TileLayout{{Iter{1, 1, Axis::M}}, {}, {}};
  return parsed;
}

}  // namespace vl::tirx
