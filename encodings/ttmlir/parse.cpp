// Texts to layouts. The name and the first field of an attribute decide its rule.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/base/words.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

constexpr std::array<std::string_view, 5> kFills = {"undef", "zero", "one", "inf", "neginf"};
constexpr std::array<std::string_view, 7> kSpaces = {"system", "mmio", "dram", "l1", "dst", "register_dst", "l1_small"};
constexpr std::array<std::string_view, 6> kMemoryLayouts = {"interleaved",   "sharded",        "none_layout",
                                                            "width_sharded", "height_sharded", "block_sharded"};

bool is_one(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// A word of a closed list.
std::string take_word(Cursor& in, std::string_view what, std::span<const std::string_view> words) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view word = in.identifier(what);
  if (!in.failed() && !is_one(word, words))
    in.fail(ErrorCode::Value, fmt::format("'{}' is not {}; {}", word, what, one_of(word, words)), at);
  return std::string(word);
}

// (d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #l1>[, interleaved]
MapLayout take_map_layout(Cursor& in, std::string_view name) {
  MapLayout out;
  out.name = name;
  out.linear = take_map(in);
  in.expect(",");
  out.oob = take_word(in, "a value of the padding", kFills);
  in.expect(",");
  out.grid = take_grid(in);
  in.expect(",");
  auto [cells, space] = take_memref(in);
  out.shard = std::move(cells);
  out.space = std::move(space);
  if (in.accept(",")) out.memory_layout = take_word(in, "a memory layout", kMemoryLayouts);
  return out;
}

// A shape, which may have rank 0: then the comma follows at once.
std::vector<Index> take_shape(Cursor& in, std::string_view what) {
  return in.peek() == ',' ? std::vector<Index>{} : take_sizes(in, what);
}

// logical_shape = 64x128, dim_alignments = 32x32, collapsed_intervals = dense<…> : tensor<2x2xi64>[, undef], l1[,
// sharded][, index_map = map(0)]
AlignedLayout take_aligned_layout(Cursor& in) {
  AlignedLayout out;
  in.expect("logical_shape");
  in.expect("=");
  out.logical_shape = take_shape(in, "the logical shape");
  in.expect(",");
  in.expect("dim_alignments");
  in.expect("=");
  out.alignments = take_shape(in, "the alignments");
  in.expect(",");
  if (!in.accept("collapse_dims")) in.expect("collapsed_intervals");
  in.expect("=");
  out.intervals = take_intervals(in);
  in.expect(",");
  for (const std::string_view fill : kFills)
    if (out.oob.empty() && in.accept(fill)) {
      out.oob = fill;
      in.expect(",");
    }
  out.space = take_word(in, "a memory space", kSpaces);
  for (bool first = true; in.accept(","); first = false) {
    if (first && in.peek() != 'i') {
      out.memory_layout = take_word(in, "a memory layout", kMemoryLayouts);
    } else if (first && in.accept("interleaved")) {
      out.memory_layout = "interleaved";
    } else {
      in.expect("index_map");
      in.expect("=");
      out.view_of = take_rest(in);
      break;
    }
  }
  return out;
}

Index take_coordinate(Cursor& in) { return in.integer("a core's coordinate"); }

// #ttnn.core_range<(0, 0), (7, 0)>
use::CoreRange take_core_range(Cursor& in) {
  use::CoreRange out;
  in.skip_space();
  const std::size_t at = in.offset();
  in.expect("#");
  const std::string_view name = in.dotted_name("a core range");
  if (!in.failed() && in.peek() != '<')
    in.fail(ErrorCode::Syntax,
            fmt::format("'#{}' is an alias that the text does not define; expected #ttnn.core_range<…>", name), at);
  in.expect("<");
  for (Index* corner : {&out.x0, &out.x1}) {
    if (corner == &out.x1) in.expect(",");
    in.expect("(");
    *corner = take_coordinate(in);
    in.expect(",");
    (corner == &out.x0 ? out.y0 : out.y1) = take_coordinate(in);
    in.expect(")");
  }
  in.expect(">");
  if (!in.failed() && (out.x0 < 0 || out.y0 < 0 || out.x1 < out.x0 || out.y1 < out.y0))
    in.fail(ErrorCode::Value, "a core range goes from its smaller corner to its greater one, from 0", at);
  return out;
}

std::vector<use::CoreRange> take_core_ranges(Cursor& in) {
  std::vector<use::CoreRange> out;
  if (in.accept("#")) static_cast<void>(in.dotted_name("a set of core ranges"));
  in.expect("<");
  in.expect("[");
  while (!in.failed() && !in.accept("]")) {
    if (!out.empty()) in.expect(",");
    out.push_back(take_core_range(in));
  }
  in.expect(">");
  return out;
}

// (d0, d1) -> (d0, d1), <1x1>, memref<…>[, <interleaved>][, exactGrid = true][, core_ranges = <[…]>]
TtnnLayout take_ttnn_layout(Cursor& in) {
  constexpr std::array<std::string_view, 2> kFlags = {"exactGrid", "ignorePhysicalLayout"};
  constexpr std::array<std::string_view, 3> kFields = {"core_ranges", "exactGrid", "ignorePhysicalLayout"};
  constexpr std::array<std::string_view, 6> kNames = {"interleaved",   "single_bank",    "none",
                                                      "width_sharded", "height_sharded", "block_sharded"};
  TtnnLayout out;
  out.linear = take_map(in);
  in.expect(",");
  out.grid = take_grid(in);
  in.expect(",");
  auto [cells, space] = take_memref(in);
  out.shard = std::move(cells);
  out.space = std::move(space);
  while (!in.failed() && in.accept(",")) {
    in.skip_space();
    const std::size_t at = in.offset();
    if (out.memory_layout.empty() && in.accept("<")) {
      out.memory_layout = take_word(in, "a memory layout", kNames);
      in.expect(">");
      continue;
    }
    const std::string_view word = in.identifier("a memory layout or a field");
    if (out.memory_layout.empty() && is_one(word, kNames)) {
      out.memory_layout = word;
    } else if (word == "core_ranges" && !out.core_ranges) {
      in.expect("=");
      out.core_ranges = take_core_ranges(in);
    } else if (is_one(word, kFlags)) {
      in.expect("=");
      out.flags.push_back(fmt::format("{} = {}", word, in.identifier("true or false")));
    } else if (!in.failed()) {
      in.fail(ErrorCode::Syntax,
              fmt::format("'{}' is not a field of a ttnn_layout, or is there twice; {}", word, one_of(word, kFields)),
              at);
    }
  }
  return out;
}

void take_attribute(Cursor& in, Parsed& parsed) {
  in.expect("#");
  const std::size_t at = in.offset();
  const std::string_view name = in.dotted_name("a layout");
  if (name == "tt.grid" || name == "ttcore.grid") {
    parsed.layout = take_grid_layout(in);
    return;
  }
  const bool metal = name == "tt.metal_layout" || name == "ttcore.metal_layout" || name == "tt.layout";
  if (!in.failed() && !metal && name != "ttnn.ttnn_layout")
    in.fail(ErrorCode::Syntax,
            fmt::format("'#{}' is not a layout; expected #tt.metal_layout, #ttcore.metal_layout or #ttnn.ttnn_layout",
                        name),
            at);
  in.expect("<");
  const char first = in.peek();
  if (metal && first == '(') parsed.layout = take_map_layout(in, name);
  else if (metal && first == 'l') parsed.layout = take_aligned_layout(in);
  else if (metal && !in.failed())
    in.fail(fmt::format("expected an affine map or logical_shape = …, found {}", in.found()));
  else parsed.layout = take_ttnn_layout(in);
  in.expect(">");
}

// "rule C:" in front of a text; where there is none, nothing is taken.
std::optional<char> take_rule(Cursor& in) {
  if (!in.accept("rule")) return std::nullopt;
  for (const char rule : {'A', 'B', 'C'})
    if (in.accept(std::string_view(&rule, 1))) {
      in.expect(":");
      return rule;
    }
  in.fail(fmt::format("expected a rule, A, B or C, found {}", in.found()));
  return std::nullopt;
}

// "on #ttcore.grid<1x64, virt_to_physical_map = …>:" in front of a text; where there is none, nothing is taken.
std::optional<GridLayout> take_on(Cursor& in) {
  if (!in.accept("on")) return std::nullopt;
  in.skip_space();
  const std::size_t at = in.offset();
  in.expect("#");
  const std::string_view name = in.dotted_name("a grid");
  if (!in.failed() && name != "tt.grid" && name != "ttcore.grid")
    in.fail(ErrorCode::Syntax, fmt::format("'#{}' is not a grid; expected #ttcore.grid<8x8, …>", name), at);
  GridLayout out = take_grid_layout(in);
  if (!in.failed() && !out.forward)
    in.fail(ErrorCode::Value, "expected virt_to_physical_map = …, the map from the grid to the cores", at);
  in.expect(":");
  return out;
}

// The attribute's name, where a text begins with it, or a tensor type with it; empty for other texts.
std::string attribute_of(std::string_view text) {
  Cursor in(text);
  static_cast<void>(take_rule(in));
  if (in.accept("on")) {
    const std::size_t end = text.find(">:");
    if (end == std::string_view::npos) return {};
    in.move_to(end + 2);
  }
  if (in.accept("tensor")) {
    if (in.peek() != '<') return {};
    const std::size_t attribute = text.find('#', in.offset());
    if (attribute == std::string_view::npos) return {};
    in.move_to(attribute);
  }
  if (!in.accept("#")) return {};
  std::string name(in.dotted_name("a layout"));
  return in.peek() == '<' ? name : std::string{};
}

}  // namespace

bool recognises_metal(std::string_view text) {
  const std::string name = attribute_of(text);
  return name == "tt.metal_layout" || name == "ttcore.metal_layout" || name == "tt.layout" || name == "tt.grid" ||
         name == "ttcore.grid" || is_buffer(text) || is_memory_map(text);
}

bool recognises_ttnn(std::string_view text) { return attribute_of(text) == "ttnn.ttnn_layout"; }

Result<Parsed> parse(std::string_view text) {
  Cursor in(text);
  Parsed parsed;
  const auto rule = take_rule(in);
  if (!rule && is_buffer(text)) {
    parsed.layout = take_buffer(in);
    in.expect_end();
    return in.failed() ? Result<Parsed>(in.error()) : Result<Parsed>(std::move(parsed));
  }
  if (!rule && is_memory_map(text)) {
    parsed.layout = take_memory_map(in);
    in.expect_end();
    return in.failed() ? Result<Parsed>(in.error()) : Result<Parsed>(std::move(parsed));
  }
  parsed.on = take_on(in);
  if (in.accept("tensor")) {
    in.expect("<");
    parsed.of = take_cells(in);
    in.expect(",");
    take_attribute(in, parsed);
    in.expect(">");
  } else {
    take_attribute(in, parsed);
  }
  in.expect_end();
  if (in.failed()) return in.error();
  if (parsed.on && !std::holds_alternative<AlignedLayout>(parsed.layout))
    return Error{ErrorCode::Syntax,
                 "a map of cores in front of the text is one of rule B, tensor<GRIDxSHARDx…, #ttcore.metal_layout<…>>",
                 0};
  if (parsed.layout.index() > 2) {
    if (rule || parsed.of) return Error{ErrorCode::Syntax, "a grid stands alone, without a rule and a tensor", 0};
    return parsed;
  }
  const char own = rule_of(parsed);
  if (rule && *rule != own && (*rule == 'B' || own == 'B'))
    return Error{ErrorCode::Value,
                 fmt::format("rule {} reads {}, which this text does not have: it is one of rule {}", *rule,
                             *rule == 'B' ? "logical_shape and dim_alignments" : "an affine map", own),
                 0};
  if (rule && *rule != own) parsed.rule = rule;
  return parsed;
}

char rule_of(const Parsed& parsed) {
  return parsed.rule.value_or(static_cast<char>('A' + static_cast<int>(parsed.layout.index())));
}

}  // namespace vl::ttmlir
