// tt-mlir's words for an NdShardSpec, which its runtime deals as tt-metal does:
//   #ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (1,0)>]>, <1x32x32>, <row_major>, <grid_2d>>
//   #ttnn.ttnn_nd_layout<<2x1>, memref<1x1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>,
//     <row_major>, <grid_2d>>      also inside its tensor type, tensor<2x32x32xbf16, #ttnn.ttnn_nd_layout<…>>
// A grid HxW is the cores (x=0,y=0) to (x=W-1,y=H-1); the memref is one shard, in tiles or elements. A core range is
// (x, y). What is left out has tt-metal's default: by rows, round robin.
//
// Sources: tt-mlir at 19c86fca, TTNNOpsAttrs.td (NDShardSpec, TTNNNDLayout), NDShardSpecAttr::get in TTNNOpsAttrs.cpp;
// the example is test/ttmlir/Dialect/TTNN/nd_layout_encoding.mlir.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/base/words.h"
#include "encodings/ttmetal/meaning.h"

namespace vl::ttmetal {
namespace {

constexpr std::string_view kLayout = "#ttnn.ttnn_nd_layout", kSpec = "#ttnn.nd_shard_spec";
constexpr std::array<std::string_view, 2> kNdStrategies = {"round_robin_1d", "grid_2d"};
constexpr std::array<std::string_view, 6> kNdLayouts = {"interleaved",   "height_sharded", "width_sharded",
                                                        "block_sharded", "nd_sharded",     "single_bank"};

struct TypeName {
  std::string_view mlir, dtype;
};
constexpr std::array<TypeName, 11> kElements = {{{"f32", "float32"},
                                                 {"bf16", "bfloat16"},
                                                 {"bfp_bf8", "bfloat8_b"},
                                                 {"bfp_bf4", "bfloat4_b"},
                                                 {"si32", "int32"},
                                                 {"i32", "int32"},
                                                 {"u32", "uint32"},
                                                 {"ui32", "uint32"},
                                                 {"u16", "uint16"},
                                                 {"ui16", "uint16"},
                                                 {"u8", "uint8"}}};
struct BufferName {
  std::string_view mlir, buffer;
};
constexpr std::array<BufferName, 5> kBufferNames = {
    {{"l1", "L1"}, {"dram", "DRAM"}, {"l1_small", "L1_SMALL"}, {"system_memory", "SYSTEM_MEMORY"}, {"trace", "TRACE"}}};

// A word of a closed list.
std::string_view take_one(Cursor& in, std::string_view what, std::span<const std::string_view> words) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view word = in.identifier(what);
  if (!in.failed() && std::ranges::find(words, word) == words.end())
    in.fail(ErrorCode::Value, fmt::format("'{}' is not {}; {}", word, what, one_of(word, words)), at);
  return word;
}

// <WORD>
std::string_view take_bracketed(Cursor& in, std::string_view what, std::span<const std::string_view> words) {
  in.expect("<");
  const std::string_view word = take_one(in, what, words);
  in.expect(">");
  return word;
}

// The digits of a size at least `least`; 0x2 of 0x2xf32 is two of them.
Index take_extent(Cursor& in, Index least) {
  in.skip_space();
  const std::string_view text = in.text();
  const std::size_t at = in.offset();
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + at, end, value);
  if (code == std::errc::result_out_of_range) in.fail(ErrorCode::Overflow, "a size does not fit in 64 bits", at);
  else if (code != std::errc{} || text[at] == '-') in.fail(fmt::format("expected a size, found {}", in.found()));
  else if (value < least) in.fail(ErrorCode::Value, fmt::format("a size is at least {}", least), at);
  if (in.failed()) return 0;
  in.move_to(static_cast<std::size_t>(stop - text.data()));
  return value;
}

bool accept_by(Cursor& in) {
  if (in.peek() != 'x') return false;
  in.move_to(in.offset() + 1);
  return true;
}

// 2x4
std::vector<Index> take_extents(Cursor& in, Index least) {
  std::vector<Index> out;
  do out.push_back(take_extent(in, least));
  while (!in.failed() && accept_by(in));
  return out;
}

std::string_view take_element(Cursor& in) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view word = in.identifier("an element type");
  const auto* const found = std::ranges::find(kElements, word, &TypeName::mlir);
  if (in.failed() || found != kElements.end()) return in.failed() ? std::string_view{} : found->dtype;
  std::vector<std::string_view> known;
  for (const TypeName& name : kElements) known.push_back(name.mlir);
  in.fail(ErrorCode::Value, fmt::format("'{}' is not an element type of TTNN; {}", word, one_of(word, known)), at);
  return {};
}

// 1x2x!ttcore.tile<32x32, bf16> or 1x64xbf16: the sizes, the tile and the type.
void take_shard_cells(Cursor& in, std::vector<Index>& sizes, Spec& spec) {
  while (!in.failed() && in.peek() >= '0' && in.peek() <= '9') {
    sizes.push_back(take_extent(in, 1));
    if (!accept_by(in)) in.fail(fmt::format("expected 'x' after a size, found {}", in.found()));
  }
  spec.tiled = in.accept("!");
  if (*spec.tiled) {
    const std::size_t at = in.offset();
    const std::string_view name = in.dotted_name("a tile");
    if (!in.failed() && name != "ttcore.tile" && name != "tt.tile")
      in.fail(ErrorCode::Syntax, fmt::format("'!{}' is not a tile; expected !ttcore.tile<32x32, bf16>", name), at);
    in.expect("<");
    const std::size_t sides_at = in.offset();
    const std::vector<Index> sides = take_extents(in, 1);
    if (!in.failed() && (sides.size() != 2 || sides[0] > 1024 || sides[1] > 1024))
      in.fail(ErrorCode::Value, "a tile has two sizes of at most 1024", sides_at);
    if (!in.failed()) spec.tile = tile_of(sides[0], sides[1]);
    in.expect(",");
  }
  spec.dtype = take_element(in);
  if (*spec.tiled) in.expect(">");
  for (std::size_t k = 1; *spec.tiled && k <= std::min<std::size_t>(sizes.size(), 2); ++k) {
    Index& size = sizes[sizes.size() - k];
    const auto whole = checked_mul(size, k == 1 ? spec.tile.width : spec.tile.height);
    if (!whole) in.fail(ErrorCode::Overflow, "a shard does not fit in 64 bits", in.offset());
    size = whole.value_or(1);
  }
}

// #ttnn.buffer_type<l1>, or the alias #l1 that tt-mlir prints for it.
void take_buffer_type(Cursor& in, Spec& spec) {
  std::vector<std::string_view> known;
  for (const BufferName& name : kBufferNames) known.push_back(name.mlir);
  in.expect("#");
  const std::size_t at = in.offset();
  std::string_view word = in.dotted_name("a buffer type");
  if (in.peek() == '<') {
    if (!in.failed() && word != "ttnn.buffer_type")
      in.fail(ErrorCode::Syntax, fmt::format("'#{}' is not a memory; expected #ttnn.buffer_type<l1>", word), at);
    word = take_bracketed(in, "a buffer type", known);
  } else {
    while (!word.empty() && (word.back() == '_' || (word.back() >= '0' && word.back() <= '9' && word != "l1")))
      word.remove_suffix(1);
    if (!in.failed() && std::ranges::find(known, word) == known.end())
      in.fail(ErrorCode::Value,
              fmt::format("'#{}' is an alias that the text does not define; expected #ttnn.buffer_type<l1>", word), at);
  }
  if (!in.failed()) spec.buffer = std::ranges::find(kBufferNames, word, &BufferName::mlir)->buffer;
}

// [, <row_major>][, <grid_2d>]
void take_deal(Cursor& in, Shard& shard) {
  constexpr std::array<std::string_view, 4> kBoth = {"row_major", "col_major", "round_robin_1d", "grid_2d"};
  bool strategy = false;
  for (int left = 2; left > 0 && !strategy && in.accept(","); --left) {
    const std::string_view word = take_bracketed(in, "an orientation or a distribution", kBoth);
    strategy = left == 1 || std::ranges::find(kNdStrategies, word) != kNdStrategies.end();
    if (!in.failed() && left == 1 && std::ranges::find(kNdStrategies, word) == kNdStrategies.end())
      in.fail(fmt::format("expected a distribution, {}", one_of(word, kNdStrategies)));
    if (word == "col_major") shard.by_column = true;
    if (word == "grid_2d") shard.deal = Deal::Grid;
  }
}

void take_layout_attribute(Cursor& in, Spec& spec) {
  in.expect("<");
  in.expect("<");
  const std::size_t at = in.offset();
  const std::vector<Index> grid = take_extents(in, 1);
  if (!in.failed() && grid.size() != 2) in.fail(ErrorCode::Shape, "a grid of cores has two sizes", at);
  in.expect(">");
  in.expect(",");
  in.expect("memref");
  in.expect("<");
  Shard shard;
  const std::size_t shard_at = in.offset();
  take_shard_cells(in, shard.shape, spec);
  if (!in.failed() && shard.shape.empty()) in.fail(ErrorCode::Shape, "a shard has one dimension or more", shard_at);
  in.expect(",");
  take_buffer_type(in, spec);
  in.expect(">");
  in.expect(",");
  const std::string_view layout = take_bracketed(in, "a memory layout", kNdLayouts);
  take_deal(in, shard);
  in.expect(">");
  if (in.failed()) return;
  shard.grid = {{0, 0, grid[1] - 1, grid[0] - 1}};
  spec.memory = layout == "interleaved" ? Memory::Interleaved : Memory::Nd;
  if (spec.memory == Memory::Nd) spec.shard = std::move(shard);
}

// #ttnn.core_range<(0,0), (1,0)>
CoreRange take_range(Cursor& in) {
  CoreRange out;
  in.expect("#");
  const std::size_t at = in.offset();
  const std::string_view name = in.dotted_name("a core range");
  if (!in.failed() && name != "ttnn.core_range")
    in.fail(ErrorCode::Syntax, fmt::format("'#{}' is not a core range; expected #ttnn.core_range<(0,0), (7,0)>", name),
            at);
  in.expect("<");
  for (auto [x, y] : {std::pair(&out.x0, &out.y0), std::pair(&out.x1, &out.y1)}) {
    if (x == &out.x1) in.expect(",");
    in.expect("(");
    *x = in.integer("a core's coordinate");
    in.expect(",");
    *y = in.integer("a core's coordinate");
    in.expect(")");
  }
  in.expect(">");
  if (!in.failed() && (out.x0 < 0 || out.y0 < 0 || out.x1 < out.x0 || out.y1 < out.y0))
    in.fail(ErrorCode::Value, "a core range goes from its smaller corner to its greater one, from 0", at);
  return out;
}

void take_spec_attribute(Cursor& in, Spec& spec) {
  Shard shard;
  in.expect("<");
  if (in.accept("#")) static_cast<void>(in.dotted_name("a set of core ranges"));
  in.expect("<");
  in.expect("[");
  while (!in.failed() && !in.accept("]")) {
    if (!shard.grid.empty()) in.expect(",");
    shard.grid.push_back(take_range(in));
  }
  in.expect(">");
  in.expect(",");
  in.expect("<");
  shard.shape = take_extents(in, 1);
  in.expect(">");
  take_deal(in, shard);
  in.expect(">");
  spec.memory = Memory::Nd, spec.buffer = "L1", spec.shard = std::move(shard);
}

// The sizes of a tensor type, and its element type, which the attribute states again.
void take_tensor_type(Cursor& in, Spec& spec) {
  in.expect("tensor");
  in.expect("<");
  spec.shape.emplace();
  while (!in.failed() && in.peek() >= '0' && in.peek() <= '9') {
    spec.shape->push_back(take_extent(in, 0));
    if (!accept_by(in)) in.fail(fmt::format("expected 'x' after a size, found {}", in.found()));
  }
  static_cast<void>(in.identifier("an element type"));
  in.expect(",");
}

}  // namespace

bool is_mlir_nd(std::string_view text) {
  const std::size_t at = text.find('#');
  if (at == std::string_view::npos) return false;
  std::string_view before = text.substr(0, at);
  before.remove_prefix(before.rfind(':') + 1);  // keys; npos + 1 is 0
  const std::size_t first = before.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && !before.substr(first).starts_with("tensor")) return false;
  const std::string_view rest = text.substr(at);
  return std::ranges::any_of(std::array{kLayout, kSpec}, [&](std::string_view name) {
    return rest.starts_with(name) && rest.substr(name.size()).starts_with('<');
  });
}

void take_mlir_nd(Cursor& cursor, Meaning& in, Spec& spec) {
  const bool typed = cursor.peek() == 't';
  if (typed) take_tensor_type(cursor, spec);
  cursor.expect("#");
  const std::string_view name = cursor.dotted_name("a layout");
  if (name == kSpec.substr(1)) take_spec_attribute(cursor, spec);
  else take_layout_attribute(cursor, spec);
  if (typed) cursor.expect(">");
  if (cursor.failed()) return;
  // No name stands for a size here; rules for all sizes read the same numbers.
  static_cast<void>(in.taken());
  const auto named = [&](const std::vector<Index>& sizes) {
    for (const Index size : sizes) in.keep(size);
    return in.taken();
  };
  if (spec.shape) spec.named_shape = named(*spec.shape);
  if (!spec.shard) return;
  spec.shard->named_shape = named(spec.shard->shape);
  std::vector<Index> corners;
  for (const CoreRange& range : spec.shard->grid)
    corners.insert(corners.end(), {range.x0, range.y0, range.x1, range.y1});
  spec.shard->named_grid = named(corners);
}

}  // namespace vl::ttmetal
