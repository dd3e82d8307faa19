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
#include <type_traits>

#include "verifier/kernel/core/difference.h"
#include "verifier/kernel/core/step.h"

namespace vl::kernel {

template <class S>
using LinesOf = std::vector<Line<S>>;
using Lines = LinesOf<Wide>;
/// Lowest and highest values, one pair an output.
template <class S>
using RangesOf = std::vector<std::pair<S, S>>;
using Ranges = RangesOf<Wide>;

/// What a goal makes of the steps. `run` gives the lines of a side, of which each is run once before a cell is closed.
/// `known`: the goal looks at differences of side 0's lines; the atoms that are equal from the start, or on which no
/// line depends. `out`: nothing is said of points whose line j is not in the range [0, *out(j)): ["out", j] closes.
template <class S>
struct BasicRules {
  std::size_t sides = 1;
  std::function<LinesOf<S>(Cell<S>&, std::size_t side, Notes<S>&)> run;
  std::function<std::vector<bool>(const Cell<S>&)> known = {};
  std::function<S(std::size_t)> out = {};
  std::function<void(const BasicStep<S>&, Cell<S>&, const Difference<S>*)> close;
  /// Takes each step about the lines of a cell but ["out", j], in the place of `close`, and says whether a part of the
  /// cell is open after it; nothing else happens to the cell until none is.
  std::function<bool(const BasicStep<S>&, const Cell<S>&)> branches = {};
  bool numbers = false;                            // whether what closes a cell has numbers
  std::function<void(const Cell<S>&)> swept = {};  // none: points are not looked at
};

using Rules = BasicRules<Wide>;

/// Replays steps on a root until none of its cells is open; gives the steps that are left. Rejects those that leave one
/// open.
template <class S>
[[nodiscard]] std::span<const BasicStep<S>> replay(std::type_identity_t<std::span<const BasicStep<S>>> steps,
                                                   Cell<S> root, const BasicRules<S>& rules);

/// Number `at` of a step, as an index. Rejects one that is missing.
template <class S>
[[nodiscard]] std::size_t index_at(const BasicStep<S>& step, std::size_t at);
/// Of two images, or of any two, some output has no value in common.
template <class S>
void require_apart(const RangesOf<S>& a, const RangesOf<S>& b);
template <class S>
void require_apart(const std::vector<RangesOf<S>>& images);
/// Whether outputs of a cell lie in a box, guards at 0. Note (j, 0) is about output j, and there are no others; or not
/// `alone` note (-1, j), among others.
template <class S>
[[nodiscard]] bool lies_in(const Cell<S>& cell, const LinesOf<S>& outputs, const BasicSpace<S>& box, Notes<S>& given,
                           bool alone = false);
template <class S>
[[nodiscard]] bool lies_in(const Cell<S>& cell, const LinesOf<S>& outputs, const BasicSpace<S>& box,
                           const std::vector<Note<S>>& notes);
/// Whether output j of no point lies in the box: it is below 0 or beyond the end.
template <class S>
[[nodiscard]] bool lies_out(const Cell<S>& cell, const Line<S>& output, const S& extent);

}  // namespace vl::kernel
