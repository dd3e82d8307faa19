// Tiles: layouts like TIRx's, in plain numbers. A tensor's elements are numbered row-major, the number is split by the
// extents of the shard, each digit and each replica adds to one axis, and axis 0 may be swizzled last. A tile becomes a
// map::Layout, and its places are also computed element by element, with separate arithmetic.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "tests/support/maps.h"
#include "tests/support/truth.h"

namespace vl::test {

struct Iter {
  Index extent = 1;
  Index stride = 0;
  std::size_t axis = 0;
};

struct Tile {
  std::vector<Index> shape;  // of the tensor; as many elements as the shard
  std::vector<Iter> shard;   // outermost first
  std::vector<Iter> replica;
  std::vector<Index> offset;    // one per axis
  std::optional<Bits> swizzle;  // of axis 0
  std::vector<Index> box;       // one per axis

  [[nodiscard]] std::string show() const {
    const auto iters = [](const std::vector<Iter>& list) {
      std::string out;
      for (const Iter& i : list) out += fmt::format(" {}:{}@{}", i.extent, i.stride, i.axis);
      return out;
    };
    return fmt::format("shape {} shard{} replica{} offset {} box {}{}", shape, iters(shard), iters(replica), offset,
                       box,
                       swizzle ? fmt::format(" swizzle ({}, {}, {}) {}", swizzle->base, swizzle->bits, swizzle->shift,
                                             swizzle->down ? "down" : "up")
                               : "");
  }
};

/// The coordinates of element number n and replicas r, one per axis.
[[nodiscard]] inline Point place_of(const Tile& tile, Index n, const Point& r) {
  Point out = tile.offset;
  for (std::size_t k = tile.shard.size(); k-- > 0; n /= tile.shard[k].extent)
    out[tile.shard[k].axis] += n % tile.shard[k].extent * tile.shard[k].stride;
  for (std::size_t t = 0; t < r.size(); ++t) out[tile.replica[t].axis] += r[t] * tile.replica[t].stride;
  if (tile.swizzle) out[0] = swizzled(*tile.swizzle, out[0]);
  return out;
}

[[nodiscard]] inline std::vector<Index> replica_extents(const Tile& tile) {
  std::vector<Index> out;
  for (const Iter& i : tile.replica) out.push_back(i.extent);
  return out;
}

/// [low, high] of each axis before the swizzle.
[[nodiscard]] inline std::vector<map::Range> reach_of(const Tile& tile) {
  std::vector<map::Range> out;
  for (const Index o : tile.offset) out.push_back({o, o});
  for (const auto* list : {&tile.shard, &tile.replica})
    for (const Iter& i : *list) (i.stride < 0 ? out[i.axis].low : out[i.axis].high) += i.stride * (i.extent - 1);
  return out;
}

[[nodiscard]] inline map::LayoutParts parts_of(const Tile& tile) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", tile.shape));
  parts.replicas = *map::Space::create(map::Space::dims("r", replica_extents(tile)));
  std::vector<map::Dim> axes;
  for (std::size_t a = 0; a < tile.box.size(); ++a)
    axes.push_back({a == 0 ? "m" : fmt::format("axis{}", a), tile.box[a]});
  parts.physical = *map::Space::create(axes);
  const std::size_t rank = tile.shape.size();
  std::vector<map::Row> first{map::dot(map::row_major_weights(parts.logical))};
  for (std::size_t t = 0; t < tile.replica.size(); ++t) first.push_back(map::pick(rank + t));
  std::vector<Index> weights;
  Index weight = 1;
  for (std::size_t k = tile.shard.size(); k-- > 0; weight *= tile.shard[k].extent)
    weights.insert(weights.begin(), weight);
  std::vector<map::Row> axis_rows;
  for (std::size_t a = 0; a < tile.box.size(); ++a) {
    map::Row row{tile.offset[a], {}};
    for (std::size_t k = 0; k < tile.shard.size() + tile.replica.size(); ++k) {
      const Iter& i = k < tile.shard.size() ? tile.shard[k] : tile.replica[k - tile.shard.size()];
      if (i.axis == a && i.stride != 0) row.terms.push_back({k, i.stride});
    }
    axis_rows.push_back(std::move(row));
  }
  parts.map = {map::Affine{std::move(first)}, map::Split{0, std::move(weights)}, map::Affine{std::move(axis_rows)}};
  if (tile.swizzle)
    parts.map.push_back(map::Swizzle{0, tile.swizzle->base, tile.swizzle->bits, tile.swizzle->shift,
                                     tile.swizzle->down ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up});
  parts.named_axes = true;
  return parts;
}

[[nodiscard]] inline map::Layout layout_of(const Tile& tile) {
  auto made = map::Layout::create(parts_of(tile));
  VL_CHECK(made.has_value(), tile.show() + (made ? "" : ": " + made.error().message));
  return std::move(*made);
}

/// A tile on m alone, in a box as long as it reaches: {8, 64}, {{8, 64}, {64, 1}} is row-major, of 512 slots.
[[nodiscard]] inline Tile tile_on_m(std::vector<Index> shape, std::vector<Iter> shard, Index offset = 0,
                                    const Bits& swizzle = {}) {
  Tile out{std::move(shape), std::move(shard), {}, {offset}, {}, {}};
  if (swizzle.bits > 0) out.swizzle = swizzle;
  out.box = {reach_of(out)[0].high + 1};
  return out;
}

/// Of a tile on m: where an element lies.
[[nodiscard]] inline Index address_of(const Tile& tile, const Point& element) {
  return place_of(tile, number_of(element, tile.shape), {})[0];
}

[[nodiscard]] inline Truth truth_of(const Tile& tile) {
  std::vector<Index> domain = tile.shape, slots;
  const std::vector<Index> replicas = replica_extents(tile);
  domain.insert(domain.end(), replicas.begin(), replicas.end());
  for (Index n = 0; n < product(tile.shape); ++n)
    for (Index r = 0; r < product(replicas); ++r) {
      const Point place = place_of(tile, n, point_at(r, replicas));
      slots.push_back(inside(place, tile.box) ? number_of(place, tile.box) : -1);
    }
  return truth_of(std::move(domain), tile.box, std::move(slots));
}

/// All places of element number n.
[[nodiscard]] inline std::set<Point> places_of(const Tile& tile, Index n) {
  std::set<Point> out;
  const std::vector<Index> replicas = replica_extents(tile);
  for (Index r = 0; r < product(replicas); ++r) out.insert(place_of(tile, n, point_at(r, replicas)));
  return out;
}

/// A way to write `count` as a product of up to three factors, units included now and then.
[[nodiscard]] inline std::vector<Index> random_factors(Engine& engine, Index count) {
  std::vector<Index> out;
  for (Index more = roll(engine, 0, 3); more > 0; --more) {
    std::vector<Index> divisors;
    for (Index d = 1; d <= count; ++d)
      if (count % d == 0) divisors.push_back(d);
    out.push_back(divisors[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(divisors.size()) - 1))]);
    count /= out.back();
  }
  out.push_back(count);
  return out;
}

struct TileKind {
  Index elements = 64;  // at most
  std::size_t axes = 3;
  bool swizzle = true;
  bool negative = true;
};

/// Strides that mostly nest, sometimes overlap or leave gaps; a box that mostly is the span, else a little off.
[[nodiscard]] inline Tile random_tile(Engine& engine, const TileKind& kind) {
  Tile tile;
  const Index count = roll(engine, 1, kind.elements);
  tile.shape = random_factors(engine, count);
  const auto axes = static_cast<std::size_t>(roll(engine, 1, static_cast<Index>(kind.axes)));
  std::vector<Index> next(axes, 1);  // a stride that nests
  for (const Index extent : random_factors(engine, count)) tile.shard.push_back({extent, 0, 0});
  for (Index more = std::max<Index>(0, roll(engine, -2, 2)); more > 0; --more)
    tile.replica.push_back({roll(engine, 1, 4), 0, 0});
  std::vector<Iter*> order;
  for (Iter& i : tile.shard) order.push_back(&i);
  for (Iter& i : tile.replica) order.push_back(&i);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(i) - 1))]);
  for (Iter* i : order) {
    i->axis = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(axes) - 1));
    i->stride = next[i->axis];
    const Index off = roll(engine, 0, 11);
    if (off == 0) i->stride = 0;
    if (off == 1) i->stride += roll(engine, 0, 2);
    if (off == 2) i->stride = roll(engine, 1, 9);
    if (off == 3 && kind.negative) i->stride = -i->stride;
    next[i->axis] = std::max(next[i->axis], std::abs(i->stride) * i->extent);
  }
  for (std::size_t a = 0; a < axes; ++a) tile.offset.push_back(roll(engine, 0, 2) == 0 ? roll(engine, 0, 6) : 0);
  if (kind.swizzle && roll(engine, 0, 1) == 0)
    tile.swizzle = Bits{static_cast<int>(roll(engine, 0, 3)), static_cast<int>(roll(engine, 0, 3)),
                        static_cast<int>(roll(engine, 1, 3)), roll(engine, 0, 1) == 0};
  const std::vector<map::Range> reach = reach_of(tile);
  for (std::size_t a = 0; a < axes; ++a) {
    if ((a == 0 && tile.swizzle) || roll(engine, 0, 2) > 0) tile.offset[a] -= std::min<Index>(0, reach[a].low);
    const Index span = reach_of(tile)[a].high + 1;
    tile.box.push_back(std::max<Index>(0, roll(engine, 0, 2) > 0 ? span : span + roll(engine, -4, 3)));
  }
  return tile;
}

}  // namespace vl::test
