#include "encodings/ttmlir/mlir.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/base/words.h"

namespace vl::ttmlir {
namespace {

bool is_size_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of one size. Not Cursor::integer, for which 0x2 of 0x2xf32 is one number.
Index take_size(Cursor& in, std::string_view what) {
  if (in.peek() == '?')
    in.fail(ErrorCode::Value, fmt::format("{} has a size that is not known, '?'", what), in.offset());
  if (!is_size_digit(in.peek())) in.fail(fmt::format("expected {}, as in 2x4, found {}", what, in.found()));
  if (in.failed()) return 0;
  Index value = 0;
  const char* begin = in.text().data() + in.offset();
  const auto [stop, code] = std::from_chars(begin, in.text().data() + in.text().size(), value);
  if (code != std::errc{}) in.fail(ErrorCode::Overflow, fmt::format("{} does not fit in 64 bits", what), in.offset());
  in.move_to(static_cast<std::size_t>(stop - in.text().data()));
  return value;
}

// Takes the x between two sizes, or between a size and a type.
bool accept_x(Cursor& in) {
  if (in.peek() != 'x') return false;
  in.move_to(in.offset() + 1);
  return true;
}

// The element types of MLIR and of tt-mlir's tiles, but for integers of any width.
constexpr std::array<std::string_view, 27> kTypes = {
    "f32",    "bf16",   "f16",    "f64",      "bfp_bf8",    "bfp_bf4",    "bfp_bf2",  "bfp_f8",   "bfp_f4",
    "bfp_f2", "i32",    "si32",   "u32",      "u16",        "u8",         "i1",       "index",    "tf32",
    "f8E4M3", "f8E5M2", "f8E3M4", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN"};

// i32, si8, ui16, u8.
bool is_integer_type(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  const std::string_view letters = type.substr(0, digits);
  return digits != std::string_view::npos && type.find_first_not_of("0123456789", digits) == std::string_view::npos &&
         (letters == "i" || letters == "si" || letters == "ui" || letters == "u");
}

std::string take_type(Cursor& in, std::string_view what) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view type = in.identifier(what);
  if (!in.failed() && std::ranges::find(kTypes, type) == kTypes.end() && !is_integer_type(type))
    in.fail(ErrorCode::Value, fmt::format("'{}' is not an element type; {}", type, one_of(type, kTypes)), at);
  return std::string(type);
}

// An attribute that is a name in brackets, or the name of an alias. In brackets only names of memories are known.
constexpr std::array<std::string_view, 3> kSpaceAttributes = {"ttcore.memory_space", "ttnn.buffer_type",
                                                              "tt.memory_space"};
constexpr std::array<std::string_view, 9> kSpaceNames = {"l1",  "dram",     "system_memory", "system",      "mmio",
                                                         "dst", "l1_small", "trace",         "register_dst"};

}  // namespace

std::string take_space(Cursor& in) {
  constexpr std::array<std::string_view, 6> kAliases = {"system_memory", "system", "l1_small", "l1", "dram", "mmio"};
  in.expect("#");
  const std::size_t at = in.offset();
  const std::string_view name = in.dotted_name("a memory space");
  if (!in.failed() && in.peek() == '<' && !name.ends_with(".memory_space") && !name.ends_with(".buffer_type"))
    in.fail(ErrorCode::Syntax, fmt::format("'#{}' is not a memory; {}", name, one_of(name, kSpaceAttributes)), at);
  if (in.accept("<")) {
    in.skip_space();
    const std::size_t word_at = in.offset();
    const std::string_view space = in.identifier("the name of a memory");
    if (!in.failed() && std::ranges::find(kSpaceNames, space) == kSpaceNames.end())
      in.fail(ErrorCode::Value, fmt::format("'{}' is not a memory; {}", space, one_of(space, kSpaceNames)), word_at);
    in.expect(">");
    return std::string(space);
  }
  for (const std::string_view alias : kAliases) {
    if (!name.starts_with(alias)) continue;
    const std::string_view rest = name.substr(alias.size());
    if (rest.find_first_not_of("_0123456789") == std::string_view::npos) return std::string(alias);
  }
  return fmt::format("#{}", name);
}

std::vector<Index> take_sizes(Cursor& in, std::string_view what) {
  std::vector<Index> sizes{take_size(in, what)};
  while (!in.failed() && accept_x(in)) sizes.push_back(take_size(in, what));
  return sizes;
}

Cells take_cells(Cursor& in) {
  Cells cells;
  while (!in.failed() && (is_size_digit(in.peek()) || in.peek() == '?')) {
    cells.shape.push_back(take_size(in, "a shape"));
    if (!accept_x(in)) in.fail(fmt::format("expected 'x' behind a size, as in 2x4xf32, found {}", in.found()));
  }
  if (in.accept("!")) {
    const std::size_t at = in.offset();
    const std::string_view name = in.dotted_name("a type");
    if (!in.failed() && name != "tt.tile" && name != "ttcore.tile")
      in.fail(ErrorCode::Syntax, fmt::format("'!{}' is not a tile type; expected !ttcore.tile<32x32, f32>", name), at);
    in.expect("<");
    const std::size_t sizes_at = in.offset();
    const auto sizes = take_sizes(in, "a tile");
    if (!in.failed() && (sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1))
      in.fail(ErrorCode::Value, "a tile has two sizes of at least 1", sizes_at);
    if (!in.failed()) cells.tile = Tile{sizes[0], sizes[1]};
    in.expect(",");
    cells.type = take_type(in, "the type of a tile's elements");
    in.expect(">");
  } else {
    cells.type = take_type(in, "an element type");
  }
  return cells;
}

std::string take_rest(Cursor& in) {
  in.skip_space();
  const std::string_view text = in.text();
  const std::size_t start = in.offset();
  std::size_t open = 0;
  std::size_t at = start;
  for (; at < text.size(); ++at) {
    if (text[at] == '<') ++open;
    if (text[at] != '>' || (at > 0 && text[at - 1] == '-')) continue;
    if (open == 0) break;
    --open;
  }
  if (at == text.size()) in.fail(ErrorCode::Syntax, "the bracket '<' is not closed", start);
  in.move_to(std::min(at, text.size()));
  std::string out;
  for (const char c : text.substr(start, at - start)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Grid take_grid(Cursor& in) {
  if (in.accept("#")) {
    const std::size_t at = in.offset();
    const std::string_view name = in.dotted_name("a grid");
    if (!in.failed() && name != "tt.grid" && name != "ttcore.grid")
      in.fail(ErrorCode::Syntax, fmt::format("'#{}' is not a grid; expected <8x8> or #ttcore.grid<8x8>", name), at);
  }
  in.expect("<");
  in.skip_space();
  const std::size_t at = in.offset();
  Grid grid{take_sizes(in, "a grid"), {}};
  if (!in.failed() && std::ranges::any_of(grid.shape, [](Index extent) { return extent < 1; }))
    in.fail(ErrorCode::Value, "a grid has at least one core in each dimension", at);
  if (in.accept(",")) grid.maps = take_rest(in);
  in.expect(">");
  return grid;
}

Memref take_memref(Cursor& in) {
  Memref out;
  in.expect("memref");
  in.expect("<");
  out.cells = take_cells(in);
  if (in.accept(",")) out.space = take_space(in);
  in.expect(">");
  return out;
}

std::vector<std::pair<Index, Index>> take_intervals(Cursor& in) {
  in.expect("dense");
  in.expect("<");
  in.skip_space();
  const std::size_t at = in.offset();
  std::vector<std::vector<Index>> rows;
  std::optional<Index> splat;
  if (in.accept("[")) {
    while (!in.failed() && !in.accept("]")) {
      if (!rows.empty()) in.expect(",");
      rows.push_back(in.integer_list("an interval"));
    }
  } else if (in.peek() != '>') {
    splat = in.integer("a bound");
  }
  in.expect(">");
  in.expect(":");
  in.expect("tensor");
  in.expect("<");
  const Cells type = take_cells(in);
  in.expect(">");
  if (in.failed()) return {};
  const bool pairs = type.shape.size() == 2 && type.shape[1] == 2;
  if (splat && pairs && type.shape[0] <= 256) rows.assign(static_cast<std::size_t>(type.shape[0]), {*splat, *splat});
  const bool fits = pairs && static_cast<Index>(rows.size()) == type.shape[0] &&
                    std::ranges::all_of(rows, [](const auto& row) { return row.size() == 2; });
  if (!fits) in.fail(ErrorCode::Shape, "the intervals are not as many pairs as their type says, tensor<Nx2xi64>", at);
  std::vector<std::pair<Index, Index>> out;
  for (const auto& row : rows)
    if (fits) out.emplace_back(row[0], row[1]);
  return out;
}

std::string print_sizes(std::span<const Index> sizes) { return fmt::format("{}", fmt::join(sizes, "x")); }

std::string print(const Cells& cells, std::string_view dialect) {
  std::string out = print_sizes(cells.shape);
  if (!out.empty()) out += 'x';
  if (!cells.tile) return out + cells.type;
  return out + fmt::format("!{}.tile<{}x{}, {}>", dialect, cells.tile->height, cells.tile->width, cells.type);
}

std::string print(const Grid& grid) {
  return fmt::format("<{}{}{}>", print_sizes(grid.shape), grid.maps.empty() ? "" : ", ", grid.maps);
}

}  // namespace vl::ttmlir
