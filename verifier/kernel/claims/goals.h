// Goals: what a proof about one layout, or about two over the same elements, shows, and its replay. A proof is a list
// of steps on a stack of cells (cell.h). The cell on top is rewritten, its maps are run, and a last step closes it; the
// replay looks for nothing.
//
//   ["fuse", g]  ["shift", atom, k]  ["block", atom, n]  ["cut", atom, n]: two cells, the lower one first
//   ["run", side, notes…]    carries the coordinates through the map of a side (stages.h)
//   ["large", row, atom, (low, high), note]  ["mod", row, atom]  ["open", record]    (difference.h)
//
// and one that closes a cell: those that the goal names, ["sweep"], which looks at each point of a cell whose maps were
// not run, and ["empty", fact], for one where a fact holds nowhere. D is the domain of the layout's map (elements with
// their replicas); a slot is an outcome in the physical box with guards 0.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verifier/kernel/core/difference.h"
#include "verifier/kernel/core/layout.h"
#include "verifier/kernel/core/step.h"

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

  /// The places of one element, by axis, or the numbers of its slots: ascending, each once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element) const;

  // For those who look for steps: the root, and a map's inputs in it.
  [[nodiscard]] const Space& root() const { return root_; }
  [[nodiscard]] const std::vector<std::size_t>& inputs(std::size_t side) const { return inputs_[side]; }
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }

 private:
  using Close = std::function<void(const Step&, Cell<Wide>&, const Difference<Wide>*)>;
  using Swept = std::function<void(const Cell<Wide>&)>;
  using Ranges = std::vector<std::pair<Wide, Wide>>;
  struct Rules {
    std::vector<bool> known = {};  // of differences: by dimension, what is equal from the start; empty: no differences
    bool counts = false;           // what no output depends on is
    bool both = true;              // both maps are run before a cell is closed
    bool slots_only = false;       // nothing is said of points without a slot: ["out", j] closes a cell
  };
  void replay(const Steps& steps, const Rules& rules, const Close& close, const Swept& swept) const;
  void decode(const Step& step, Cell<Wide>& cell) const;
  [[nodiscard]] std::vector<bool> atoms_of_replicas(const Cell<Wide>& cell) const;
  void sets(Cell<Wide>& cell) const;
  [[nodiscard]] Ranges slots(const Cell<Wide>& cell, bool by_element, Ranges& image) const;
  [[nodiscard]] std::vector<Line<Wide>> places(const Cell<Wide>& cell, std::size_t side) const;

  const Layout* layouts_[2];
  Space root_;
  std::vector<std::size_t> inputs_[2];
  std::vector<std::string> axes_;  // of named layouts, both together
};

/// Whether outputs of a cell lie in a box, guards at 0. Rejects a note that is not about an output.
[[nodiscard]] bool lies_in(const Cell<Wide>& cell, const std::vector<Line<Wide>>& outputs, const Space& box,
                           const std::vector<Note<Wide>>& notes);
/// Whether output j of no point lies in the box: it is below 0 or beyond the end.
[[nodiscard]] bool lies_out(const Cell<Wide>& cell, const Line<Wide>& output, const Wide& extent);

}  // namespace vl::kernel
