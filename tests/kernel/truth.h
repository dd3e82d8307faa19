// What goals of the kernel say, looked up at every point: maps are evaluated here by their definitions, and nothing of
// the kernel is asked.
#pragma once

#include <optional>
#include <vector>

#include "tests/support/truth.h"
#include "verifier/kernel/core/layout.h"

namespace vl::kernel::tests {

using Values = std::vector<Index>;

inline std::vector<Index> narrow(const std::vector<Wide>& numbers) {
  std::vector<Index> out;
  for (const Wide& number : numbers) out.push_back(number.narrow());
  return out;
}

/// Every point of a box.
inline std::vector<Values> points(const Space& box) { return test::points_of(narrow(box.extents)); }

inline Index value(const Row& row, const Values& values) {
  Index out = row.constant.narrow();
  for (const auto& [input, factor] : row.terms) out += factor.narrow() * values[input];
  return out;
}

/// The outputs of stages; nothing where a negative number is swizzled.
inline std::optional<Values> outputs(const std::vector<Stage>& stages, Values values) {
  for (const Stage& stage : stages) {
    Values made;
    if (stage.kind == Stage::Kind::Affine) {
      for (const Row& row : stage.rows) made.push_back(value(row, values));
    } else if (stage.kind == Stage::Kind::Split) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != stage.input) made.push_back(values[i]);
        for (std::size_t k = 0; i == stage.input && k < stage.weights.size(); ++k) {
          const Index weight = stage.weights[k].narrow(), digit = floor_div(values[i], weight);
          made.push_back(digit);
          values[i] -= digit * weight;
        }
      }
    } else {
      if (values[stage.input] < 0) return std::nullopt;
      made = values;
      made[stage.input] = test::swizzled({stage.base, stage.bits, stage.shift, !stage.up}, values[stage.input]);
    }
    values = made;
  }
  return values;
}

/// The layout as a list; nothing where it is no map. Requires: few points.
inline std::optional<test::Listed> listed(const Layout& layout) {
  test::Listed out;
  for (std::size_t i = 0; i < layout.map.domain.rank(); ++i)
    (i < layout.logical ? out.logical : out.replicas).push_back(layout.map.domain.extents[i].narrow());
  out.box = narrow(layout.physical.extents);
  if (layout.named) out.axes = layout.physical.names;
  for (const Values& p : points(layout.map.domain)) {
    auto place = outputs(layout.map.stages, p);
    if (!place) return std::nullopt;
    out.places.push_back(std::move(*place));
  }
  return out;
}

/// Each point with its place, of those that have a slot.
template <class Holds>
bool at_each_slot(const Layout& layout, const test::Listed& list, Holds holds) {
  const std::vector<Values> all = points(layout.map.domain);
  for (std::size_t n = 0; n < all.size(); ++n)
    if (list.has_slot(list.places[n]) && !holds(all[n], list.slot_of(list.places[n]))) return false;
  return true;
}

/// The way back of each slot is the point that is there.
inline bool is_way_back(const Layout& layout, const test::Listed& list) {
  return at_each_slot(layout, list, [&](const Values& p, const Values& slot) {
    const auto back = outputs(layout.decode->stages, slot);
    for (std::size_t j = 0; back && j < back->size(); ++j)
      if ((*back)[j] != (j < p.size() ? p[j] : 0)) return false;
    return back.has_value();
  });
}

inline bool is_identity(const Layout& layout, const test::Listed& list) {
  return at_each_slot(layout, list, [&](const Values& p, const Values& slot) {
    return value(layout.identity->first, slot) == value(layout.identity->second, p);
  });
}

}  // namespace vl::kernel::tests
