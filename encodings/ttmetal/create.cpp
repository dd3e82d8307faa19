// ttnn.create_sharded_memory_config(shape, core_grid, strategy, orientation, use_height_and_width_as_shard_shape): a
// MemoryConfig in L1 whose shard shape is computed. Source: ttnn/core.py of the released ttnn 0.81.1, line 106.
//
//   H = product of all sizes but the last, W = the last, on a grid of X columns and Y rows
//   HEIGHT: (H / (X·Y), W)    WIDTH: (H, W / (X·Y))    BLOCK: (H / Y, W / X), or COL_MAJOR (H / X, W / Y)
//   with use_height_and_width_as_shard_shape: the last two sizes; COL_MAJOR exchanges them
// Divisions must be exact, else the function raises. Example: [1, 1, 256, 256], CoreGrid(y=4, x=2), BLOCK: (64, 128).
#include <fmt/format.h>

#include <array>

#include "encodings/ttmetal/meaning.h"

namespace vl::ttmetal {
namespace {

constexpr std::array<std::string_view, 6> kStrategies = {"HEIGHT",         "WIDTH",         "BLOCK",
                                                         "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"};
constexpr std::array<std::string_view, 4> kOrders = {"ROW_MAJOR", "COL_MAJOR", "ROW_WISE", "COLUMN_WISE"};

Memory memory_of(std::string_view strategy) {
  return strategy.starts_with("HEIGHT")  ? Memory::Height
         : strategy.starts_with("WIDTH") ? Memory::Width
                                         : Memory::Block;
}

// The grid of two CoreGrids: the rows of the first, and one row behind them as wide as the second.
std::vector<CoreRange> created_grid(Meaning& in, const Node& node) {
  const bool two = node.kind == Node::Kind::List && node.fields.size() == 2 &&
                   node.fields[0].value.is_call("CoreGrid") && node.fields[1].value.is_call("CoreGrid");
  std::vector<CoreRange> out = cores_in(in, node);
  if (two && out.size() == 2 && !in.error()) out[1].y0 = out[1].y1 = out[0].y1 + 1;
  return out;
}

// value / parts, which has to be exact.
Index part_of(Meaning& in, Index value, Index parts, std::string_view what, std::size_t offset) {
  if (value % parts != 0)
    in.fail(
        ErrorCode::Value,
        fmt::format("create_sharded_memory_config raises: the {} {} is no multiple of {} cores", what, value, parts),
        offset);
  return value / parts;
}

std::vector<Index> divided(Meaning& in, const std::vector<Index>& shape, const CoreRange& grid, Memory memory,
                           bool by_column, std::size_t offset) {
  const auto height = checked_product(std::span(shape).first(shape.size() - 1));
  const Index x = grid.x1 - grid.x0 + 1, y = grid.y1 - grid.y0 + 1;
  const auto cores = checked_mul(x, y);
  if (!height || !cores) {
    in.fail(ErrorCode::Overflow, "the height or the number of cores does not fit in 64 bits", offset);
    return {1, 1};
  }
  const Index width = shape.back();
  switch (memory) {
    case Memory::Height: return {part_of(in, *height, *cores, "height", offset), width};
    case Memory::Width: return {*height, part_of(in, width, *cores, "width", offset)};
    default:
      return {part_of(in, *height, by_column ? x : y, "height", offset),
              part_of(in, width, by_column ? y : x, "width", offset)};
  }
}

}  // namespace

void take_created_memory(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 5> kNames = {"shape", "core_grid", "strategy", "orientation",
                                                      "use_height_and_width_as_shard_shape"};
  const auto values = in.arguments(node, kNames);
  if (in.error()) return;
  if (values[0] == nullptr || values[1] == nullptr || values[2] == nullptr)
    return in.fail("expected a shape, a core grid and a strategy", node.offset);
  const std::size_t before = in.named().size();
  const std::vector<Index> shape = in.numbers(*values[0], "the shape of a tensor");
  static_cast<void>(in.taken());
  Shard out;
  out.grid = created_grid(in, *values[1]);
  out.named_grid = in.taken();
  if (in.named().size() > before)
    in.leave_open("create_sharded_memory_config computes the shape of a shard, which is not encoded for names");
  const std::string strategy = in.word(values[2], "a strategy", kStrategies);
  out.by_column = in.word(values[3], "an orientation", kOrders).starts_with("COL");
  const bool as_shard = values[4] != nullptr && in.flag(*values[4]);
  if (in.error() || !in.unknown().empty()) return;
  if (strategy.empty()) return in.fail("expected a strategy, as ttnn.ShardStrategy.HEIGHT", values[2]->offset);
  if (shape.size() < 2) return in.fail(ErrorCode::Shape, "expected a shape of two sizes or more", values[0]->offset);
  spec.memory = memory_of(strategy);
  spec.buffer = "L1";
  if (as_shard) {
    out.shape = {shape[shape.size() - 2], shape.back()};
    if (out.by_column) std::swap(out.shape[0], out.shape[1]);
  } else if (out.grid.size() != 1 || !values[1]->is_call("CoreGrid")) {
    return in.fail(ErrorCode::Value,
                   "create_sharded_memory_config raises: without use_height_and_width_as_shard_shape it takes one "
                   "CoreGrid",
                   values[1]->offset);
  } else {
    out.shape = divided(in, shape, out.grid[0], spec.memory, out.by_column, node.offset);
  }
  for (const Index size : out.shape) in.keep(size);
  out.named_shape = in.taken();
  if (!in.error() && (out.shape[0] < 1 || out.shape[1] < 1))
    in.fail(ErrorCode::Value, "a shard has elements: every size of it is at least 1", values[0]->offset);
  spec.shard = std::move(out);
}

}  // namespace vl::ttmetal
