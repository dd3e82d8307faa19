// Specs to texts, as ttnn 0.81.1 prints them, with every brace closed. What a text of tt-metal has no place for stands
// in front as keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string print_tile(const Tile& tile) {
  std::string out =
      fmt::format("Tile(tile_shape={{{}, {}}},face_shape={{{}, {}}},num_faces={}", tile.height, tile.width,
                  tile.face_height, tile.face_width, tile.height / tile.face_height * (tile.width / tile.face_width));
  if (tile.within_by_column) out += ",transpose_within_face=1";
  if (tile.faces_by_column) out += ",transpose_of_faces=1";
  return out + ")";
}

std::string print_grid(const std::vector<CoreRange>& grid) {
  std::vector<std::string> out;
  out.reserve(grid.size());
  for (const CoreRange& range : grid)
    out.push_back(fmt::format(R"({{"start":{{"x":{},"y":{}}},"end":{{"x":{},"y":{}}}}})", range.x0, range.y0, range.x1,
                              range.y1));
  return fmt::format("[{}]", fmt::join(out, ", "));
}

std::string_view orientation(const Shard& shard) { return shard.by_column ? "COL_MAJOR" : "ROW_MAJOR"; }

std::string print_shard(const Shard& shard) {
  std::string out = fmt::format("ShardSpec{{grid={}, shape=[{}], orientation=ShardOrientation::{}",
                                print_grid(shard.grid), fmt::join(shard.shape, ", "), orientation(shard));
  if (shard.physical) {
    out += ", mode=ShardMode::LOGICAL";
    if (!shard.physical->empty()) out += fmt::format(", physical_shard_shape=[{}]", fmt::join(*shard.physical, ", "));
  }
  return out + "}";
}

std::string print_nd_shard(const Shard& shard) {
  const std::string_view deal = shard.deal == Deal::Grid         ? "GRID_2D"
                                : shard.deal == Deal::Contiguous ? "CONTIGUOUS_1D"
                                                                 : "ROUND_ROBIN_1D";
  return fmt::format(R"({{"shard_shape":[{}],"grid":{},"orientation":"ShardOrientation::{}",)"
                     R"("shard_distribution_strategy":"ShardDistributionStrategy::{}"}})",
                     fmt::join(shard.shape, ", "), print_grid(shard.grid), orientation(shard), deal);
}

std::string_view name(Memory memory) {
  switch (memory) {
    case Memory::Interleaved: return "INTERLEAVED";
    case Memory::Height: return "HEIGHT_SHARDED";
    case Memory::Width: return "WIDTH_SHARDED";
    case Memory::Block: return "BLOCK_SHARDED";
    case Memory::Nd: return "ND_SHARDED";
  }
  return "";
}

std::string print_memory(const Spec& spec) {
  const bool nd = spec.memory == Memory::Nd;
  std::string two = "std::nullopt";
  if (spec.shard && !nd) two = print_shard(*spec.shard);
  else if (spec.stray_shard) two = R"(ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":0,"y":0}}], shape=[1, 1]})";
  return fmt::format(
      "MemoryConfig(memory_layout=TensorMemoryLayout::{},buffer_type=BufferType::{},shard_spec={},nd_shard_spec={},"
      "created_with_nd_shard_spec={})",
      name(spec.memory), spec.buffer, two, spec.shard && nd ? print_nd_shard(*spec.shard) : "std::nullopt", nd ? 1 : 0);
}

}  // namespace

std::string print(const Spec& spec) {
  std::vector<std::string> keys;
  const bool whole = !spec.dtype.empty() && spec.tiled;  // the text has a place for the layout
  if (!whole && spec.tiled) keys.emplace_back(*spec.tiled ? "layout=TILE" : "layout=ROW_MAJOR");
  if (!whole && spec.tile != Tile{}) keys.push_back("tile=" + print_tile(spec.tile));
  if (spec.banks) keys.push_back(fmt::format("banks={}", *spec.banks));
  std::string out = keys.empty() ? "" : fmt::format("{}: ", fmt::join(keys, ", "));
  if (!whole) return out + print_memory(spec);
  const std::string layout = fmt::format(
      "TensorLayout(dtype=DataType::{},page_config=PageConfig(config={}PageConfig(tile={})),memory_config={}{})",
      upper_case(spec.dtype), *spec.tiled ? "Tile" : "RowMajor", print_tile(spec.tile), print_memory(spec),
      spec.alignment.empty() ? "" : fmt::format(",alignment=Alignment([{}])", fmt::join(spec.alignment, ", ")));
  if (!spec.shape) return out + layout;
  return out +
         fmt::format("TensorSpec(logical_shape=Shape([{}]),tensor_layout={})", fmt::join(*spec.shape, ", "), layout);
}

}  // namespace vl::ttmetal
