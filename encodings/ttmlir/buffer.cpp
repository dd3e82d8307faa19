// Device buffers: memrefs whose layout is a list of strides in bytes. The first half of the memref's shape is the grid
// of cores and the second half a shard, in tiles or scalars; a circular buffer (cb_layout) is a shard alone.
//   place in the core's memory, in bytes = Σ s_k · stride_k + the place in the tile, s the cell in the shard
// The tensor is the memref itself in elements, tiles folded into the last two dimensions. A core's memory is one buffer
// as the compiler allocates it: the cells of the shard, whatever the strides.
//
// Example: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> of f32[1,1,64,64]: element
// [0,0,40,3] lies in tile (1, 0), 8192 bytes from the start, at (8, 3) of it: element 2048 + 131. With strides
// 8192x8192 the last tile would begin at byte 16384, where the memory ends.
//
// Source: tt-mlir at 19c86fca, lib/Dialect/TTCore/IR/TTCoreOpsTypes.cpp (ShardLayoutAttr, CBLayoutAttr,
// InterleavedLayoutAttr; getShardSizeInBytes for the memory).
#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

// The bytes of a tile or a scalar; nothing if the type is not known or has no whole bytes.
std::optional<Index> bytes_of_cell(const Cells& cells) {
  const auto area = cells.tile ? checked_mul(cells.tile->height, cells.tile->width) : std::optional<Index>(1);
  if (!area) return std::nullopt;
  if (cells.tile && cells.type.starts_with("bfp")) {
    const auto tile = block_tile_of(cells);
    return tile ? std::optional(tile->bytes()) : std::nullopt;
  }
  const auto type = map::element_type_of(cells.type);
  const auto bits = type ? checked_mul(*area, map::bits(*type)) : std::nullopt;
  return bits && *bits % 8 == 0 ? std::optional(*bits / 8) : std::nullopt;
}

// The elements of a cell. Requires: its bytes are known, so the product fits.
Index area_of(const BufferLayout& buffer) {
  const Tile tile = buffer.of.tile.value_or(Tile{});
  return tile.height * tile.width;
}

// A buffer's shapes: cores, and cells of a shard.
struct Halves {
  std::vector<Index> grid, shard;
};

Halves halves_of(const BufferLayout& buffer) {
  const std::vector<Index>& all = buffer.of.shape;
  const std::size_t cores = buffer.kind == BufferLayout::Kind::Circular ? 0 : all.size() / 2;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(cores);
  return {{all.begin(), middle}, {middle, all.end()}};
}

std::vector<use::Rule> rules_of(const BufferLayout& buffer, const Halves& halves, Index cell) {
  std::vector<use::Rule> rules;
  const auto count = [](std::size_t value) { return static_cast<Index>(value); };
  if (buffer.kind != BufferLayout::Kind::Circular)
    rules.push_back(
        {"the memref has a grid and a shard of as many dimensions each", count(buffer.of.shape.size() % 2), 0});
  rules.push_back({"there is one stride for each dimension of the shard", count(buffer.strides.size()),
                   count(halves.shard.size())});
  if (buffer.of.tile)
    rules.push_back({"a shard of tiles has two dimensions or more", std::min<Index>(count(halves.shard.size()), 2), 2});
  // A dimension of one cell has no second one that its stride would reach.
  for (std::size_t k = 0; k < buffer.strides.size(); ++k)
    if (k >= halves.shard.size() || halves.shard[k] != 1)
      rules.push_back(
          {fmt::format("stride {} modulo the {} bytes of a {} is 0", k, cell, buffer.of.tile ? "tile" : "scalar"),
           buffer.strides[k] % cell, 0});
  if (buffer.buffers) rules.push_back({"there is at least one buffer", std::min<Index>(*buffer.buffers, 1), 1});
  return rules;
}

// The parts of "(a, b mod 3, c)" between its brackets; nothing if the cursor's text does not begin so.
std::optional<std::vector<std::string>> take_list(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with('(')) return std::nullopt;
  std::vector<std::string> out(1);
  std::size_t open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' && open++ == 0) continue;
    if (c == ')' && --open == 0) return text.remove_prefix(at + 1), out;
    if (c == ',' && open == 1) out.emplace_back();
    else if (c != ' ' || !out.back().empty()) out.back() += c;
  }
  return std::nullopt;
}

// Whether an expression has a name in it.
bool mentions(std::string_view expression, std::string_view name) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = expression.find(name); at != std::string_view::npos; at = expression.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_word(expression[at - 1])) && (end == expression.size() || !is_of_word(expression[end])))
      return true;
  }
  return false;
}

// The tensor that the memref is, in elements; nothing beyond 64 bits.
std::optional<std::vector<Index>> shape_of(const BufferLayout& buffer) {
  std::vector<Index> out = buffer.of.shape;
  const std::size_t n = out.size();
  const Tile tile = buffer.of.tile.value_or(Tile{});
  for (std::size_t i = 0; i < n; ++i) {
    const auto elements = checked_mul(out[i], tile_size(tile, i, n));
    if (!elements) return std::nullopt;
    out[i] = *elements;
  }
  return out;
}

// (grid…, shard…) -> (c…, m). Each dimension of the shard is cut into tile, face and place.
std::vector<map::Stage> stages_of(const BufferLayout& buffer, const Halves& halves, Index cell) {
  const Tile tile = buffer.of.tile.value_or(Tile{});
  const std::size_t cores = halves.grid.size(), n = halves.shard.size();
  const Index area = area_of(buffer);
  const Index face_row = face_of(tile.height) * tile.width, face_column = face_of(tile.height) * face_of(tile.width);
  std::vector<map::Stage> out;
  map::Affine gather;
  for (std::size_t c = 0; c < cores; ++c) gather.rows.push_back(map::pick(c));
  map::Row memory;
  std::size_t at = cores;
  for (std::size_t k = 0; k < n; ++k) {
    const Index side = tile_size(tile, k, n);
    memory.terms.push_back({at, buffer.strides[k] / cell * area});
    if (side == 1) {
      ++at;
      continue;
    }
    const bool last = k + 1 == n;
    out.insert(out.begin(), map::Split{cores + k, {side, face_of(side), 1}});
    memory.terms.push_back({at + 1, last ? face_column : face_row});
    memory.terms.push_back({at + 2, last ? 1 : face_of(tile.width)});
    at += 3;
  }
  std::erase_if(memory.terms, [](const map::Term& term) { return term.coefficient == 0; });
  gather.rows.push_back(std::move(memory));
  out.emplace_back(std::move(gather));
  return out;
}

std::string name_of(BufferLayout::Kind kind) {
  switch (kind) {
    case BufferLayout::Kind::Shard: return "shard";
    case BufferLayout::Kind::Circular: return "cb_layout";
    case BufferLayout::Kind::Interleaved: return "interleaved";
  }
  VL_CHECK(false, "unknown kind");
}

Error too_large() { return {ErrorCode::Overflow, "the buffer does not fit in 64 bits", 0}; }

// `memory`: the elements of one core's shard.
Result<map::Layout> layout_of(const BufferLayout& buffer, const Halves& halves, Index cell, Index memory,
                              const map::Tensor& tensor) {
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  std::vector<map::Dim> dims = map::Space::dims("c", halves.grid, map::Unit::Core);
  dims.push_back({std::string(map::kMemoryAxis), memory, map::Unit::Element});
  auto box = map::Space::create(std::move(dims));
  if (!box) return box.error();
  map::LayoutParts parts{std::move(*logical),
                         map::Space{},
                         std::move(*box),
                         stages_of(buffer, halves, cell),
                         0,
                         std::nullopt,
                         0,
                         std::nullopt,
                         map::dot(*strides, tensor.offset)};
  parts.named_axes = true;
  return map::Layout::create(std::move(parts));
}

// The last of the parts that follow the layout of a memref, where that is no view: its memory.
std::string_view space_text(std::string_view rest) {
  std::size_t open = 0, start = 0;
  for (std::size_t at = 0; at < rest.size(); ++at) {
    const bool arrow = rest[at] == '>' && at > 0 && rest[at - 1] == '-';
    if (rest[at] == '<' || rest[at] == '(') ++open;
    if ((rest[at] == '>' && !arrow) || rest[at] == ')') open -= open > 0 ? 1 : 0;
    if (rest[at] == ',' && open == 0) start = at + 1;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(' ', start), rest.size()));
  return rest.starts_with('#') && rest.find("view<") == std::string_view::npos ? rest : std::string_view{};
}

void tell_memory_of(const BufferLayout& buffer, use::Reading& reading) {
  if (const std::string_view text = space_text(buffer.rest); !text.empty()) {
    Cursor in(text);
    reading.space = take_space(in);  // which take_buffer has read without an error
  }
  if (reading.space.starts_with("system")) reading.space = "system";
  if (reading.space == "l1" || reading.space == "dram" || reading.space == "system") reading.memory = reading.space;
  reading.buffers = buffer.buffers.value_or(1);
  if (reading.space == "dram" || buffer.kind == BufferLayout::Kind::Interleaved)
    reading.spread = "its pages go round the banks, and the text does not say how many there are";
}

}  // namespace

bool is_buffer(std::string_view text) {
  Cursor in(text);
  if (!in.accept("memref") || in.peek() != '<') return false;
  for (const std::string_view name : {"#ttcore.shard<", "#tt.shard<", "#ttcore.cb_layout<", "#ttcore.interleaved<"})
    if (text.find(name) != std::string_view::npos) return true;
  return false;
}

BufferLayout take_buffer(Cursor& in) {
  BufferLayout out;
  in.expect("memref");
  in.expect("<");
  out.of = take_cells(in);
  in.expect(",");
  in.expect("#");
  const std::size_t at = in.offset();
  const std::string_view name = in.dotted_name("a layout of a buffer");
  if (name.ends_with(".cb_layout")) out.kind = BufferLayout::Kind::Circular;
  else if (name.ends_with(".interleaved")) out.kind = BufferLayout::Kind::Interleaved;
  else if (!name.ends_with(".shard") && !in.failed())
    in.fail(ErrorCode::Syntax,
            fmt::format("'#{}' is no layout of a buffer; expected #ttcore.shard, #ttcore.cb_layout or "
                        "#ttcore.interleaved",
                        name),
            at);
  in.expect("<");
  out.strides = take_sizes(in, "strides in bytes");
  if (out.kind != BufferLayout::Kind::Interleaved && in.accept(",")) {
    if (in.peek() == '(' || in.peek() == 'g') out.more = take_rest(in);
    else out.buffers = in.integer("the number of buffers");
    if (in.accept(",")) out.more = take_rest(in);
  }
  in.expect(">");
  if (in.accept(",")) {
    in.skip_space();
    const std::size_t rest_at = in.offset();
    out.rest = take_rest(in);
    Cursor space(space_text(out.rest));
    if (!in.failed() && !space.at_end()) static_cast<void>(take_space(space));
    if (space.failed()) in.fail(space.error().code, space.error().message, rest_at);
  }
  in.expect(">");
  return out;
}

std::string print(const BufferLayout& buffer) {
  std::string out = fmt::format("memref<{}, #ttcore.{}<{}", print(buffer.of, "ttcore"), name_of(buffer.kind),
                                print_sizes(buffer.strides));
  if (buffer.buffers) out += fmt::format(", {}", *buffer.buffers);
  if (!buffer.more.empty()) out += ", " + buffer.more;
  return out + (buffer.rest.empty() ? ">>" : fmt::format(">, {}>", buffer.rest));
}

Result<use::Reading> read_buffer(const BufferLayout& buffer, const map::Tensor& tensor) {
  use::Reading reading{use::Undecidable{}, {}, print(buffer), {}, 0, {}, {}, {}};
  reading.rule = "buffer: strides in bytes inside the shard of each core";
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value, "a layout of tt-mlir holds a whole tensor; it has no view offset", 0};
  if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
  const auto no = [&](std::string why) {
    reading.what = use::Undecidable{std::move(why)};
    return reading;
  };
  const auto cell = bytes_of_cell(buffer.of);
  if (!cell || *cell == 0) return no(fmt::format("the bytes of '{}' are not known", buffer.of.type));
  const bool permuted = buffer.more.starts_with("(");
  const auto map = permuted ? cores_of(buffer) : std::nullopt;
  if (permuted && (!map || !is_encoded(*map)))
    return no(
        "the map of its cores changes the shard, has other results than a row and a column, or divides by what is no "
        "positive number; this is not encoded");
  const auto size = shape_of(buffer);
  if (!size) return too_large();
  const Halves halves = halves_of(buffer);
  reading.rules = rules_of(buffer, halves, *cell);
  if (map)
    if (auto apart = cores_apart(*map, halves.grid)) reading.rules.push_back(std::move(*apart));
  const bool same = tensor.size == *size;
  reading.rules.push_back({"the tensor has the memref's shape, in elements", same ? 1 : 0, 1});
  if (buffer.rest.find("view<") != std::string::npos)
    reading.warnings.emplace_back("a view stands behind the strides: places are those of the buffer, not of the view");
  if (buffer.buffers > 1)
    reading.warnings.push_back(fmt::format("a core has {} such buffers; places are those of one", *buffer.buffers));
  if (buffer.kind == BufferLayout::Kind::Interleaved)
    reading.warnings.emplace_back("interleaved: places are those in front of the banks");
  tell_memory_of(buffer, reading);
  const auto type = map::element_type_of(buffer.of.type);
  reading.device_bits = type && !buffer.of.type.starts_with("bfp") ? map::bits(*type) : 0;
  reading.block_tile = block_tile_of(buffer.of);
  bool fits = true;
  for (const Index stride : buffer.strides) fits = fits && checked_mul(stride / *cell, area_of(buffer)).has_value();
  const auto cells = checked_product(halves.shard);
  const auto memory = cells ? checked_mul(*cells, area_of(buffer)) : std::nullopt;
  if (!fits || !memory) return too_large();
  if (is_broken(reading.rules)) return no(why_nowhere(reading.rules));
  auto layout = layout_of(buffer, halves, *cell, *memory, tensor);
  if (!layout) return layout.error();
  reading.what = std::move(*layout);
  return reading;
}

std::optional<AffineMap> cores_of(const BufferLayout& buffer) {
  std::string_view text = buffer.more;
  const auto dims = take_list(text);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!dims || !text.starts_with("->")) return std::nullopt;
  text.remove_prefix(2);
  const auto results = take_list(text);
  const Halves halves = halves_of(buffer);
  const std::size_t cores = halves.grid.size(), shard = halves.shard.size();
  if (!results || dims->size() != cores + shard || results->size() != 2 + shard) return std::nullopt;
  for (std::size_t k = 0; k < shard; ++k) {
    const std::string& name = (*dims)[cores + k];
    if ((*results)[2 + k] != name || mentions((*results)[0], name) || mentions((*results)[1], name))
      return std::nullopt;
  }
  const std::string of_cores = fmt::format(
      "({}) -> ({}, {})", fmt::join(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(cores), ", "),
      (*results)[0], (*results)[1]);
  Cursor in(of_cores);
  AffineMap map = take_map(in);
  return in.failed() || !in.at_end() ? std::nullopt : std::optional(std::move(map));
}

std::optional<std::vector<Index>> elements_of(const BufferLayout& buffer) { return shape_of(buffer); }

}  // namespace vl::ttmlir
