// Proofs about one layout, or two, that are dealt at random.
#pragma once

#include "tests/support/maps.h"
#include "verifier/engines/cells/equations.h"
#include "verifier/engines/cells/hints.h"
#include "verifier/engines/cells/peel.h"
#include "verifier/engines/cells/steps.h"

namespace vl::kernel::tests {

using engines::cells::Goal;
using engines::cells::Task;
using test::Engine;
using test::roll;

// A proof from random cells: random rewrites, then each cell closed as well as it goes.
class Dealer {
 public:
  Dealer(Engine& engine, const Task& task) : engine_(engine), task_(task), goals_(task.a, task.b) {}

  Steps steps() {
    if (goals_.root().volume() > 0) treat(Cell<Wide>(goals_.root()));
    return std::move(steps_);
  }

 private:
  void treat(Cell<Wide> cell) {
    for (Index rewrites = roll(engine_, 0, 4); rewrites > 0 && cell.atoms() > 0 && steps_.size() < 60; --rewrites) {
      const auto atom = static_cast<std::size_t>(roll(engine_, 0, static_cast<Index>(cell.atoms()) - 1));
      const Index number = roll(engine_, 1, 5);
      try {
        switch (roll(engine_, 0, 4)) {
          case 0: cell.fuse(0), steps_.push_back({"fuse", {0}}); break;
          case 1: cell.shift(atom, number), steps_.push_back({"shift", {static_cast<long long>(atom), number}}); break;
          case 2: cell.block(atom, number), steps_.push_back({"block", {static_cast<long long>(atom), number}}); break;
          default: {
            Cell<Wide> above = cell.cut(atom, number);
            steps_.push_back({"cut", {static_cast<long long>(atom), number}});
            treat(std::move(cell));
            return treat(std::move(above));
          }
        }
      } catch (const Rejected&) {  // a rule that does not apply here
      }
    }
    close(cell);
  }

  void close(Cell<Wide>& cell) {
    for (std::size_t j = 0; j < cell.facts.size(); ++j)
      if (cell.high(cell.facts[j]) < 0 && roll(engine_, 0, 1) == 0)
        return steps_.push_back({"empty", {static_cast<long long>(j)}});
    try {
      const std::vector<Note<Wide>> none;
      Notes<Wide> notes(none);
      cell.sides[0] = carry(cell, task_.a.map, goals_.inputs(0), notes);
    } catch (const Rejected&) {
      return steps_.push_back({"sweep"});
    }
    steps_.push_back({"run", {0}});
    if (task_.goal == Goal::Disjoint) return close_pair(cell);
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j)
      if (lies_out(cell, cell.sides[0][j], j < task_.a.physical.rank() ? task_.a.physical.extents[j] : Wide(1)))
        return steps_.push_back({"out", {static_cast<long long>(j)}});
    if (task_.goal == Goal::Count || task_.goal == Goal::Apart) {
      const bool is_count = task_.goal == Goal::Count;
      Difference<Wide> shown(cell, cell.sides[0],
                             is_count ? unused(cell, cell.sides[0]) : std::vector<bool>(cell.atoms(), false));
      const Steps peeled = engines::cells::peel(cell, shown);
      if (is_count && roll(engine_, 0, 3) == 0) return steps_.push_back({"reach", {}, bounds(cell)});
      steps_.insert(steps_.end(), peeled.begin(), peeled.end());
    }
    constexpr const char* kLast[] = {"in", "apart", "apart", "count", "back", "id"};
    const bool has_notes = task_.goal == Goal::In || task_.goal == Goal::Count;
    steps_.push_back({kLast[static_cast<int>(task_.goal)], {}, has_notes ? bounds(cell) : std::vector<Note<Wide>>()});
  }

  // At times with a proof of other rows: of those that two layouts elsewhere have.
  void close_pair(Cell<Wide>& cell) {
    const std::vector<Note<Wide>> none;
    Notes<Wide> notes(none);
    try {
      cell.sides[1] = carry(cell, task_.b->map, goals_.inputs(1), notes);
      steps_.push_back({"run", {1}});
      engines::LinearEffort effort{200};
      const Wide at = task_.at + (roll(engine_, 0, 3) == 0 ? roll(engine_, -3, 3) : 0);
      if (const auto found = engines::cells::no_solution(cell, goals_.meeting(cell, at), effort))
        return steps_.insert(steps_.end(), found->begin(), found->end()), void();
    } catch (const Rejected&) {
    }
    steps_.push_back({"never", {roll(engine_, -2, 2)}});
  }

  static std::vector<Note<Wide>> bounds(const Cell<Wide>& cell) {
    std::vector<Note<Wide>> out;
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j) {
      Note<Wide> note;
      note.stage = j;
      note.below = engines::cells::least(cell, cell.sides[0][j]).by;
      note.above = engines::cells::least(cell, Line<Wide>{}.plus(cell.sides[0][j], -1)).by;
      out.push_back(std::move(note));
    }
    return out;
  }

  Engine& engine_;
  const Task& task_;
  Goals goals_;
  Steps steps_;
};

}  // namespace vl::kernel::tests
