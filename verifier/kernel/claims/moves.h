// Moves of loop nests between two memories over the same elements. A move is one iteration of one nest; it reads slot s
// of the source and writes slot d of the destination. S(x, r), D(x, r): the slots of element x. Each goal needs a move.
//
// Steps are replayed (replay.h) for one nest after the other, whose loops are the root. But for inside() they begin
// with the keys, which tell moves apart: ["keys", by] the number of the slot that is written (by 1) or read (0), then
// ["digits", w…] any number of times, its digits by these weights. ["run", 0, …] makes a cell's keys; note (c, k) is
// about digit k of list c. A cell *serves* when it is injective in its keys, and for each other cell there is a key
// whose ranges are disjoint: then no other move has the number of a move that serves. ["sweep"] alone looks at every
// move and every element.
//
// Example: a loop of 4 that copies x < 4 from slot x to slot x. ["keys", 1], ["run", 0], ["large", 0, 0] and
// ["moves", 0, 1], the element 0 + 1·a_0: 4 moves serve 4 elements.
#pragma once

#include "verifier/kernel/claims/replay.h"
#include "verifier/kernel/core/layout.h"

namespace vl::kernel {

/// A nest that moves something: its box is not empty.
template <class S>
struct BasicNest {
  BasicSpace<S> box;
  BasicRow<S> slots[2];  // over the box: the number of the slot that is read, and of the one that is written
};
using Nest = BasicNest<Wide>;

template <class S>
class BasicMoves {
 public:
  /// `given`: what is >= 0 (cell.h).
  BasicMoves(const BasicLayout<S>& source, const BasicLayout<S>& destination, const std::vector<BasicNest<S>>& nests,
             std::vector<S> given = {})
      : layouts_{&source, &destination}, nests_(nests), given_(std::move(given)) {
    enter(__FILE__);
  }

  /// ∀ moves: s is a slot's number of S, d one of D. Closed by ["inside", notes…]; note (-1, side).
  void inside(const StepsOf<S>& steps) const;
  /// ∀ moves: d is the slot of an element in D. ["moves", …] as below, without S.
  void held(const StepsOf<S>& steps) const;
  /// ∀ moves: all d differ. ["serves"].
  void apart(const StepsOf<S>& steps) const;
  /// There is an element, and ∀ x, d of D(x): one move writes d; every (x, replica) has a slot in D. ["idle"] for a
  /// cell that does not serve, and ["moves", c, c_0 …, notes…]: lines over the cell's atoms (before records), that name
  /// x and the replica of D that a move serves. Notes are about D's stages, and from the number behind the last one on
  /// about S's. Gives the number of elements less that of moves that serve: 0 of numbers, and of names whoever asks
  /// shows that it is 0.
  S once(const StepsOf<S>& steps) const;
  /// The same of moves (s, d) with s of S(x), and every move is such a one for some x: no ["idle"]; the lines name the
  /// replica of S too, and nothing is said of replicas that no line names: S may be no map there. Where neither side
  /// has replicas the slots that are read may tell moves apart.
  S implement(const StepsOf<S>& steps) const;

 private:
  enum class Aim { Held, Apart, Once, Implement };
  S show(Aim aim, const StepsOf<S>& steps) const;
  void serve(Aim aim, const BasicNest<S>& nest, const BasicStep<S>& step, Cell<S>& cell) const;
  void walk(Aim aim) const;

  const BasicLayout<S>* layouts_[2];
  const std::vector<BasicNest<S>>& nests_;
  std::vector<S> given_;
};
using Moves = BasicMoves<Wide>;
template <>
void Moves::walk(Aim aim) const;

}  // namespace vl::kernel
