// Layouts of TIRx as trees of numbers (encodings/use/parts.h).
#include "encodings/tirx/parts.h"

#include <fmt/format.h>

#include "encodings/base/json_cursor.h"
#include "encodings/tirx/derive.h"

namespace vl::tirx {
namespace {

void add_number(Index value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

void add_axis(Axis axis, std::string& out) {
  out += ",\"";
  out += info(axis).name;
  out += "\"]";
}

void add_iters(const std::vector<Iter>& iters, std::string& out) {
  out += '[';
  for (const Iter& iter : iters) {
    out += out.back() == '[' ? "[" : ",[";
    add_number(iter.extent, out);
    out += ',';
    add_number(iter.stride, out);
    add_axis(iter.axis, out);
  }
  out += ']';
}

Result<std::string> print_parts(std::string_view text, const map::Tensor& tensor) {
  const auto read = read_derived(text, tensor);
  if (!read) return read.error();
  if (!read->parsed.symbolic.empty()) return Error{ErrorCode::Value, read->parsed.symbolic};
  return parts_of(read->parsed.layout);
}

Axis axis_at(JsonCursor& in) {
  const std::string word = in.string("the name of an axis");
  const auto axis = axis_of(word);
  if (!axis && !in.failed()) in.in().fail(fmt::format("{} is no axis", shown(word)));
  return axis.value_or(Axis::M);
}

// The numbers and the axis of one list: [8,4,"laneid"].
std::pair<std::vector<Index>, Axis> entry_at(JsonCursor& in, std::size_t numbers) {
  std::pair<std::vector<Index>, Axis> out{{}, Axis::M};
  bool ends = false;
  in.array("a list of numbers and an axis", [&] {
    if (ends) in.in().fail("expected nothing behind the axis");
    if (out.first.size() < numbers) out.first.push_back(in.integer("an integer"));
    else out.second = axis_at(in), ends = true;
  });
  if (!ends && !in.failed()) in.in().fail(fmt::format("expected {} numbers and an axis", numbers));
  return out;
}

std::vector<Iter> iters_at(JsonCursor& in) {
  std::vector<Iter> out;
  in.array("a list of iters", [&] {
    const auto [numbers, axis] = entry_at(in, 2);
    if (!in.failed()) out.push_back({numbers[0], numbers[1], axis});
  });
  return out;
}

SwizzleLayout swizzle_at(JsonCursor& in) {
  SwizzleLayout out;
  const auto small = [&] {
    const Index value = in.integer("a number of bits");
    if (value < 0 || value > 62) in.in().fail("expected a number of bits from 0 to 62");
    return static_cast<int>(value);
  };
  in.object("a swizzle", [&](std::string_view key, std::size_t) {
    if (key == "per_element") out.per_element = small();
    else if (key == "swizzle_len") out.swizzle_len = small();
    else if (key == "atom_len") out.atom_len = small();
    else if (key == "swizzle_inner") out.swizzle_inner = in.in().accept("true") || (in.in().expect("false"), false);
    else in.in().fail(fmt::format("{} is no field of a swizzle", shown(key)));
  });
  return out;
}

Result<std::string> read_parts(std::string_view json) {
  JsonCursor in(json);
  Layout layout;
  TileLayout tile;
  bool tiled = false;
  in.object("a layout's parts", [&](std::string_view key, std::size_t) {
    if (key == "shard") {
      tiled = !in.in().accept("null");
      if (tiled) tile.shard = iters_at(in);
    } else if (key == "replica") {
      tile.replica = iters_at(in);
    } else if (key == "offset") {
      in.array("a list of offsets", [&] {
        const auto [numbers, axis] = entry_at(in, 1);
        if (!in.failed()) tile.offset.emplace_back(axis, numbers[0]);
      });
    } else if (key == "swizzle") {
      if (!in.in().accept("null")) layout.swizzle = swizzle_at(in);
    } else {
      in.in().fail(fmt::format("{} is no part of a layout; expected shard, replica, offset, swizzle", shown(key)));
    }
  });
  in.in().expect_end();
  if (!in.failed() && !tiled && !layout.swizzle) in.in().fail("expected a shard or a swizzle");
  if (in.failed()) return in.in().error();
  if (tiled) layout.tile = std::move(tile);
  return print(layout);
}

}  // namespace

std::string parts_of(const Layout& layout) {
  static const TileLayout kNone;
  const TileLayout& tile = layout.tile ? *layout.tile : kNone;
  std::string out = "{\"shard\":";
  if (layout.tile) add_iters(tile.shard, out);
  else out += "null";
  out += ",\"replica\":";
  add_iters(tile.replica, out);
  out += ",\"offset\":[";
  for (const auto& [axis, value] : tile.offset) {
    out += out.back() == '[' ? "[" : ",[";
    add_number(value, out);
    add_axis(axis, out);
  }
  out += "],\"swizzle\":";
  if (!layout.swizzle) return out + "null}";
  const SwizzleLayout& swizzle = *layout.swizzle;
  return out + fmt::format(R"({{"per_element":{},"swizzle_len":{},"atom_len":{},"swizzle_inner":{}}}}})",
                           swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len, swizzle.swizzle_inner);
}

constinit const use::Parts kParts{
    .schema =
        "shard: [[extent, stride, axis], ...] or null; replica: the same; offset: [[number, axis], ...]; "
        "swizzle: {per_element, swizzle_len, atom_len, swizzle_inner} or null",
    .print = print_parts,
    .read = read_parts};

}  // namespace vl::tirx
