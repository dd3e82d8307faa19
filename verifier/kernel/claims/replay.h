// Replay: a proof is a list of steps on a stack of cells (core/cell.h). The cell on top is rewritten, its lines are
// carried through what the goal is about, and a last step closes it; the replay looks for nothing.
//
//   ["fuse", g]  ["shift", atom, k]  ["block", atom, n]  ["cut", atom, n]: two cells, the lower one first
//   ["run", side, notes…]    carries the coordinates through the map of a side (core/stages.h)
//   ["large", row, atom, (low, high), note]  ["mod", row, atom]  ["open", record]
//   ["range", row, low, high, note]    (core/difference.h)
//
// and one that closes a cell: those that the goal names, ["sweep"], which looks at each point of a cell whose maps were
// not run, and ["empty", fact], for one where a fact holds nowhere.
#pragma once

#include <functional>
#include <span>

#include "verifier/kernel/core/difference.h"
#include "verifier/kernel/core/step.h"

namespace vl::kernel {

using Lines = std::vector<Line<Wide>>;
/// Lowest and highest values, one pair an output.
using Ranges = std::vector<std::pair<Wide, Wide>>;

/// What a goal makes of the steps. `run` gives the lines of a side, of which each is run once before a cell is closed.
/// `known`: the goal looks at differences of side 0's lines; the atoms that are equal from the start, or on which no
/// line depends. `out`: nothing is said of points whose line j is not in the range [0, *out(j)): ["out", j] closes.
struct Rules {
  std::size_t sides = 1;
  std::function<Lines(Cell<Wide>&, std::size_t side, Notes<Wide>&)> run;
  std::function<std::vector<bool>(const Cell<Wide>&)> known = {};
  std::function<Wide(std::size_t)> out = {};
  std::function<void(const Step&, Cell<Wide>&, const Difference<Wide>*)> close;
  /// Takes each step about the lines of a cell but ["out", j], in the place of `close`, and says whether a part of the
  /// cell is open after it; nothing else happens to the cell until none is.
  std::function<bool(const Step&, const Cell<Wide>&)> branches = {};
  bool numbers = false;                               // whether what closes a cell has numbers
  std::function<void(const Cell<Wide>&)> swept = {};  // none: points are not looked at
};

/// Replays steps on a root until none of its cells is open; gives the steps that are left. Rejects those that leave one
/// open.
[[nodiscard]] std::span<const Step> replay(std::span<const Step> steps, Cell<Wide> root, const Rules& rules);

/// Number `at` of a step, as an index. Rejects one that is missing.
[[nodiscard]] std::size_t index_at(const Step& step, std::size_t at);
/// Of two images, or of any two, some output has no value in common.
void require_apart(const Ranges& a, const Ranges& b);
void require_apart(const std::vector<Ranges>& images);
/// Whether outputs of a cell lie in a box, guards at 0. Note (j, 0) is about output j, and there are no others; or not
/// `alone` note (-1, j), among others.
[[nodiscard]] bool lies_in(const Cell<Wide>& cell, const Lines& outputs, const Space& box, Notes<Wide>& given,
                           bool alone = false);
[[nodiscard]] bool lies_in(const Cell<Wide>& cell, const Lines& outputs, const Space& box,
                           const std::vector<Note<Wide>>& notes);
/// Whether output j of no point lies in the box: it is below 0 or beyond the end.
[[nodiscard]] bool lies_out(const Cell<Wide>& cell, const Line<Wide>& output, const Wide& extent);

}  // namespace vl::kernel
