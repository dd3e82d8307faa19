// Looking: the truth of a claim about one small layout, by every point and from the definitions of map.h alone
// (maps.h's naive meaning of a map), and whether a counterexample's fields are right. It uses no engine, evaluator or
// replay of the program.
#pragma once

#include <algorithm>

#include "tests/support/maps.h"
#include "tests/support/truth.h"
#include "verifier/claims/claim.h"

namespace vl::test {

/// Points and slots that looking affords.
inline constexpr Index kMostLooked = 1024;
inline constexpr Index kMostLookedSlots = Index{1} << 20;

[[nodiscard]] inline bool can_look(const map::Layout& layout) {
  return layout.domain().volume() <= kMostLooked && layout.physical().volume() <= kMostLookedSlots;
}

/// The layout as a list without places.
[[nodiscard]] inline Listed box_of(const map::Layout& layout) {
  Listed out{map::extents_of(layout.logical()),
             map::extents_of(layout.replicas()),
             map::extents_of(layout.physical()),
             {},
             {}};
  if (layout.named_axes())
    for (const map::Dim& dim : layout.physical().dims()) out.axes.push_back(dim.name);
  return out;
}
[[nodiscard]] inline Listed listed(const map::Layout& layout) {
  Listed out = box_of(layout);
  for (const Point& p : all_points(layout.domain())) out.places.push_back(naive(layout.map(), p));
  return out;
}

[[nodiscard]] inline bool naive_slot(const map::Layout& layout, const Point& outputs) {
  return box_of(layout).has_slot(outputs);
}

[[nodiscard]] inline Point slot_part(const map::Layout& layout, Point outputs) {
  outputs.resize(layout.physical().rank());
  return outputs;
}

/// Requires: can_look().
[[nodiscard]] inline Truth look_at(const map::Layout& layout) {
  const Listed list = listed(layout);
  std::vector<Index> slots;
  for (const Point& place : list.places)
    slots.push_back(list.has_slot(place) ? number_of(list.slot_of(place), list.box) : -1);
  return truth_of(map::extents_of(layout.domain()), list.box, std::move(slots));
}

/// Whether a slot is valid by the decode map: it decodes to a point that lives there.
[[nodiscard]] inline bool naive_valid(const map::Layout& layout, const Point& slot) {
  const Point decoded = naive(*layout.decode(), slot);
  const std::size_t rank = layout.domain().rank();
  for (std::size_t i = 0; i < decoded.size(); ++i)
    if (decoded[i] < 0 || decoded[i] >= (i < rank ? layout.domain().extent(i) : 1)) return false;
  const Point outputs =
      naive(layout.map(), Point(decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(rank)));
  return naive_slot(layout, outputs) && slot_part(layout, outputs) == slot;
}

[[nodiscard]] inline Index naive_value(const map::Row& row, const Point& at) {
  return naive(map::Affine{{row}}, at).front();
}

/// The places of one element.
[[nodiscard]] inline PlacesOfElement places_at(const map::Layout& layout, const Point& x) {
  Listed list = box_of(layout);
  list.logical.assign(x.size(), 1);
  for (const Point& r : all_points(layout.replicas())) {
    Point p = x;
    p.insert(p.end(), r.begin(), r.end());
    list.places.push_back(naive(layout.map(), p));
  }
  return list.by_element()[Point(x.size(), 0)];
}

/// "proved", "refuted" or "vacuous", and the number of a measuring claim.
struct Looked {
  std::string_view word;
  std::optional<Index> value;

  bool operator==(const Looked&) const = default;
};

namespace looking {

inline bool is_bijective(const map::Layout& layout, const Truth& truth) {
  if (truth.escapes || truth.collides) return false;
  Index in_filled = 0;
  for (const Index number : truth.slots) {
    const Point slot = point_at(number, truth.physical);
    if (layout.decode() && !naive_valid(layout, slot)) return false;
    if (!layout.filled()) continue;
    if (!inside(slot, map::extents_of(*layout.filled()))) return false;
    ++in_filled;
  }
  return !layout.filled() || in_filled == product(map::extents_of(*layout.filled()));
}

inline bool identity_holds(const map::Layout& layout, const Truth& truth) {
  for (std::size_t n = 0; n < truth.slots.size(); ++n) {
    if (truth.slots[n] < 0) continue;
    Point x = point_at(static_cast<Index>(n), truth.domain);
    x.resize(layout.logical().rank());
    if (naive_value(layout.identity()->slot, point_at(truth.slots[n], truth.physical)) !=
        naive_value(layout.identity()->element, x))
      return false;
  }
  return true;
}

// The first (x, r) whose next element in the row does not follow it in memory; `met` says whether any two were
// compared.
inline std::optional<Point> first_row_break(const map::Layout& layout, bool& met) {
  const std::size_t last = layout.logical().rank() - 1;
  for (const Point& p : all_points(layout.domain())) {
    Point q = p;
    if (++q[last] >= layout.logical().extent(last)) continue;
    const Point here = naive(layout.map(), p), there = naive(layout.map(), q);
    if (layout.named_axes()) {
      met = true;
      bool on_m = false, follows = true;
      for (std::size_t j = 0; j < here.size(); ++j) {
        const bool is_m = layout.physical().dims()[j].name == "m";
        on_m = on_m || is_m;
        follows = follows && there[j] == here[j] + (is_m ? 1 : 0);
      }
      if (!on_m || !follows) return p;
      continue;
    }
    const bool one = naive_slot(layout, here), two = naive_slot(layout, there);
    met = met || one || two;
    const std::vector<Index> box = map::extents_of(layout.physical());
    if (one != two || (one && number_of(slot_part(layout, there), box) != number_of(slot_part(layout, here), box) + 1))
      return p;
  }
  return std::nullopt;
}

}  // namespace looking

/// The truth of the claim about this subject; nothing if it is too large, and for claims that this file does not have.
[[nodiscard]] inline std::optional<Looked> look(std::string_view claim, const claims::Subject& subject) {
  const auto said = [](bool holds) { return Looked{holds ? "proved" : "refuted", {}}; };
  const Looked vacuous{"vacuous", {}};
  const auto* law = std::get_if<claims::LawResult>(&subject);
  const auto* pair = std::get_if<claims::Pair>(&subject);
  if (pair != nullptr || law != nullptr) {
    if (law != nullptr && (law->result == nullptr || law->law == nullptr)) return std::nullopt;
    const map::Layout& a = law != nullptr ? *law->result : pair->layout;
    const map::Layout& b = law != nullptr ? *law->law : pair->other;
    if (!can_look(a) || !can_look(b) || a.named_axes() != b.named_axes() || a.guards() + b.guards() > 0)
      return std::nullopt;
    if (a.logical().volume() == 0) return vacuous;
    const bool rules =
        law == nullptr || std::ranges::all_of(law->rules, [](const use::Rule& r) { return r.have == r.want; });
    const bool boxes = a.named_axes() || a.physical().volume() == b.physical().volume();
    return said(rules && boxes && listed(a).by_element() == listed(b).by_element());
  }
  const auto* one = std::get_if<claims::OneLayout>(&subject);
  if (one == nullptr || !can_look(one->layout)) return std::nullopt;
  const map::Layout& layout = one->layout;
  const Truth truth = look_at(layout);
  const bool empty = truth.slots.empty();
  if (claim == "padding") return Looked{"proved", product(truth.physical) - truth.occupied};
  if (claim == "onto") return truth.hits.empty() ? vacuous : said(!truth.unhit);
  if (claim == "in-bounds") return empty ? vacuous : said(!truth.escapes);
  if (claim == "injective") return !truth.lands ? vacuous : said(!truth.collides);
  if (claim == "bijective") return empty ? vacuous : said(looking::is_bijective(layout, truth));
  if (claim == "offset-identity" && layout.identity())
    return !truth.lands ? vacuous : said(looking::identity_holds(layout, truth));
  if (claim == "row-contiguous") {
    if (empty || layout.logical().rank() == 0) return vacuous;
    bool met = false;
    const bool broken = looking::first_row_break(layout, met).has_value();
    return met ? said(!broken) : vacuous;
  }
  if (claim == "replicas-disjoint") {
    if (empty || layout.replicas().volume() <= 1) return vacuous;
    if (!truth.lands) return std::nullopt;  // the claim then speaks of places outside of the box
    return said(listed(layout).apart(true));
  }
  return std::nullopt;
}

namespace looking {

inline const Point* point_field(const question::Counterexample& shown, std::string_view name) {
  for (const auto& [field, value] : shown.fields)
    if (field == name) return std::get_if<Point>(&value);
  return nullptr;
}

// Some replica of x for which the property holds of (x, r) and the map's outputs.
template <class Property>
bool some_replica(const map::Layout& layout, const Point& x, Property property) {
  return std::ranges::any_of(all_points(layout.replicas()), [&](const Point& r) {
    Point p = x;
    p.insert(p.end(), r.begin(), r.end());
    return property(p, naive(layout.map(), p));
  });
}

inline bool inside_space(const Point& point, const map::Space& space) { return inside(point, map::extents_of(space)); }

}  // namespace looking

/// Whether the fields show that the claim fails; nothing for claims that are not written down here, or beyond 4096
/// replicas.
[[nodiscard]] inline std::optional<bool> shows(std::string_view claim, const claims::Subject& subject,
                                               const question::Counterexample& shown) {
  const Point* a = looking::point_field(shown, "a");
  const Point* b = looking::point_field(shown, "b");
  const Point* slot = looking::point_field(shown, "physical");
  const auto few = [](const map::Layout& layout) { return layout.replicas().volume() <= 4096; };
  if (a == nullptr) return std::nullopt;
  const auto* law = std::get_if<claims::LawResult>(&subject);
  const auto* pair = std::get_if<claims::Pair>(&subject);
  if (pair != nullptr || law != nullptr) {
    const map::Layout& one = law != nullptr ? *law->result : pair->layout;
    const map::Layout& other = law != nullptr ? *law->law : pair->other;
    if (!few(one) || !few(other)) return std::nullopt;
    return looking::inside_space(*a, one.logical()) && places_at(one, *a) != places_at(other, *a);
  }
  const auto* alone = std::get_if<claims::OneLayout>(&subject);
  if (alone == nullptr || !few(alone->layout)) return std::nullopt;
  const map::Layout& layout = alone->layout;
  if (claim != "in-bounds" && claim != "injective" && claim != "bijective" && claim != "offset-identity")
    return std::nullopt;
  if (!looking::inside_space(*a, layout.logical()) || slot == nullptr) return false;
  const auto at_slot = [&](const Point& outputs) { return slot_part(layout, outputs) == *slot; };
  if (b != nullptr)  // two points in one slot
    return looking::inside_space(*b, layout.logical()) &&
           looking::some_replica(layout, *a, [&](const Point& p, const Point& outputs) {
             return naive_slot(layout, outputs) && at_slot(outputs) &&
                    looking::some_replica(
                        layout, *b, [&](const Point& q, const Point& there) { return p != q && outputs == there; });
           });
  return looking::some_replica(layout, *a, [&](const Point&, const Point& outputs) {
    if (!at_slot(outputs)) return false;
    if (claim == "offset-identity")
      return naive_value(layout.identity()->slot, *slot) != naive_value(layout.identity()->element, *a);
    if (!naive_slot(layout, outputs)) return true;
    if (claim == "in-bounds") return false;
    const bool stray = layout.decode() && !naive_valid(layout, *slot);
    return stray || (layout.filled() && !looking::inside_space(*slot, *layout.filled()));
  });
}

}  // namespace vl::test
