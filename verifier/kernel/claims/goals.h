// Goals: what a proof about one layout, or about two over the same elements, shows; its steps are replayed (replay.h).
// D is the domain of the layout's map (elements with their replicas); a slot is an outcome in the physical box with
// guards 0. Beside what rewrites a cell each goal names the steps that close one.
#pragma once

#include <string>
#include <vector>

#include "verifier/kernel/claims/replay.h"
#include "verifier/kernel/core/layout.h"

namespace vl::kernel {

template <class S>
class BasicGoals {
 public:
  /// Two layouts have the elements in common, and each its own replicas. `given`: what is >= 0 (cell.h).
  explicit BasicGoals(const BasicLayout<S>& a, const BasicLayout<S>* b = nullptr, std::vector<S> given = {});

  /// ∀ p ∈ D: outcome ∈ box, guards 0. Closed by ["in", notes…]; note (j, 0) is about output j.
  void in(const BasicSpace<S>& box, const StepsOf<S>& steps) const;
  /// ∀ p ≠ q ∈ D with slots (of one element, with `replicas_only`): different slots. ["apart"], ["out", j].
  void apart(bool replicas_only, const StepsOf<S>& steps) const;
  /// |{slots of D}|, where all of D has slots but for the cells without any: ["count", notes…], ["reach", notes…],
  /// ["out", j].
  [[nodiscard]] S occupied(const StepsOf<S>& steps) const;
  /// ∀ p ∈ D with a slot: decode(slot) = p, guards 0. ["back", notes…], ["out", j].
  void back(const StepsOf<S>& steps) const;
  /// ∀ p ∈ D with slot s: identity.slot(s) = identity.element(p). ["id", notes…], ["out", j].
  void identity(const StepsOf<S>& steps) const;
  /// ∀ x, r, r': the place of (x, r) under a is that of (x, r') under b: by slot number, or by axis: ["eq", notes…].
  /// A note (-1, j) is about output j of a, or then of b, where slots have numbers. Of names r' is r, where both have
  /// as many. Or ∀ x: {a(x, r)} = {b(x, r')}: ["sets"], and ["sweep"], of numbers.
  void equal(const StepsOf<S>& steps) const;

  /// ∀ x, r: b(a(x), r) is the slot of b's box `box` whose number is that of x, and a(x) lies in b's elements. b's map
  /// is not run on coordinates. ["returns", notes…].
  void returns(const BasicSpace<S>& box, const StepsOf<S>& steps) const;
  /// Nothing negative is swizzled: the map is one. ["defined"].
  void defined(const StepsOf<S>& steps) const;
  /// No place of a is one of b, whose memory (axis m, of names) begins at `at` in that of a. The two have no input in
  /// common: `logical` of both is 0. ["branch", …], ["never", …] (disjoint.cpp), ["out", j] of a.
  void disjoint(const Wide& at, const StepsOf<S>& steps) const;

  /// The places of one element, by axis (of slots only, with `slots`), or the numbers of its slots: ascending, each
  /// once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element, bool slots = false) const;

  // For those who look for steps: the root, and a map's inputs in it.
  [[nodiscard]] const BasicSpace<S>& root() const { return root_; }
  [[nodiscard]] const std::vector<std::size_t>& inputs(std::size_t side) const { return inputs_[side]; }
  /// LinesOf<S> that are 0 where a point's two places are equal: one an axis, then the cell's equations.
  [[nodiscard]] LinesOf<S> meeting(const Cell<S>& cell, const Wide& at) const;

 private:
  void show(const StepsOf<S>& steps, const BasicRules<S>& rules) const;
  [[nodiscard]] BasicRules<S> rules(std::size_t sides) const;
  [[nodiscard]] BasicRules<S> rules_of_slots() const;
  void decode(const BasicStep<S>& step, Cell<S>& cell) const;
  [[nodiscard]] std::vector<bool> atoms_of_replicas(const Cell<S>& cell) const;
  void sets(Cell<S>& cell) const;
  [[nodiscard]] RangesOf<S> slots(const Cell<S>& cell, bool by_element, RangesOf<S>& image) const;
  [[nodiscard]] bool have_slots(const Cell<S>& cell, Notes<S>& notes) const;
  [[nodiscard]] LinesOf<S> places(const Cell<S>& cell, std::size_t side, bool slots) const;
  [[nodiscard]] bool is_memory(std::size_t axis) const { return !layouts_[0]->named || axes_[axis] == "m"; }

  const BasicLayout<S>* layouts_[2];
  BasicSpace<S> root_;
  std::vector<S> given_;
  std::vector<std::size_t> inputs_[2];
  std::vector<std::string> axes_;  // of named layouts, both together
};
using Goals = BasicGoals<Wide>;
template <>
Lines Goals::meeting(const Cell<Wide>& cell, const Wide& at) const;
template <>
void Goals::disjoint(const Wide& at, const Steps& steps) const;

}  // namespace vl::kernel
