// What claims ask of layouts, each shown by steps that the kernel replays (kernel/claims/goals.h): the evidence has a
// list for each. What elements of one stick have in common is asked elsewhere (divisions.h).
//
// D is the layout's domain (elements with their replicas), a slot an outcome in the physical box with guards 0.
#pragma once

#include <functional>

#include "verifier/checker/certificate.h"
#include "verifier/kernel/claims/goals.h"

namespace vl::checker {

/// Rejects parts that do not fit each other.
[[nodiscard]] Layout parse_layout(const LayoutText& text);

/// One layout, or two over the same elements, and what is shown of them. Every function takes its list of steps from
/// the evidence and rejects one that is no proof.
class Questions {
 public:
  using Field = std::optional<kernel::Steps> Evidence::*;
  Questions(const Layout& a, const Layout* b, Evidence& evidence);

  /// ∀ p ∈ D: outcome ∈ box, guards 0.
  void all_land(const Space& box, Field field = &Evidence::escapes) { goals_.in(box, take(evidence_->*field)); }
  /// ∀ p ≠ q ∈ D with slots (with `replicas_only`: of one element): different slots.
  void none_collide(bool replicas_only = false) { goals_.apart(replicas_only, take(evidence_->collides)); }
  /// ∀ p ∈ D with a slot: decode(slot) = p, guards 0. Shows none_collide() too.
  void all_decode() { goals_.back(take(evidence_->misdecodes)); }
  /// ∀ p ∈ D with slot s: identity.slot(s) = identity.element(p).
  void identity_holds() { goals_.identity(take(evidence_->breaks)); }
  /// ∀ x: {a(x, r)} = {b(x, r')}: slots by number, or places by axis.
  void same_places() { goals_.equal(take(evidence_->differs)); }
  /// ∀ x, r: b(a(x), r) is the slot of b's box whose number is that of x; a(x) lies in b's elements.
  void takes_back();
  /// The map is one: nothing negative is swizzled.
  void well_defined() { goals_.defined(take(evidence_->defined)); }
  /// |{slots of D}|.
  [[nodiscard]] Wide occupied() { return goals_.occupied(take(evidence_->occupied)); }
  /// No place of a is one of b, whose memory (axis m, where axes have names) begins at `at` in that of a. The two share
  /// no input: `logical` of both is 0.
  void never_meet(Wide at) { goals_.disjoint(at, take(evidence_->overlaps)); }
  /// The evidence's `field` is a point of D with a slot.
  void some_slot(std::size_t side = 0, std::optional<Point> Evidence::*field = &Evidence::lands);
  /// The places of one element, by axis, or the numbers of its slots: ascending, each once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element) const {
    return goals_.places_at(side, element);
  }

 private:
  const Layout* layouts_[2];
  Evidence* evidence_;
  kernel::Goals goals_;
};

/// Visits every point of a box; rejects one of which the map alone, at every point, takes more work than is left.
void walk(const Space& box, const Map& map, const std::function<void(const Point&)>& visit);

}  // namespace vl::checker
