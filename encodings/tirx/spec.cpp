// S[…] and R[…]: extents and strides to iters, and a sum of them to a tile.
#include <fmt/format.h>

#include <array>

#include "encodings/tirx/value.h"

namespace vl::tirx {
namespace {

using Kind = Node::Kind;

// One value counts as a tuple of one.
Values items_of(const Value& value) {
  if (const Values* values = value.as<Values>()) return *values;
  return {value};
}

// Item number `k` of a node.
const Node& item_of(const Node& node, std::size_t k) { return node.kind == Kind::Tuple ? node.children[k] : node; }

Error without_parts() { return Error{ErrorCode::Syntax, "a layout needs S[…] or R[…]"}; }

}  // namespace

Spec Evaluation::spec(const Node& index, bool shard) {
  Spec out;
  std::vector<Iter> made;
  if (index.kind != Kind::Slice) {
    made = iters(index, nullptr);
  } else if (index.children[0].kind == Kind::Missing || index.children[1].kind == Kind::Missing) {
    fail(ErrorCode::Syntax, index.offset, "expected extents and strides on the two sides of ':'");
  } else {
    made = iters(index.children[0], &index.children[1]);
  }
  (shard ? out.shard : out.replica) = std::move(made);
  return out;
}

std::vector<Iter> Evaluation::iters(const Node& extents, const Node* strides) {
  const Value sizes = evaluate(extents);
  const Value steps = strides ? evaluate(*strides) : Value{Unknown{}};
  if (error_ || sizes.unknown()) return {};
  const Values sides = items_of(sizes);
  std::vector<Iter> out;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const Node& at = item_of(extents, k);
    const Index extent = integer(sides[k], at, "an extent");
    if (extent < 1) fail(ErrorCode::Value, at.offset, fmt::format("the extent {} is not 1 or more", extent));
    out.push_back({extent, 0, Axis::M});
  }
  if (error_) return {};
  if (!strides) return row_major(sides, extents);
  if (steps.unknown()) return out;
  const Values each = items_of(steps);
  if (each.size() != sides.size()) {
    fail(ErrorCode::Shape, strides->offset,
         fmt::format("{} stride{} for {} extent{}; upstream drops what is more", each.size(),
                     each.size() == 1 ? "" : "s", sides.size(), sides.size() == 1 ? "" : "s"));
    return {};
  }
  for (std::size_t k = 0; k < out.size(); ++k) give_stride(out[k], each[k], item_of(*strides, k));
  return out;
}

std::vector<Iter> Evaluation::row_major(const Values& extents, const Node& node) {
  std::vector<Iter> out(extents.size());
  Index stride = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    out[k] = {integer(extents[k], node, "an extent"), stride, Axis::M};
    const auto next = checked_mul(stride, out[k].extent);
    if (!next) fail(ErrorCode::Overflow, node.offset, "the product of the extents does not fit in 64 bits");
    stride = next.value_or(1);
  }
  return out;
}

// 4, 4 @ laneid, "laneid" or (4, "laneid").
void Evaluation::give_stride(Iter& iter, const Value& stride, const Node& node) {
  const Offset* term = stride.as<Offset>();
  const Values* pair = stride.as<Values>();
  if (term && term->size() == 1) {
    iter = {iter.extent, term->front().second, term->front().first};
  } else if (const auto* name = stride.as<std::string_view>()) {
    iter = {iter.extent, 1, axis(*name, node.offset)};
  } else if (pair && pair->size() == 2 && (*pair)[1].as<std::string_view>()) {
    const Index step = integer((*pair)[0], node, "a stride");
    iter = {iter.extent, step, axis(*(*pair)[1].as<std::string_view>(), node.offset)};
  } else {
    iter = {iter.extent, integer(stride, node, "a stride"), Axis::M};
  }
}

Result<TileLayout> tile_of(const Spec& spec) {
  if (!spec.shard && !spec.replica) return without_parts();
  TileLayout tile{spec.shard.value_or(std::vector<Iter>{}), spec.replica.value_or(std::vector<Iter>{}), spec.offset};
  if (auto size = size_of(tile); !size) return size.error();
  for (const Axis axis : axes_of(tile))
    if (auto range = range_of(tile, axis); !range) return range.error();
  return tile;
}

}  // namespace vl::tirx
