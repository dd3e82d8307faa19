// Tile and direct sum: two layouts combined dimension by dimension, and the inverses, from the whole to one of them. An
// inverse guesses the other factor from the iters and then performs the operation; a guess that does not give the whole
// is refused.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

// The size of one step of the outer layout on an axis: the width of the inner layout, or 1 in a direct sum.
struct Scale {
  const TileLayout* inner = nullptr;  // null: a direct sum

  [[nodiscard]] Result<Index> on(Axis axis) const {
    return inner == nullptr ? Result<Index>(1) : width_on(*inner, axis);
  }
};

Result<Index> times(Index value, Axis axis, const Scale& scale) {
  const auto factor = scale.on(axis);
  if (!factor) return factor.error();
  const auto product = checked_mul(value, *factor);
  if (!product) return too_large(fmt::format("a coordinate on {}", info(axis).name));
  return *product;
}

// Scales shard, replicas and offset of `outer`.
Result<TileLayout> scaled(TileLayout outer, const Scale& scale) {
  for (std::vector<Iter>* iters : {&outer.shard, &outer.replica})
    for (Iter& iter : *iters) {
      const auto stride = times(iter.stride, iter.axis, scale);
      if (!stride) return stride.error();
      iter.stride = *stride;
    }
  for (auto& [axis, value] : outer.offset) {
    const auto product = times(value, axis, scale);
    if (!product) return product.error();
    value = *product;
  }
  return outer;
}

std::optional<Error> check_ranks(std::span<const Index> outer, std::span<const Index> inner) {
  if (outer.size() == inner.size()) return std::nullopt;
  return Error{ErrorCode::Shape, fmt::format("the shapes {} and {} have different ranks", show(outer), show(inner))};
}

// The result of both operations: (outer dim 0, inner dim 0, outer dim 1, …).
Result<Layout> interleaved(const Layout& inner_layout, const TileLayout& outer, std::span<const Index> outer_shape,
                           std::span<const Index> inner_shape, bool scales) {
  if (auto error = check_ranks(outer_shape, inner_shape)) return *error;
  const auto inner = tile_of(inner_layout, inner_shape);
  if (!inner) return inner.error();
  const auto right = group(simplified(*inner), inner_shape);
  if (!right) return Error{right.error().code, "inner: " + right.error().message};
  const auto left = group(simplified(outer), outer_shape);
  if (!left) return Error{left.error().code, "outer: " + left.error().message};
  auto moved = scaled(left->layout, Scale{scales ? &*inner : nullptr});
  if (!moved) return moved.error();
  TileLayout out{{}, moved->replica, moved->offset};
  for (std::size_t d = 0; d < outer_shape.size(); ++d) {
    for (std::size_t k = left->first[d]; k < left->first[d + 1]; ++k) out.shard.push_back(moved->shard[k]);
    for (std::size_t k = right->first[d]; k < right->first[d + 1]; ++k) out.shard.push_back(right->layout.shard[k]);
  }
  out.replica.insert(out.replica.end(), inner->replica.begin(), inner->replica.end());
  for (const auto& [axis, value] : inner->offset)
    if (!add_offset(out, axis, value)) return too_large(fmt::format("the offset on {}", info(axis).name));
  if (const auto size = size_of(out); !size) return size.error();
  return with_tile(inner_layout, simplified(std::move(out)));
}

// The shape of the other factor, and (outer dim 0, inner dim 0, …).
struct Shapes {
  std::vector<Index> other;
  std::vector<Index> both;
};

Result<Shapes> divided(std::span<const Index> whole, std::span<const Index> known, bool known_is_inner) {
  if (auto error = check_ranks(whole, known)) return *error;
  Shapes out;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (known[d] < 1 || whole[d] % known[d] != 0)
      return refusal(fmt::format("dimension {}: {} is not a multiple of {}", d, whole[d], known[d]));
    const Index other = whole[d] / known[d];
    out.other.push_back(other);
    out.both.push_back(known_is_inner ? other : known[d]);
    out.both.push_back(known_is_inner ? known[d] : other);
  }
  return out;
}

// The iters of every second dimension: 0: the outer ones, 1: the inner ones.
std::vector<Iter> half(const Grouped& grouped, std::size_t which) {
  std::vector<Iter> out;
  for (std::size_t d = which; d + 1 < grouped.first.size(); d += 2)
    for (std::size_t k = grouped.first[d]; k < grouped.first[d + 1]; ++k) out.push_back(grouped.layout.shard[k]);
  return out;
}

// Removes the replicas and the offset of `known` from `whole`. False if a replica is missing.
bool take_out(TileLayout& whole, const TileLayout& known) {
  for (const Iter& iter : simplified(known).replica) {
    const auto found = std::ranges::find(whole.replica, iter);
    if (found == whole.replica.end()) return false;
    whole.replica.erase(found);
  }
  for (const auto& [axis, value] : known.offset) {
    const auto minus = checked_mul(value, -1);
    if (!minus || !add_offset(whole, axis, *minus)) return false;
  }
  return true;
}

// The inverse of `scaled`. False if a number is not a multiple.
bool unscaled(TileLayout& outer, const TileLayout& inner) {
  const auto divide = [&](Index& value, Axis axis) {
    const auto width = width_on(inner, axis);
    if (!width || value % *width != 0) return false;
    value /= *width;
    return true;
  };
  for (std::vector<Iter>* iters : {&outer.shard, &outer.replica})
    for (Iter& iter : *iters)
      if (!divide(iter.stride, iter.axis)) return false;
  return std::ranges::all_of(outer.offset, [&](auto& entry) { return divide(entry.second, entry.first); });
}

const Error& not_a_factor() {
  static const Error error = refusal("the layout is not made of this factor: the operation does not give it again");
  return error;
}

bool same(const Layout& a, const Layout& b) {
  return a.swizzle == b.swizzle && a.tile && b.tile && simplified(*a.tile) == simplified(*b.tile);
}

// The whole as iters of (outer dim 0, inner dim 0, …).
Result<Grouped> taken_apart(const Layout& whole, std::span<const Index> shape, const Shapes& shapes) {
  const auto tile = tile_of(whole, shape);
  if (!tile) return tile.error();
  return group(simplified(*tile), shapes.both);
}

Result<TileLayout> outer_factor(const Layout& inner, const Layout& whole, std::span<const Index> shape,
                                std::span<const Index> inner_shape, bool scales) {
  const auto shapes = divided(shape, inner_shape, true);
  if (!shapes) return shapes.error();
  if (inner.swizzle != whole.swizzle) return refusal("the two layouts have different swizzles");
  const auto apart = taken_apart(whole, shape, *shapes);
  if (!apart) return apart.error();
  const auto tile = tile_of(inner, inner_shape);
  if (!tile) return tile.error();
  TileLayout outer{half(*apart, 0), apart->layout.replica, apart->layout.offset};
  if (!take_out(outer, *tile) || (scales && !unscaled(outer, *tile))) return not_a_factor();
  outer = simplified(std::move(outer));
  if (outer.shard.empty()) outer.shard.push_back(Iter{1, 1, Axis::M});
  const auto again = interleaved(inner, outer, shapes->other, inner_shape, scales);
  const auto wanted = tile_of(whole, shape);
  if (!again || !same(*again, Layout{whole.swizzle, *wanted})) return not_a_factor();
  return outer;
}

Result<Layout> inner_factor(const TileLayout& outer, const Layout& whole, std::span<const Index> shape,
                            std::span<const Index> outer_shape, bool scales) {
  const auto shapes = divided(shape, outer_shape, false);
  if (!shapes) return shapes.error();
  const auto apart = taken_apart(whole, shape, *shapes);
  if (!apart) return apart.error();
  TileLayout inner{half(*apart, 1), apart->layout.replica, apart->layout.offset};
  const TileLayout bare{inner.shard, outer.replica.empty() ? inner.replica : std::vector<Iter>{}, {}};
  const auto moved = scaled(outer, Scale{scales ? &bare : nullptr});
  if (!moved) return moved.error();
  if (!take_out(inner, *moved)) return not_a_factor();
  auto out = with_tile(whole, simplified(std::move(inner)));
  if (!out) return out;
  const auto again = interleaved(*out, outer, outer_shape, shapes->other, scales);
  const auto wanted = tile_of(whole, shape);
  if (!again || !same(*again, Layout{whole.swizzle, *wanted})) return not_a_factor();
  return out;
}

}  // namespace

Result<Layout> tile(const Layout& inner, const TileLayout& outer, std::span<const Index> outer_shape,
                    std::span<const Index> inner_shape) {
  return interleaved(inner, outer, outer_shape, inner_shape, true);
}

Result<Layout> direct_sum(const Layout& right, const TileLayout& left, std::span<const Index> left_shape,
                          std::span<const Index> right_shape) {
  return interleaved(right, left, left_shape, right_shape, false);
}

Result<TileLayout> outer_of_tile(const Layout& inner, const Layout& tiled, std::span<const Index> tiled_shape,
                                 std::span<const Index> inner_shape) {
  return outer_factor(inner, tiled, tiled_shape, inner_shape, true);
}

Result<Layout> inner_of_tile(const TileLayout& outer, const Layout& tiled, std::span<const Index> tiled_shape,
                             std::span<const Index> outer_shape) {
  return inner_factor(outer, tiled, tiled_shape, outer_shape, true);
}

Result<TileLayout> left_of_sum(const Layout& right, const Layout& sum, std::span<const Index> sum_shape,
                               std::span<const Index> right_shape) {
  return outer_factor(right, sum, sum_shape, right_shape, false);
}

Result<Layout> right_of_sum(const TileLayout& left, const Layout& sum, std::span<const Index> sum_shape,
                            std::span<const Index> left_shape) {
  return inner_factor(left, sum, sum_shape, left_shape, false);
}

}  // namespace vl::tirx
