// Restricted: the same map over a part of its points, or into a part of its slots. What bisection asks engines about.
//
// A search for the smallest point needs coordinates in which it can bisect: boxes of them have to be layouts that
// engines know. The digits of elements' numbers (forms/digit_domain.h) are such coordinates where a layout has them:
// its outputs are linear rows over every box of digits, whereas a box of elements starts in the middle of a digit.
// Points in digits and points of the domain have the same lexicographic order, so the smallest of a set stays the
// smallest.
//
// Example: x -> 2·x over [0, 8), restricted to [3, 5]: x -> 6 + 2·x over [0, 3).
#pragma once

#include <optional>

#include "verifier/engines/forms/digit_domain.h"

namespace vl::engines {

/// The layout on the points of a box of its domain; the point p of the result is box.low + p of the layout. It has the
/// layout's offset identity, and no decode map. Nothing when a number leaves 64 bits. Requires: the box is not empty.
[[nodiscard]] std::optional<map::Layout> restricted(const map::Layout& layout, const Box& box);

/// The layout into a box of its slots, counted from the box's low end; points beyond have no slot.
[[nodiscard]] std::optional<map::Layout> restricted_slots(const map::Layout& layout, const Box& slots);

/// The points of a layout's domain, in coordinates that are good for bisection.
class Points {
 public:
  /// Requires: the domain has a point.
  static Points of(const map::Layout& layout);

  [[nodiscard]] Box box() const;
  /// Both increase in the lexicographic orders, and are each other's inverse.
  [[nodiscard]] Point point(const Point& coordinates) const;
  [[nodiscard]] Point coordinates(const Point& point) const;
  /// The layout on a box of coordinates.
  [[nodiscard]] std::optional<map::Layout> on(const Box& box) const { return restricted(layout_, box); }

 private:
  Points(map::Layout layout, map::Space elements, std::optional<DigitDomain> digits)
      : layout_(std::move(layout)), elements_(std::move(elements)), digits_(std::move(digits)) {}

  map::Layout layout_;  // over the digits, or as it was given
  map::Space elements_;
  std::optional<DigitDomain> digits_;
};

}  // namespace vl::engines
