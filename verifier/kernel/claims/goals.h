// Goals: what a proof about one layout, or about two over the same elements, shows; its steps are replayed (replay.h).
// D is the domain of the layout's map (elements with their replicas); a slot is an outcome in the physical box with
// guards 0. Beside what rewrites a cell each goal names the steps that close one.
#pragma once

#include <string>
#include <vector>

#include "verifier/kernel/claims/replay.h"
#include "verifier/kernel/core/layout.h"

namespace vl::kernel {

class Goals {
 public:
  /// Two layouts have the elements in common, and each its own replicas.
  explicit Goals(const Layout& a, const Layout* b = nullptr);

  /// ∀ p ∈ D: outcome ∈ box, guards 0. Closed by ["in", notes…]; note (j, 0) is about output j.
  void in(const Space& box, const Steps& steps) const;
  /// ∀ p ≠ q ∈ D with slots (of one element, with `replicas_only`): different slots. ["apart"], ["out", j].
  void apart(bool replicas_only, const Steps& steps) const;
  /// |{slots of D}|, where all of D has slots but for the cells without any: ["count", notes…], ["reach", notes…],
  /// ["out", j].
  [[nodiscard]] Wide occupied(const Steps& steps) const;
  /// ∀ p ∈ D with a slot: decode(slot) = p, guards 0. ["back", notes…], ["out", j].
  void back(const Steps& steps) const;
  /// ∀ p ∈ D with slot s: identity.slot(s) = identity.element(p). ["id", notes…], ["out", j].
  void identity(const Steps& steps) const;
  /// ∀ x, r, r': the place of (x, r) under a is that of (x, r') under b: by slot number, or by axis: ["eq", notes…].
  /// Or ∀ x: {a(x, r)} = {b(x, r')}: ["sets"], and ["sweep"].
  void equal(const Steps& steps) const;

  /// ∀ x, r: b(a(x), r) is the slot of b's box `box` whose number is that of x, and a(x) lies in b's elements. b's map
  /// is not run on coordinates. ["returns", notes…].
  void returns(const Space& box, const Steps& steps) const;
  /// Nothing negative is swizzled: the map is one. ["defined"].
  void defined(const Steps& steps) const;
  /// No place of a is one of b, whose memory (axis m, of names) begins at `at` in that of a. The two have no input in
  /// common: `logical` of both is 0. ["branch", …], ["never", …] (disjoint.cpp), ["out", j] of a.
  void disjoint(const Wide& at, const Steps& steps) const;

  /// The places of one element, by axis (of slots only, with `slots`), or the numbers of its slots: ascending, each
  /// once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element, bool slots = false) const;

  // For those who look for steps: the root, and a map's inputs in it.
  [[nodiscard]] const Space& root() const { return root_; }
  [[nodiscard]] const std::vector<std::size_t>& inputs(std::size_t side) const { return inputs_[side]; }
  /// Lines that are 0 where a point's two places are equal: one an axis, then the cell's equations.
  [[nodiscard]] Lines meeting(const Cell<Wide>& cell, const Wide& at) const;

 private:
  void show(const Steps& steps, const Rules& rules) const;
  [[nodiscard]] Rules rules(std::size_t sides) const;
  [[nodiscard]] Rules rules_of_slots() const;
  void decode(const Step& step, Cell<Wide>& cell) const;
  [[nodiscard]] std::vector<bool> atoms_of_replicas(const Cell<Wide>& cell) const;
  void sets(Cell<Wide>& cell) const;
  [[nodiscard]] Ranges slots(const Cell<Wide>& cell, bool by_element, Ranges& image) const;
  [[nodiscard]] Lines places(const Cell<Wide>& cell, std::size_t side) const;
  [[nodiscard]] bool is_memory(std::size_t axis) const { return !layouts_[0]->named || axes_[axis] == "m"; }

  const Layout* layouts_[2];
  Space root_;
  std::vector<std::size_t> inputs_[2];
  std::vector<std::string> axes_;  // of named layouts, both together
};

}  // namespace vl::kernel
