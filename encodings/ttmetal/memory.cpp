// Memory configurations: MemoryConfig, ShardSpec, NdShardSpec, and create_sharded_memory_config, which computes one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "encodings/ttmetal/meaning.h"

namespace vl::ttmetal {
namespace {

constexpr std::array<std::string_view, 2> kOrientations = {"ROW_MAJOR", "COL_MAJOR"};
constexpr std::array<std::string_view, 3> kDeals = {"ROUND_ROBIN_1D", "GRID_2D", "CONTIGUOUS_1D"};
constexpr std::array<std::string_view, 2> kModes = {"PHYSICAL", "LOGICAL"};
constexpr std::array<std::string_view, 5> kBuffers = {"L1", "DRAM", "L1_SMALL", "SYSTEM_MEMORY", "TRACE"};
constexpr std::array<std::string_view, 6> kMemories = {"INTERLEAVED",   "HEIGHT_SHARDED", "WIDTH_SHARDED",
                                                       "BLOCK_SHARDED", "ND_SHARDED",     "SINGLE_BANK"};

bool is_one(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

void check_shape(Meaning& in, const std::vector<Index>& shape, const Node& node) {
  if (std::ranges::any_of(shape, [](Index size) { return size < 1; }))
    in.fail(ErrorCode::Value, "a shard has elements: every size of it is at least 1", node.offset);
}

void set_memory(Meaning& in, std::string_view word, std::size_t offset, Spec& spec) {
  if (word == "SINGLE_BANK")
    in.fail(ErrorCode::Value, "SINGLE_BANK is of older versions, which kept a tensor in one page; it is not read",
            offset);
  spec.memory = word == "HEIGHT_SHARDED"  ? Memory::Height
                : word == "WIDTH_SHARDED" ? Memory::Width
                : word == "BLOCK_SHARDED" ? Memory::Block
                : word == "ND_SHARDED"    ? Memory::Nd
                                          : Memory::Interleaved;
}

// One argument of a MemoryConfig, told by what it is.
void take_argument(Meaning& in, const Field& field, Spec& spec, std::optional<Shard>& two, std::optional<Shard>& many,
                   bool& created_with_nd) {
  const Node& node = field.value;
  const std::string_view key = field.key;
  const bool buffer = node.name.find("BufferType") != std::string::npos;
  const bool layout = node.name.find("TensorMemoryLayout") != std::string::npos;
  if (key == "per_core_allocation" || key == "range_lockstep_allocation") return;  // where a core's memory begins
  if (key == "created_with_nd_shard_spec") {
    created_with_nd = in.flag(node);
  } else if (key == "shard_spec" || (key.empty() && node.is_call("ShardSpec"))) {
    if (is_none(node)) return;
    Spec own;
    take_shard(in, node, own);
    two = std::move(own.shard);
  } else if (key == "nd_shard_spec" || (key.empty() && node.is_call("NdShardSpec"))) {
    if (is_none(node)) return;
    Spec own;
    take_nd_shard(in, node, own);
    many = std::move(own.shard);
  } else if (key == "interleaved" ||
             (key.empty() && node.kind == Node::Kind::Name && (node.last() == "True" || node.last() == "False"))) {
    if (!in.flag(node)) in.fail(ErrorCode::Value, "only an interleaved configuration is made by a flag", node.offset);
  } else if (key == "buffer_type" || (key.empty() && (buffer || is_one(node.last(), kBuffers)))) {
    const std::string word = in.word(&node, "a buffer type", kBuffers);
    if (!word.empty()) spec.buffer = word;
  } else if (key == "memory_layout" || (key.empty() && (layout || is_one(node.last(), kMemories)))) {
    set_memory(in, in.word(&node, "a memory layout", kMemories), node.offset, spec);
  } else if (!key.empty()) {
    in.fail(fmt::format("unknown field '{}' of a MemoryConfig", key), field.offset);
  } else if (!is_none(node)) {
    if (node.kind == Node::Kind::Name || node.kind == Node::Kind::Call) in.leave_open(node, "a part of a MemoryConfig");
    else in.fail("expected a memory layout, a buffer type or a shard spec", node.offset);
  }
}

// ttnn.DRAM_MEMORY_CONFIG and its like.
bool take_constant(Meaning& in, const Node& node, Spec& spec) {
  const std::string_view name = node.last();
  if (!name.ends_with("_MEMORY_CONFIG")) return false;
  spec.buffer = name.starts_with("DRAM") ? "DRAM" : "L1";
  if (name == "DRAM_MEMORY_CONFIG" || name == "L1_MEMORY_CONFIG") return true;
  in.leave_open(fmt::format("{} has no shard spec", name));
  return true;
}

}  // namespace

// ShardSpec(grid, shape, orientation), with a flag (halo) behind it in older texts; printed with mode and
// physical_shard_shape by versions of early 2025.
void take_shard(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 6> kNames = {"grid|core_range_set|core_ranges",
                                                      "shape|shard_shape",
                                                      "orientation|shard_orientation",
                                                      "halo",
                                                      "mode|shard_mode",
                                                      "physical_shard_shape"};
  if (!node.is_call("ShardSpec")) {
    if (node.kind == Node::Kind::Name || node.kind == Node::Kind::Call) in.leave_open(node, "a ShardSpec");
    else in.fail("expected a ShardSpec", node.offset);
    return;
  }
  auto values = in.arguments(node, kNames);
  if (in.error()) return;
  if (values[0] == nullptr || values[1] == nullptr)
    return in.fail("expected the grid and shape of a shard", node.offset);
  // ShardSpec(grid, shape, physical shape, orientation), and ShardSpec(grid, shape, orientation, mode)
  if (values[2] != nullptr && values[2]->kind == Node::Kind::List && values[5] == nullptr) {
    values[5] = values[2];
    values[2] = std::exchange(values[3], nullptr);
  }
  if (values[3] != nullptr && is_one(values[3]->last(), kModes) && values[4] == nullptr)
    values[4] = std::exchange(values[3], nullptr);
  Shard out;
  static_cast<void>(in.taken());
  out.grid = cores_in(in, *values[0]);
  out.named_grid = in.taken();
  out.shape = in.numbers(*values[1], "the shape of a shard");
  out.named_shape = in.taken();
  out.by_column = in.word(values[2], "an orientation", kOrientations) == "COL_MAJOR";
  if (values[3] != nullptr) static_cast<void>(in.flag(*values[3]));
  const bool logical = in.word(values[4], "a shard mode", kModes) == "LOGICAL";
  if (in.error() || !in.unknown().empty()) return;
  if (out.shape.size() != 2) in.fail(ErrorCode::Shape, "a ShardSpec's shape has two sizes", values[1]->offset);
  check_shape(in, out.shape, *values[1]);
  if (values[5] != nullptr && !is_none(*values[5])) {
    const std::size_t before = in.named().size();
    out.physical = in.numbers(*values[5], "the physical shape of a shard");
    if (out.physical->size() != 2) in.fail(ErrorCode::Shape, "a physical shard shape has two sizes", values[5]->offset);
    check_shape(in, *out.physical, *values[5]);
    if (in.named().size() > before) in.leave_open("a physical shard shape of names is not encoded");
  } else if (logical) {
    out.physical = std::vector<Index>{};  // the default: the shape rounded up to pages
  }
  spec.shard = std::move(out);
}

// NdShardSpec(shard_shape, grid, orientation, shard_distribution_strategy), and as printed, {"shard_shape":[…],…}.
void take_nd_shard(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 4> kNames = {"shard_shape", "grid", "orientation",
                                                      "shard_distribution_strategy"};
  if (!node.is_call("NdShardSpec") && node.kind != Node::Kind::List) {
    if (node.kind == Node::Kind::Number) in.fail("expected an NdShardSpec", node.offset);
    else in.leave_open(node, "an NdShardSpec");
    return;
  }
  const auto values = in.arguments(node, kNames);
  if (in.error()) return;
  if (values[0] == nullptr || values[1] == nullptr)
    return in.fail("expected the shape and grid of a shard", node.offset);
  Shard out;
  static_cast<void>(in.taken());
  out.shape = in.numbers(*values[0], "the shape of a shard");
  out.named_shape = in.taken();
  out.grid = cores_in(in, *values[1]);
  out.named_grid = in.taken();
  out.by_column = in.word(values[2], "an orientation", kOrientations) == "COL_MAJOR";
  const std::string deal = in.word(values[3], "a distribution", kDeals);
  out.deal = deal == "GRID_2D" ? Deal::Grid : deal == "CONTIGUOUS_1D" ? Deal::Contiguous : Deal::RoundRobin;
  if (in.error() || !in.unknown().empty()) return;
  if (out.shape.empty()) in.fail(ErrorCode::Shape, "an NdShardSpec's shape has a size at least", values[0]->offset);
  check_shape(in, out.shape, *values[0]);
  spec.shard = std::move(out);
}

void take_memory(Meaning& in, const Node& node, Spec& spec) {
  if (node.kind == Node::Kind::Name && take_constant(in, node, spec)) return;
  if (node.is_call("create_sharded_memory_config")) return take_created_memory(in, node, spec);
  if (!node.is_call("MemoryConfig")) {
    if (node.kind == Node::Kind::Name || node.kind == Node::Kind::Call) in.leave_open(node, "a MemoryConfig");
    else in.fail("expected a MemoryConfig", node.offset);
    return;
  }
  std::optional<Shard> two, many;
  bool created_with_nd = false;
  std::vector<std::string_view> keys;
  for (const Field& field : node.fields) {
    if (!field.key.empty() && is_one(field.key, keys))
      in.fail(fmt::format("'{}' stands here a second time", field.key), field.offset);
    keys.emplace_back(field.key);
    take_argument(in, field, spec, two, many, created_with_nd);
  }
  if (many && (created_with_nd || !two)) spec.memory = Memory::Nd, spec.shard = std::move(many);
  else if (two) spec.shard = std::move(two);
  if (spec.memory == Memory::Interleaved) spec.stray_shard = spec.shard.has_value(), spec.shard.reset();
  else if (!spec.shard && in.unknown().empty())
    in.leave_open("a sharded MemoryConfig without a shard spec has no places");
}

}  // namespace vl::ttmetal
