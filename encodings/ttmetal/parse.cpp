// Texts to specs: the keys in front, then TensorSpec, TensorLayout, MemoryConfig, or what makes one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/ttmetal/meaning.h"

namespace vl::ttmetal {
namespace {

constexpr std::array<std::string_view, 6> kCalls = {"TensorSpec", "TensorLayout", "MemoryConfig",
                                                    "ShardSpec",  "NdShardSpec",  "create_sharded_memory_config"};
constexpr std::array<std::string_view, 3> kKeys = {"layout", "tile", "banks"};

bool is_call(std::string_view name) { return std::ranges::find(kCalls, name) != kCalls.end(); }

// TensorLayout(dtype, page config, memory config[, alignment]).
void take_tensor_layout(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 4> kNames = {"dtype|data_type", "page_config|layout", "memory_config",
                                                      "alignment"};
  if (!node.is_call("TensorLayout")) {
    if (node.kind == Node::Kind::Name || node.kind == Node::Kind::Call) return in.leave_open(node, "a TensorLayout");
    return in.fail("expected a TensorLayout", node.offset);
  }
  const auto values = in.arguments(node, kNames);
  if (in.error()) return;
  if (values[0] == nullptr || values[1] == nullptr)
    return in.fail("expected a data type and a page configuration", node.offset);
  spec.dtype = dtype_in(in, *values[0]);
  take_layout(in, *values[1], spec);
  if (values[2] != nullptr) take_memory(in, *values[2], spec);
  if (values[3] == nullptr) return;
  spec.alignment = in.numbers(*values[3], "an alignment");
  spec.named_alignment = in.taken();
  if (std::ranges::any_of(spec.alignment, [](Index a) { return a < 1; }))
    in.fail(ErrorCode::Value, "an alignment is at least 1", values[3]->offset);
}

// The arguments of Python's TensorSpec behind shape, dtype and layout, told by what they are.
void take_rest(Meaning& in, const Node& node, Spec& spec) {
  Node memory{Node::Kind::Call, 0, "MemoryConfig", '(', {}, node.offset};
  for (std::size_t k = 3; k < node.fields.size(); ++k) {
    const Field& field = node.fields[k];
    if (field.key == "tile" || field.value.is_call("Tile")) {
      if (!is_none(field.value)) spec.tile = tile_in(in, field.value);
    } else if (field.key == "memory_config" || field.value.is_call("MemoryConfig") ||
               field.value.is_call("create_sharded_memory_config") || field.value.last().ends_with("_MEMORY_CONFIG")) {
      take_memory(in, field.value, spec);
    } else {
      memory.fields.push_back(field);
    }
  }
  if (!memory.fields.empty()) take_memory(in, memory, spec);
}

void take_tensor_spec(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 2> kPrinted = {"logical_shape|shape", "tensor_layout"};
  constexpr std::array<std::string_view, 3> kFirst = {"shape|logical_shape", "dtype", "layout"};
  const bool printed =
      std::ranges::any_of(node.fields, [](const Field& field) { return field.key == "tensor_layout"; }) ||
      (node.fields.size() == 2);
  Node first = node;
  if (!printed && first.fields.size() > 3) first.fields.resize(3);
  const auto values = in.arguments(first, printed ? std::span<const std::string_view>(kPrinted) : kFirst);
  if (in.error()) return;
  if (std::ranges::find(values, nullptr) != values.end())
    return in.fail("expected a shape, a data type and a layout in front of what else a TensorSpec has", node.offset);
  spec.shape = in.numbers(*values[0], "the shape of a tensor");
  spec.named_shape = in.taken();
  if (std::ranges::any_of(*spec.shape, [](Index size) { return size < 0; }))
    in.fail(ErrorCode::Value, "a size is at least 0", values[0]->offset);
  if (printed) return take_tensor_layout(in, *values[1], spec);
  spec.dtype = dtype_in(in, *values[1]);
  take_layout(in, *values[2], spec);
  take_rest(in, node, spec);
}

// One key in front of a text and its value. False: none stands here.
bool take_key(Cursor& cursor, Meaning& in, Spec& spec, std::array<bool, kKeys.size()>& seen) {
  cursor.skip_space();
  Cursor look = cursor;
  const std::string_view key = look.identifier("a key");
  const auto at = static_cast<std::size_t>(std::ranges::find(kKeys, key) - kKeys.begin());
  if (look.failed() || at == kKeys.size() || !look.accept("=")) return false;
  if (seen[at]) cursor.fail(fmt::format("'{}' stands here a second time", key));
  seen[at] = true;
  cursor.move_to(look.offset());
  const Node value = take_node(cursor);
  if (cursor.failed()) return true;
  if (key == "layout") {
    take_layout(in, value, spec);
  } else if (key == "tile") {
    spec.tile = tile_in(in, value);
  } else {
    static_cast<void>(in.taken());
    spec.banks = in.number(value, "a number of banks");
    spec.named_banks = in.taken();
    if (*spec.banks < 1 || *spec.banks > 65536)
      in.fail(ErrorCode::Value, "a device has 1 to 65536 banks", value.offset);
  }
  return true;
}

// layout=TILE, banks=12: in front of a text.
void take_keys(Cursor& cursor, Meaning& in, Spec& spec) {
  std::array<bool, kKeys.size()> seen{};
  if (!take_key(cursor, in, spec, seen)) return;
  while (!cursor.failed() && !cursor.accept(":")) {
    cursor.expect(",");
    if (!cursor.failed() && !take_key(cursor, in, spec, seen))
      cursor.fail(fmt::format("expected one of {}, found {}", fmt::join(kKeys, ", "), cursor.found()));
  }
}

void take_text(Meaning& in, const Node& node, Spec& spec) {
  if (node.is_call("TensorSpec")) return take_tensor_spec(in, node, spec);
  if (node.is_call("TensorLayout")) return take_tensor_layout(in, node, spec);
  if (node.is_call("NdShardSpec")) {
    spec.memory = Memory::Nd;
    spec.buffer = "L1";
    return take_nd_shard(in, node, spec);
  }
  if (node.is_call("ShardSpec")) {
    take_shard(in, node, spec);
    return in.leave_open("a ShardSpec alone does not say whether height, width or blocks are sharded");
  }
  take_memory(in, node, spec);
}

}  // namespace

Result<Parsed> parse(std::string_view text) {
  Meaning in;
  return parse(text, without_comments(text), in);
}

Result<Parsed> parse(std::string_view text, std::string_view plain, Meaning& in) {
  const bool mlir = is_mlir_nd(text);  // whose '#' begins no comment
  Cursor cursor(mlir ? text : plain);
  Parsed out;
  take_keys(cursor, in, out.spec);
  if (mlir && !cursor.failed() && !in.error()) {
    take_mlir_nd(cursor, in, out.spec);
    cursor.expect_end();
    if (cursor.failed()) return cursor.error();
    return out;
  }
  const std::size_t at = cursor.offset();
  const Node node = take_node(cursor);
  cursor.expect_end();
  if (cursor.failed()) return cursor.error();
  const bool constant = node.kind == Node::Kind::Name && node.last().ends_with("_MEMORY_CONFIG");
  if (!constant && (node.kind != Node::Kind::Call || !is_call(node.last())))
    return Error{ErrorCode::Syntax, fmt::format("expected one of {}", fmt::join(kCalls, ", ")), at};
  take_text(in, node, out.spec);
  if (in.error()) return *in.error();
  out.unknown = in.unknown();
  if (!out.unknown.empty()) out.text = in_one_line(text);
  return out;
}

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : is_mlir_nd(text) ? std::string(text) : without_comments(text)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool recognises(std::string_view text) {
  if (is_mlir_nd(text.substr(0, 4096))) return true;
  const std::string plain = without_comments(text.substr(0, 4096));
  Cursor cursor(plain);
  for (const std::string_view key : kKeys) {
    Cursor look = cursor;
    if (look.accept(key) && look.accept("=")) return true;
  }
  const std::string_view word = cursor.identifier("a name");
  if (cursor.failed()) return false;
  std::string_view last = word;
  while (cursor.accept("::") || cursor.accept(".")) last = cursor.identifier("a name");
  return is_call(last) || last.ends_with("_MEMORY_CONFIG");
}

}  // namespace vl::ttmetal
