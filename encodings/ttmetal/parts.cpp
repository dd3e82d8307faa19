// The parts of specs: data types, tiles, page configurations and sets of cores.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/ttmetal/meaning.h"

namespace vl::ttmetal {
namespace {

constexpr std::array<std::string_view, 8> kTypes = {"bfloat16", "float32", "int32",     "uint32",
                                                    "uint16",   "uint8",   "bfloat8_b", "bfloat4_b"};
constexpr std::array<std::string_view, 4> kLayouts = {"TILE", "ROW_MAJOR", "TILE_LAYOUT", "ROW_MAJOR_LAYOUT"};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

struct Corner {
  Index x = 0, y = 0;
};

// CoreCoord(7, 3), (7, 3), {7, 3}, (x=7,y=3), {"x":7,"y":3}.
Corner core_in(Meaning& in, const Node& node) {
  constexpr std::array<std::string_view, 2> kNames = {"x", "y"};
  if (node.kind != Node::Kind::List && !node.is_call("CoreCoord")) {
    if (node.kind == Node::Kind::Number) in.fail("expected a core, as (0, 0)", node.offset);
    else in.leave_open(node, "a core");
    return {};
  }
  const auto values = in.arguments(node, kNames);
  if (in.error()) return {};
  if (values[0] == nullptr || values[1] == nullptr) {
    in.fail("expected two numbers of a core, x and y", node.offset);
    return {};
  }
  return {in.number(*values[0], "the x of a core"), in.number(*values[1], "the y of a core")};
}

bool is_range(const Node& node) {
  return node.is_call("CoreRange") || (node.kind == Node::Kind::List && !node.fields.empty() &&
                                       (node.fields[0].key == "start" || node.fields[0].key == "start_coord"));
}

CoreRange range_in(Meaning& in, const Node& node) {
  constexpr std::array<std::string_view, 2> kNames = {"start|start_coord", "end|end_coord"};
  const auto values = in.arguments(node, kNames);
  if (in.error()) return {};
  if (values[0] == nullptr) {
    in.fail("expected two cores of a range", node.offset);
    return {};
  }
  const std::size_t names = in.named().size();
  const Corner start = core_in(in, *values[0]);
  const Corner end = core_in(in, *(values[1] == nullptr ? values[0] : values[1]));
  if (in.named().size() > names) return {};
  if (start.x < 0 || start.y < 0 || end.x < start.x || end.y < start.y)
    in.fail(ErrorCode::Value, "a core range goes from its smaller corner to its greater one, from 0", node.offset);
  return {start.x, start.y, end.x, end.y};
}

// CoreGrid(y=8, x=7): all cores from (0, 0).
CoreRange grid_in(Meaning& in, const Node& node) {
  constexpr std::array<std::string_view, 2> kNames = {"y", "x"};
  const auto values = in.arguments(node, kNames);
  if (in.error()) return {};
  if (values[0] == nullptr || values[1] == nullptr) {
    in.fail("expected two numbers of a grid, y and x", node.offset);
    return {};
  }
  const auto before = in.taken();
  const Index y = in.number(*values[0], "the y of a grid"), x = in.number(*values[1], "the x of a grid");
  const auto sides = in.taken();  // y, x
  for (const map::Expression& one : before) in.keep(one);
  for (int k = 0; k < 2; ++k) in.keep(0);
  if (sides.size() == 2) in.keep(sides[1] - 1), in.keep(sides[0] - 1);
  if (y < 1 || x < 1) in.fail(ErrorCode::Value, "a grid has a row and a column at least", node.offset);
  return {0, 0, x - 1, y - 1};
}

bool by_start(const CoreRange& a, const CoreRange& b) {
  return std::tie(a.x0, a.y0, a.x1, a.y1) < std::tie(b.x0, b.y0, b.x1, b.y1);
}

}  // namespace

Tile tile_of(Index height, Index width) {
  return {height, width, std::min<Index>(height, 16), std::min<Index>(width, 16), false, false};
}

std::string dtype_in(Meaning& in, const Node& node) {
  Node lower = node;
  lower.name = lower_case(node.last());
  if (node.kind == Node::Kind::Name && node.name.size() > lower.name.size()) lower.name = "DataType." + lower.name;
  return in.word(&lower, "a data type", kTypes);
}

Tile tile_in(Meaning& in, const Node& node) {
  constexpr std::array<std::string_view, 8> kNames = {
      "tile_shape",  "transpose_tile",        "face_shape",        "num_faces", "partial_face",
      "narrow_tile", "transpose_within_face", "transpose_of_faces"};
  if (node.kind == Node::Kind::Name) {
    in.leave_open(node, "a tile");
    return {};
  }
  if (!node.is_call("Tile")) {
    in.fail("expected a tile, as Tile((32, 32))", node.offset);
    return {};
  }
  const auto values = in.arguments(node, kNames);
  if (in.error()) return {};
  const std::size_t names = in.named().size();
  const std::vector<Index> shape =
      values[0] == nullptr ? std::vector<Index>{32, 32} : in.numbers(*values[0], "the shape of a tile");
  if (in.error() || !in.unknown().empty()) return {};
  if (shape.size() != 2) {
    in.fail(ErrorCode::Shape, "expected two numbers of a tile, its height and width", node.offset);
    return {};
  }
  Tile out = tile_of(shape[0], shape[1]);
  if (values[2] != nullptr) {
    const std::vector<Index> face = in.numbers(*values[2], "the shape of a face");
    if (face.size() == 2) out.face_height = face[0], out.face_width = face[1];
    else in.fail(ErrorCode::Shape, "expected two numbers of a face, its height and width", values[2]->offset);
  }
  if (values[1] != nullptr) out.faces_by_column = out.within_by_column = in.flag(*values[1]);
  if (values[6] != nullptr) out.within_by_column = in.flag(*values[6]);
  if (values[7] != nullptr) out.faces_by_column = in.flag(*values[7]);
  if (in.named().size() > names) in.leave_open("a tile of names is not encoded");
  if (in.error()) return {};
  if (out.height < 1 || out.width < 1 || out.face_height < 1 || out.face_width < 1 ||
      out.height % out.face_height != 0 || out.width % out.face_width != 0)
    in.fail(ErrorCode::Value, "faces fill a tile: its height and width are multiples of theirs", node.offset);
  return out;
}

// TILE_LAYOUT, Layout::TILE, TilePageConfig(tile=…), PageConfig(config=…), PageConfig(Layout::TILE, Tile(…)).
void take_layout(Meaning& in, const Node& node, Spec& spec) {
  constexpr std::array<std::string_view, 2> kPage = {"config|layout", "tile"};
  constexpr std::array<std::string_view, 1> kConfig = {"tile"};
  if (node.kind != Node::Kind::Call) {
    const std::string word = in.word(&node, "a layout", kLayouts);
    if (!word.empty()) spec.tiled = word.starts_with("TILE");
    return;
  }
  const bool page = node.is_call("PageConfig");
  if (!page && !node.is_call("TilePageConfig") && !node.is_call("RowMajorPageConfig")) {
    in.leave_open(node, "a layout");
    return;
  }
  const auto values = in.arguments(node, page ? std::span<const std::string_view>(kPage) : kConfig);
  if (in.error()) return;
  if (page && values[0] != nullptr) take_layout(in, *values[0], spec);
  if (!page) spec.tiled = node.is_call("TilePageConfig");
  const Node* tile = page ? values[1] : values[0];
  if (tile != nullptr && !is_none(*tile)) spec.tile = tile_in(in, *tile);
}

std::vector<CoreRange> cores_in(Meaning& in, const Node& node) {
  if (is_range(node)) return {range_in(in, node)};
  if (node.is_call("CoreGrid")) return {grid_in(in, node)};
  if (node.is_call("CoreCoord")) {
    const Corner core = core_in(in, node);
    static_cast<void>(core_in(in, node));  // the other corner
    return {{core.x, core.y, core.x, core.y}};
  }
  const bool set = node.is_call("CoreRangeSet") || node.is_call("set") || node.is_call("vector");
  if (node.kind != Node::Kind::List && !set) {
    if (node.kind == Node::Kind::Number) in.fail("expected cores, as CoreRangeSet({…})", node.offset);
    else in.leave_open(node, "a set of cores");
    return {};
  }
  std::vector<CoreRange> out;
  for (const Field& field : node.fields) {
    if (!field.key.empty()) in.fail(fmt::format("expected a core range, found '{}'", field.key), field.offset);
    const std::vector<CoreRange> some = cores_in(in, field.value);
    out.insert(out.end(), some.begin(), some.end());
    if (in.error()) return {};
  }
  // A set in braces is a std::set: by x of the first corner, then y.
  const bool braces = node.is_call("CoreRangeSet") && node.fields.size() == 1 &&
                      node.fields[0].value.kind == Node::Kind::List && node.fields[0].value.open == '{' &&
                      !is_range(node.fields[0].value);
  if (braces || node.is_call("set")) std::ranges::stable_sort(out, by_start);
  return out;
}

}  // namespace vl::ttmetal
