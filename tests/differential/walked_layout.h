// What an instance of a rule is, element by element.
#pragma once

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/use/reference.h"

namespace vl::differential {

// One instance, by its elements: their slots are the reference's.
struct Walked {
  bool in_box = true, apart = true, bijective = true, identity = true, well_formed = true;
  Index padding = 0;
  map::Tensor tensor;
  std::string layout;  // with numbers
};

inline Point within(Point outputs, const map::Layout& layout) {
  outputs.resize(layout.physical().rank());
  return outputs;
}

// The slots of an element by an instance of the rule, each once. `points`: how many (x, r) have one.
inline std::vector<Point> slots_of(const map::Layout& layout, const Point& x, Index& points) {
  std::set<Point> out;
  Point replica(layout.replicas().rank(), 0);
  if (layout.replicas().volume() > 0) do {
      const Point at = map::outputs_at(layout, x, replica);
      if (!layout.is_slot(at)) continue;
      ++points;
      out.insert(within(at, layout));
    } while (map::advance(layout.replicas(), replica));
  return {out.begin(), out.end()};
}

inline bool is_identity(const map::Layout& layout, const Point& x, const std::vector<Point>& places) {
  return layout.identity() && std::ranges::all_of(places, [&](const Point& place) {
           return map::value(layout.identity()->slot, place) == map::value(layout.identity()->element, x);
         });
}

// The slots that an instance calls valid, by its way back or as a box, are those that are hit.
inline bool says_what_is_valid(const map::Layout& layout, const std::set<Point>& hit) {
  if (layout.filled() && layout.filled()->volume() != static_cast<Index>(hit.size())) return false;
  if (layout.filled() && !std::ranges::all_of(hit, [&](const Point& at) { return layout.filled()->contains(at); }))
    return false;
  if (!layout.decode() || layout.physical().volume() == 0) return true;
  Point slot(layout.physical().rank(), 0);
  do {
    if (map::use_of(layout, slot).valid != hit.contains(slot)) return false;
  } while (map::advance(layout.physical(), slot));
  return true;
}

// Walks over the elements: `instance`, where there is one, has the reference's slots.
inline Walked walk(const use::Slots& slots, const std::vector<Index>& size, const std::vector<Index>& box,
                   const map::Layout* instance) {
  const auto is_outside = [&](const Point& place) {
    for (std::size_t j = 0; j < box.size(); ++j)
      if (place.size() != box.size() || place[j] < 0 || place[j] >= box[j]) return true;
    return false;
  };
  Walked out;
  std::set<Point> hit;
  Index points = 0;
  const Index each = instance == nullptr ? 1 : instance->replicas().volume();
  const map::Space space = *map::Space::create(map::Space::dims("x", size));
  Point x(size.size(), 0);
  if (space.volume() > 0) do {
      std::vector<Point> places = slots(x);
      out.in_box = out.in_box && std::erase_if(places, is_outside) == 0;
      Index with_slot = static_cast<Index>(places.size());
      if (instance != nullptr) {
        with_slot = 0;
        EXPECT_EQ(slots_of(*instance, x, with_slot), places) << fmt::format("[{}]", fmt::join(x, ","));
        out.identity = out.identity && is_identity(*instance, x, places);
      }
      out.in_box = out.in_box && with_slot == each;
      points += with_slot;
      hit.insert(places.begin(), places.end());
    } while (map::advance(space, x));
  out.apart = static_cast<Index>(hit.size()) == points;
  out.bijective = out.in_box && out.apart && (instance == nullptr || says_what_is_valid(*instance, hit));
  out.padding = *checked_product(box) - static_cast<Index>(hit.size());
  return out;
}

}  // namespace vl::differential
