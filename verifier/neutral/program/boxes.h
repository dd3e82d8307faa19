// Boxes: where the slots of a tensor can differ, if each region of each input holds one code.
//
// A dimension has breakpoints; between two neighbours lies an interval, and a product of intervals is a box.
// Lemma. If each input holds one code in each of its regions, then each box of each tensor holds one code, in the run
// with padding and in the one without.
// Proof: by induction over the lines. An input's breakpoints are 0 and its size, so its boxes lie in regions. A slot of
// a result depends on slots of the operands whose indices move with its own: breakpoints are moved, shifted and united
// with them, so two slots of a box read the same boxes of each operand, equally often and in the same order. Where a
// result depends on its place (sorted and cumulative rows, a reshape that joins what is not constant), each index is a
// breakpoint.
//
// So a run is known from one slot per box: its first. Its cost does not depend on sizes but where it reduces.
// Example: concat of [1,32] and [4,32] over 0 in tiles of 32: rows 0, 1..4 and 5..31; row 1 stands for 1..4.
#pragma once

#include <vector>

#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// The breakpoints of a dimension: 0 and others, ascending, below its padded size; or every index.
struct Breaks {
  std::vector<Index> at{0};
  bool each = false;

  void add(Index index);
  /// The last breakpoint that is not behind an index, and the first that is; nothing: there is none.
  [[nodiscard]] Index before(Index index) const;
  [[nodiscard]] std::optional<Index> after(Index index) const;
};

class Boxes {
 public:
  explicit Boxes(const Program& program);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const Breaks& breaks(std::size_t node, std::size_t dimension) const { return of_[node][dimension]; }
  /// The first slot of the box of a slot.
  [[nodiscard]] Point first_of(std::size_t node, Point index) const;
  /// From the first slot of a box of valid elements to that of the next one, in row-major order; false at the end.
  [[nodiscard]] bool advance(std::size_t node, Point& index) const;

 private:
  const Program& program_;
  std::vector<std::vector<Breaks>> of_;  // by node, then dimension
};

}  // namespace vl::neutral::program
