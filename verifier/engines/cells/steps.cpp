#include "verifier/engines/cells/steps.h"

#include <algorithm>

#include "verifier/engines/cells/equations.h"
#include "verifier/engines/cells/peel.h"
#include "verifier/engines/cells/search.h"

namespace vl::engines::cells {
namespace {

constexpr std::size_t kMostWays = 6;  // of joining dimensions

// How dimensions are joined: the number of each group's.
using Way = std::vector<std::size_t>;

struct Mode {
  bool divides = false;   // where no block helps, a quotient becomes an atom of its own
  std::size_t cells = 1;  // at most
  bool sets = false;      // replicas' places are compared as sets
  bool edges = false;     // cells are cut until each has slots only, or none
  bool back = false;      // digits of sticks are those of the decode map too
};

class Finder : private Search {
 public:
  Finder(const Task& task, const Mode& mode, LinearEffort& effort)
      : Search(mode.divides, mode.cells),
        task_(task),
        effort_(effort),
        goals_(task.a, task.b),
        sets_(mode.sets),
        edges_(mode.edges),
        back_(mode.back) {}

  std::optional<Steps> with(const Way& way) {
    std::vector<Wide> shifts(way.size(), 0);
    for (std::size_t restarts = 0; restarts <= way.size(); ++restarts) {
      steps_.clear(), cells_ = 1, shift_.reset();
      Cell cell(goals_.root());
      for (std::size_t g = 0; g < way.size(); ++g)
        for (std::size_t i = 1; i < way[g]; ++i) apply(cell, {"fuse", {static_cast<long long>(g)}});
      for (std::size_t g = 0; g < way.size(); ++g)
        if (const auto own = cell.atoms_of(cell.groups[g]); shifts[g] != 0 && own.size() == 1)
          apply(cell, {"shift", {static_cast<long long>(own[0]), shifts[g]}});
      if (treat(std::move(cell))) return steps_;
      if (!shift_ || shifts[shift_->group] != 0) return std::nullopt;
      shifts[shift_->group] = shift_->by;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool slots_only() const {
    return task_.goal == Goal::Back || task_.goal == Goal::Identity || task_.goal == Goal::Count ||
           task_.goal == Goal::Apart || task_.goal == Goal::Disjoint;
  }

  [[nodiscard]] std::size_t sides() const override {
    return task_.goal == Goal::Equal || task_.goal == Goal::Disjoint || task_.goal == Goal::Sticks ? 2 : 1;
  }
  Lines run(Cell& cell, std::size_t side, kernel::Notes<Wide>& notes) override {
    if (task_.goal != Goal::Sticks)
      return kernel::carry(cell, side == 0 ? task_.a.map : task_.b->map, goals_.inputs(side), notes);
    Lines all = kernel::carry(cell, task_.a.map, goals_.inputs(0), notes), last;
    if (const std::size_t rank = task_.a.physical.rank(); rank > 0) {
      last.push_back(std::move(all[rank - 1]));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(rank - 1));
    }
    return side == 0 ? all : last;
  }

  Next close(Cell& cell) override {
    const kernel::Space& box = task_.box != nullptr ? *task_.box : task_.a.physical;
    for (std::size_t j = 0; edges_ && may_cut() && j < cell.sides[0].size(); ++j)
      for (const Wide bound : {Wide(0), j < box.rank() ? box.extents[j] : Wide(1)}) {
        if (cell.low(cell.sides[0][j]) >= bound || cell.high(cell.sides[0][j]) < bound) continue;
        if (const auto cut = across(cell, cell.sides[0][j], bound)) return *cut;
      }
    for (std::size_t j = 0; slots_only() && j < cell.sides[0].size(); ++j)
      if (kernel::lies_out(cell, cell.sides[0][j], j < box.rank() ? box.extents[j] : Wide(1)))
        return steps_.push_back({"out", {static_cast<long long>(j)}}), Closed{};
    switch (task_.goal) {
      case Goal::In: return close_in(cell, box, "in");
      case Goal::Count: return close_count(cell, box);
      case Goal::Apart:
      case Goal::ReplicasApart: {
        std::vector<bool> known(cell.atoms(), false);
        for (const auto& group : cell.groups)
          for (const std::size_t k : cell.atoms_of(group))
            known[k] = task_.goal == Goal::ReplicasApart && group.first < task_.a.logical;
        kernel::Difference<Wide> shown(cell, cell.sides[0], known);
        append(peel(cell, shown));
        steps_.push_back({"apart"});
        return Closed{};
      }
      case Goal::Back: return close_back(cell);
      case Goal::Identity: {
        const std::vector<Note<Wide>> none;
        kernel::Notes<Wide> read(none);
        const Line difference = kernel::carry(cell, task_.a.identity->second, read)
                                    .plus(kernel::sum(task_.a.identity->first, cell.sides[0]), -1);
        steps_.push_back({"id"});
        if (auto uses = note_of_equations(cell, difference, 0, 0)) steps_.back().notes.push_back(std::move(*uses));
        return Closed{};
      }
      case Goal::Equal: steps_.push_back({sets_ ? "sets" : "eq"}); return Closed{};
      case Goal::Defined: steps_.push_back({"defined"}); return Closed{};
      case Goal::Returns: return close_returns(cell);
      case Goal::Disjoint: {
        const auto none = no_solution(cell, goals_.meeting(cell, task_.at), effort_);
        if (!none) return Stop{};
        append(*none);
        return Closed{};
      }
      case Goal::Sticks: return close_sticks(cell);
    }
    return Stop{};
  }

  // Of a group of which some atoms are counted and others not, no fact may bind one: it is cut until none does.
  Next close_count(const Cell& cell, const kernel::Space& box) {
    const auto unused = kernel::unused(cell, cell.sides[0]);
    kernel::Difference<Wide> shown(cell, cell.sides[0], unused);
    const Steps peeled = peel(cell, shown);
    bool known = true;
    for (const auto& group : cell.groups) {
      bool all = true, none = true;
      for (const std::size_t k : cell.atoms_of(group)) {
        all = all && !unused[k], none = none && unused[k];
        known = known && (unused[k] || shown.is_known(k));
      }
      if (none || (all && group.total)) continue;
      for (const Line& fact : cell.facts) {
        const auto touches = [&](std::size_t k) { return fact.at(k) != 0; };
        if (std::ranges::none_of(cell.atoms_of(group), touches) || cell.low(fact) >= 0) continue;
        if (const auto cut = may_cut() ? across(cell, fact, 0) : std::nullopt) return *cut;
      }
    }
    if (!known) return close_in(cell, box, "reach");
    append(peeled);
    return close_in(cell, box, "count");
  }

  // Outputs inside a box, by facts where the box of atoms is too wide; else where a cut helps.
  Next close_in(const Cell& cell, const kernel::Space& box, const char* name) {
    Step out{name};
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j) {
      const Line& line = cell.sides[0][j];
      const Wide most = j < box.rank() ? box.extents[j] - 1 : Wide(0);
      const Bound low = least(cell, line), high = least(cell, Line{}.plus(line, -1));
      if (low.value < 0 || Wide(0) - high.value > most) {
        if (!slots_only() || !may_cut()) return Stop{};
        const auto cut = across(cell, line, low.value < 0 ? Wide(0) : most + 1);
        return cut ? Next(*cut) : Next(Stop{});
      }
      if (cell.low(line) < 0 || cell.high(line) > most) out.notes.push_back({j, 0, false, low.by, high.by, {}, {}, {}});
    }
    steps_.push_back(std::move(out));
    return Closed{};
  }

  Next close_back(const Cell& ran) {
    return close_by({"back"}, ran, [&](Cell& cell, kernel::Notes<Wide>& notes) {
      Lines slot = cell.sides[0];
      slot.resize(task_.a.physical.rank());
      static_cast<void>(kernel::carry(cell, task_.a.decode->stages, 0, std::move(slot), notes));
    });
  }

  Next close_sticks(const Cell& cell) {
    if (back_ && task_.a.decode) {  // the blocks that it asks for, and no step
      Next next = close_by({"back"}, cell, [&](Cell& ran, kernel::Notes<Wide>& notes) {
        Lines slot = ran.sides[0];
        slot.insert(slot.end(), ran.sides[1].begin(), ran.sides[1].end());
        slot.resize(task_.a.physical.rank());
        static_cast<void>(kernel::carry(ran, task_.a.decode->stages, 0, std::move(slot), notes));
      });
      if (!std::holds_alternative<Closed>(next)) return next;
      steps_.pop_back();
    }
    kernel::Difference<Wide> shown(cell, cell.sides[0], std::vector<bool>(cell.atoms(), false));
    append(peel(cell, shown));
    steps_.push_back({"sticks"});
    return Closed{};
  }

  Next close_returns(const Cell& ran) {
    std::optional<Note<Wide>> last;
    Next out = close_by({"returns"}, ran, [&](Cell& cell, kernel::Notes<Wide>& notes) {
      Lines values = cell.sides[0];
      for (std::size_t i = task_.a.map.domain.rank(); i < goals_.root().rank(); ++i)
        values.push_back(kernel::carry(cell, kernel::Row{0, {{i, 1}}}, notes));
      values = kernel::carry(cell, task_.b->map.stages, 0, std::move(values), notes);
      const kernel::Space& box = task_.box != nullptr ? *task_.box : task_.b->physical;
      const Line number = kernel::carry(cell, task_.a.elements().number(), notes);
      last = note_of_equations(cell, kernel::sum(box.number(), values).plus(number, -1), task_.b->map.stages.size(), 0);
    });
    if (std::holds_alternative<Closed>(out) && last) steps_.back().notes.push_back(std::move(*last));
    return out;
  }

  const Task& task_;
  LinearEffort& effort_;
  kernel::Goals goals_;
  bool sets_, edges_, back_;
};

// Ways are bits: bit i is 0 where a group ends after dimension i. First no dimensions are joined, then all, then
// others.
std::vector<Way> ways_to_group(const Task& task, std::size_t rank) {
  std::uint64_t all = rank == 0 ? 0 : (std::uint64_t{1} << std::min<std::size_t>(rank - 1, 62)) - 1;
  for (const std::size_t end : {task.a.logical, task.a.map.domain.rank()})
    if (end > 0 && end < 63) all &= ~(std::uint64_t{1} << (end - 1));
  std::vector<Way> out;
  std::uint64_t joined = 0;
  do {
    Way way;
    for (std::size_t i = 0; i < rank; ++i) {
      if (i > 0 && i < 63 && (joined >> (i - 1) & 1) != 0) ++way.back();
      else way.push_back(1);
    }
    out.push_back(std::move(way));
    joined = (joined - 1) & all;
  } while (joined != 0 && out.size() < kMostWays);
  return out;
}

}  // namespace

Steps walked(Steps sticks) {
  const auto run = std::ranges::find(sticks.rbegin(), sticks.rend(), "run", &Step::name);
  sticks.erase(run.base(), sticks.end());
  sticks.push_back({"sweep"});
  return sticks;
}

bool holds(const Task& task, const Steps& steps) {
  try {
    const kernel::Goals goals(task.a, task.b);
    switch (task.goal) {
      case Goal::In: goals.in(task.box != nullptr ? *task.box : task.a.physical, steps); break;
      case Goal::Apart: goals.apart(false, steps); break;
      case Goal::ReplicasApart: goals.apart(true, steps); break;
      case Goal::Count: static_cast<void>(goals.occupied(steps)); break;
      case Goal::Back: goals.back(steps); break;
      case Goal::Identity: goals.identity(steps); break;
      case Goal::Equal: goals.equal(steps); break;
      case Goal::Returns: goals.returns(task.box != nullptr ? *task.box : task.b->physical, steps); break;
      case Goal::Defined: goals.defined(steps); break;
      case Goal::Disjoint: goals.disjoint(task.at, steps); break;
      case Goal::Sticks: break;
    }
    return true;
  } catch (const kernel::Rejected&) {
    return false;
  }
}

std::optional<Steps> find(const Task& task) {
  constexpr std::size_t kCells = 64;
  constexpr long long kSwept = 1 << 20;       // points
  constexpr long long kSweptOfTwo = 1 << 16;  // of two layouts together
  const bool differ = task.goal == Goal::Apart || task.goal == Goal::ReplicasApart || task.goal == Goal::Count;
  std::vector<Mode> modes{{false, 1}, {differ, differ ? 1 : kCells}, {!differ, differ ? kCells : 1}, {true, kCells}};
  if (task.goal == Goal::Back || task.goal == Goal::Identity) modes.push_back({true, kCells, false, true});
  if (task.goal == Goal::Equal) modes.push_back({false, 1, true});
  if (task.goal == Goal::Sticks) modes = {{false, 1, false, false, true}, {false, 1}, {true, 1}};
  std::vector<Way> ways;
  LinearEffort effort;
  try {
    const kernel::Space root = kernel::Goals(task.a, task.b).root();
    if (root.volume() == 0) return Steps{};
    ways = ways_to_group(task, root.rank());
    for (const Mode& mode : modes)
      for (const Way& way : ways) {
        const GivesBack memory;
        try {
          auto found = Finder(task, mode, effort).with(way);
          if (found && holds(task, *found)) return found;
        } catch (const kernel::OverBudget&) {
          throw;
        } catch (const kernel::Rejected&) {  // this way does not lead there
        }
      }
    if (task.goal == Goal::Sticks) return std::nullopt;
    const bool pairs = task.goal == Goal::Disjoint;
    const Wide points = pairs ? task.a.map.domain.volume() + task.b->map.domain.volume() : root.volume();
    if (points <= (pairs ? kSweptOfTwo : kSwept)) return Steps{{"sweep"}};
  } catch (const kernel::Rejected&) {  // no map, or no work left
  }
  return std::nullopt;
}

}  // namespace vl::engines::cells
