// What goals of the kernel say, looked up at every point: maps are evaluated here by their definitions, and nothing of
// the kernel is asked.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "verifier/kernel/core/layout.h"

namespace vl::kernel::tests {

using Values = std::vector<long long>;

inline long long floor_of(long long a, long long b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The outputs of stages; nothing where a negative number is swizzled.
inline std::optional<Values> outputs(const std::vector<Stage>& stages, Values values) {
  for (const Stage& stage : stages) {
    Values made;
    if (stage.kind == Stage::Kind::Affine) {
      for (const Row& row : stage.rows) {
        long long sum = row.constant.narrow();
        for (const auto& [input, factor] : row.terms) sum += factor.narrow() * values[input];
        made.push_back(sum);
      }
    } else if (stage.kind == Stage::Kind::Split) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != stage.input) made.push_back(values[i]);
        for (std::size_t k = 0; i == stage.input && k < stage.weights.size(); ++k) {
          const long long weight = stage.weights[k].narrow(), digit = floor_of(values[i], weight);
          made.push_back(digit);
          values[i] -= digit * weight;
        }
      }
    } else {
      const long long x = values[stage.input];
      if (x < 0) return std::nullopt;
      const int from = stage.up ? stage.base : stage.base + stage.shift;
      const int to = stage.up ? stage.base + stage.shift : stage.base;
      made = values;
      for (int bit = 0; bit < stage.bits; ++bit) made[stage.input] ^= (x >> (from + bit) & 1) << (to + bit);
    }
    values = made;
  }
  return values;
}

/// Every point of a box.
inline std::vector<Values> points(const Space& box) {
  std::vector<Values> out{{}};
  for (const Wide& extent : box.extents) {
    std::vector<Values> longer;
    for (const Values& p : out)
      for (long long x = 0; x < extent.narrow(); ++x) longer.push_back(p), longer.back().push_back(x);
    out = std::move(longer);
  }
  return out;
}

inline bool is_slot(const Values& outputs, const Space& box) {
  for (std::size_t j = 0; j < outputs.size(); ++j)
    if (outputs[j] < 0 || outputs[j] > (j < box.rank() ? box.extents[j].narrow() - 1 : 0)) return false;
  return true;
}

class Truth {
 public:
  /// Requires: maps of few points.
  explicit Truth(const Layout& layout) : layout_(layout) {
    for (Values& p : points(layout.map.domain)) {
      auto place = outputs(layout.map.stages, p);
      is_map_ = is_map_ && place.has_value();
      if (is_map_) at_.emplace_back(std::move(p), std::move(*place));
    }
  }

  [[nodiscard]] bool is_map() const { return is_map_; }
  [[nodiscard]] bool in(const Space& box) const {
    return std::ranges::all_of(at_, [&](const auto& one) { return is_slot(one.second, box); });
  }
  [[nodiscard]] bool apart(bool replicas_only) const {
    std::map<Values, std::vector<Values>> by_slot;
    for (const auto& [p, place] : at_)
      if (is_slot(place, layout_.physical)) by_slot[place].push_back(p);
    for (const auto& [slot, all] : by_slot)
      for (const Values& p : all)
        for (const Values& q : all)
          if (p != q && (!replicas_only || element(p) == element(q))) return false;
    return true;
  }
  [[nodiscard]] long long occupied() const {
    std::set<Values> slots;
    for (const auto& [p, place] : at_)
      if (is_slot(place, layout_.physical)) slots.insert(place);
    return static_cast<long long>(slots.size());
  }
  [[nodiscard]] bool back() const {
    for (const auto& [p, place] : at_) {
      if (!is_slot(place, layout_.physical)) continue;
      const auto back = outputs(layout_.decode->stages,
                                Values(place.begin(), place.begin() + static_cast<long>(layout_.physical.rank())));
      if (!back) return false;
      for (std::size_t j = 0; j < back->size(); ++j)
        if ((*back)[j] != (j < p.size() ? p[j] : 0)) return false;
    }
    return true;
  }
  [[nodiscard]] bool identity() const {
    return std::ranges::all_of(at_, [&](const auto& one) {
      return !is_slot(one.second, layout_.physical) ||
             sum(layout_.identity->first, one.second) == sum(layout_.identity->second, one.first);
    });
  }
  /// By element: the places by axis, of which both layouts have `axes`, or the slots' numbers.
  [[nodiscard]] std::map<Values, std::set<Values>> places(const std::set<std::string>& axes) const {
    std::map<Values, std::set<Values>> out;
    for (const auto& [p, place] : at_) {
      std::set<Values>& of_element = out[element(p)];
      if (layout_.named) of_element.insert(by_axis(place, axes));
      else if (is_slot(place, layout_.physical)) of_element.insert({number(place)});
    }
    return out;
  }
  /// Those of slots, in a memory (the axis m) that begins at `at`.
  [[nodiscard]] std::set<Values> places_from(long long at, const std::set<std::string>& axes) const {
    std::set<Values> out;
    for (const auto& [p, place] : at_) {
      if (!is_slot(place, layout_.physical)) continue;
      Values moved = layout_.named ? by_axis(place, axes) : Values{number(place)};
      const auto memory = layout_.named ? std::distance(axes.begin(), axes.find("m")) : 0;
      if (memory < static_cast<long>(moved.size())) moved[static_cast<std::size_t>(memory)] += at;
      out.insert(std::move(moved));
    }
    return out;
  }

 private:
  [[nodiscard]] Values by_axis(const Values& place, const std::set<std::string>& axes) const {
    Values out;
    for (const std::string& axis : axes) {
      const auto it = std::ranges::find(layout_.physical.names, axis) - layout_.physical.names.begin();
      out.push_back(it == static_cast<long>(layout_.physical.rank()) ? 0 : place[static_cast<std::size_t>(it)]);
    }
    return out;
  }
  [[nodiscard]] Values element(const Values& p) const {
    return {p.begin(), p.begin() + static_cast<long>(layout_.logical)};
  }
  [[nodiscard]] long long number(const Values& slot) const {
    long long out = 0;
    for (std::size_t j = 0; j < layout_.physical.rank(); ++j)
      out = out * layout_.physical.extents[j].narrow() + slot[j];
    return out;
  }
  static long long sum(const Row& row, const Values& values) {
    long long out = row.constant.narrow();
    for (const auto& [input, factor] : row.terms) out += factor.narrow() * values[input];
    return out;
  }

  const Layout& layout_;
  std::vector<std::pair<Values, Values>> at_;
  bool is_map_ = true;
};

inline std::set<std::string> axes_of(const Layout& a, const Layout& b) {
  std::set<std::string> axes(a.physical.names.begin(), a.physical.names.end());
  axes.insert(b.physical.names.begin(), b.physical.names.end());
  return axes;
}

inline bool have_equal_places(const Layout& a, const Layout& b) {
  return Truth(a).places(axes_of(a, b)) == Truth(b).places(axes_of(a, b));
}

inline bool meet(const Layout& a, const Layout& b, long long at) {
  const std::set<Values> of_a = Truth(a).places_from(0, axes_of(a, b)), of_b = Truth(b).places_from(at, axes_of(a, b));
  return std::ranges::any_of(of_a, [&](const Values& place) { return of_b.contains(place); });
}

}  // namespace vl::kernel::tests
