// L(x) as a set, in two ways: from the iters by the document's formula, and from a map by evaluation. The tests of
// operations compare them on every element.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "encodings/tirx/tirx.h"
#include "encodings/use/family.h"
#include "tests/support/truth.h"

namespace vl::tirx {

/// A coordinate for each axis, by its number; an axis that is not named is at 0.
using Place = std::array<Index, 18>;
using Places = std::vector<Place>;  // ascending, each once

inline Index& on(Place& place, Axis axis) { return place[static_cast<std::size_t>(axis)]; }
inline Index on(const Place& place, Axis axis) { return place[static_cast<std::size_t>(axis)]; }

inline Places as_set(Places places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// The document's XOR.
inline Index swizzled(const SwizzleLayout& s, Index address) {
  return test::swizzled({s.per_element, s.swizzle_len, s.atom_len, s.swizzle_inner}, address);
}

/// L at a flat number. A swizzle alone is the identity.
inline Places places_of(const Layout& layout, Index flat) {
  Place base{};
  if (!layout.tile) on(base, Axis::M) = flat;
  Places all;
  if (layout.tile) {
    const TileLayout& tile = *layout.tile;
    for (std::size_t k = tile.shard.size(); k-- > 0;) {
      on(base, tile.shard[k].axis) += flat % tile.shard[k].extent * tile.shard[k].stride;
      flat /= tile.shard[k].extent;
    }
    for (const auto& [axis, value] : tile.offset) on(base, axis) += value;
    all = {base};
    for (const Iter& copies : tile.replica) {
      const Places before = std::move(all);
      all.clear();
      for (Index r = 0; r < copies.extent; ++r)
        for (Place place : before) {
          on(place, copies.axis) += r * copies.stride;
          all.push_back(place);
        }
    }
  } else {
    all = {base};
  }
  if (layout.swizzle)
    for (Place& place : all) on(place, Axis::M) = swizzled(*layout.swizzle, on(place, Axis::M));
  return as_set(std::move(all));
}

/// The same of a map of named axes.
class MapPlaces {
 public:
  explicit MapPlaces(const map::Layout& layout) : layout_(layout), evaluate_(layout.map()) {
    for (const map::Dim& dim : layout.physical().dims()) axes_.push_back(*axis_of(dim.name));
  }

  Places operator()(const Point& element) {
    Places all;
    Point replica(layout_.replicas().rank(), 0);
    Point point = element;
    point.resize(element.size() + replica.size());
    do {
      std::ranges::copy(replica, point.begin() + static_cast<std::ptrdiff_t>(element.size()));
      const auto outputs = evaluate_(point);
      Place place{};
      for (std::size_t k = 0; k < axes_.size(); ++k) on(place, axes_[k]) = outputs[k];
      all.push_back(place);
    } while (map::advance(layout_.replicas(), replica));
    return as_set(std::move(all));
  }

 private:
  const map::Layout& layout_;
  map::Evaluator evaluate_;
  std::vector<Axis> axes_;
};

inline Layout layout_of(std::string_view text) {
  const auto parsed = parse(text);
  VL_CHECK(parsed.has_value() && parsed->symbolic.empty(), std::string(text));
  return parsed->layout;
}
inline TileLayout tile_of_text(std::string_view text) { return *layout_of(text).tile; }

inline map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

/// The first element at which two maps over one tensor are not the same set; nothing if they are.
inline std::optional<Point> first_difference(const map::Layout& a, const map::Layout& b) {
  VL_CHECK(a.logical() == b.logical(), "layouts of one tensor");
  MapPlaces left(a);
  MapPlaces right(b);
  Point element(a.logical().rank(), 0);
  do {
    if (left(element) != right(element)) return element;
  } while (map::advance(a.logical(), element));
  return std::nullopt;
}

}  // namespace vl::tirx
