#include "verifier/engines/cells/steps.h"

#include <algorithm>
#include <functional>
#include <variant>

#include "verifier/engines/cells/hints.h"
#include "verifier/engines/cells/peel.h"

namespace vl::engines::cells {
namespace {

using kernel::Note;
using kernel::Step;
using kernel::Steps;
using kernel::Wide;
using Cell = kernel::Cell<Wide>;
using Line = kernel::Line<Wide>;
using NoForm = kernel::NoForm<Wide>;
using Lines = std::vector<Line>;

constexpr int kMostTries = 96;        // of one cell
constexpr std::size_t kMostWays = 6;  // of joining dimensions

struct Shift {
  std::size_t group;
  Wide by;
};
struct Closed {};
struct Stop {};
using Next = std::variant<Closed, Note<Wide>, Block, Cut, Shift, Stop>;

// How dimensions are joined: the number of each group's.
using Way = std::vector<std::size_t>;

struct Mode {
  bool divides = false;   // where no block helps, a quotient becomes an atom of its own
  std::size_t cells = 1;  // at most
  bool sets = false;      // replicas' places are compared as sets
  bool edges = false;     // cells are cut until each has slots only, or none
};

class Finder {
 public:
  Finder(const Task& task, const Mode& mode)
      : task_(task),
        goals_(task.a, task.b),
        divides_(mode.divides),
        sets_(mode.sets),
        edges_(mode.edges),
        most_(mode.cells) {}

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
  void apply(Cell& cell, Step step) {
    if (step.name == "fuse") cell.fuse(static_cast<std::size_t>(step.numbers[0].narrow()));
    if (step.name == "shift") cell.shift(static_cast<std::size_t>(step.numbers[0].narrow()), step.numbers[1]);
    if (step.name == "block") cell.block(static_cast<std::size_t>(step.numbers[0].narrow()), step.numbers[1]);
    steps_.push_back(std::move(step));
  }

  // Multiples of equations with which a line loses values without a form: c·(w·q + r) is c·inner.
  static std::optional<Note<Wide>> note_of_equations(const Cell& cell, Line line, std::size_t stage, std::size_t at) {
    Note<Wide> out{stage, at, true, {}, {}, {}, {}, {}};
    for (std::size_t j = cell.records.size(); j-- > 0;) {
      const auto& one = cell.records[j];
      if (!one.divides()) continue;
      const Wide factor = cell.extents[one.atom + 1] > 1 ? line.at(one.atom + 1) : line.at(one.atom) / one.weight;
      if (factor == 0 || (cell.extents[one.atom] > 1 && line.at(one.atom) != factor * one.weight)) continue;
      line.add(cell.equation(j), factor);
      out.below.emplace_back(cell.facts.size() + j, factor);
    }
    return out.below.empty() ? std::nullopt : std::optional(std::move(out));
  }

  // What a quotient without a form needs. `tried`: a note about it did not help.
  Next for_quotient(const Cell& cell, const NoForm& stuck) {
    const Bound low = least(cell, stuck.rest), high = least(cell, Line{}.plus(stuck.rest, -1));
    const Wide first = low.value / stuck.weight, last = (Wide(0) - high.value) / stuck.weight;
    if (first == last) {
      Note<Wide> note{stuck.stage, stuck.at, false, low.by, high.by, {}, {}, {}};
      if (first != 0) note.quotient = stuck.quotient + first;
      return note;
    }
    if (const auto block = block_for(cell, stuck.rest, stuck.weight)) return *block;
    const auto cut = across(cell, stuck.rest, (first + 1) * stuck.weight);
    if (cut && last == first + 1 && cells_ < most_) return *cut;
    if (const auto shift = shift_for(cell, stuck)) return *shift;
    if (!divides_) return cut && cells_ < most_ ? Next(*cut) : Next(Stop{});
    const Bound least_line = least(cell, stuck.line), most_line = least(cell, Line{}.plus(stuck.line, -1));
    const Wide from = least_line.value / stuck.weight;
    return Note<Wide>{stuck.stage,  stuck.at, false, least_line.by,
                      most_line.by, {},       from,  (Wide(0) - most_line.value) / stuck.weight - from + 1};
  }

  // The shift of a group with which a rest loses its constant.
  std::optional<Shift> shift_for(const Cell& cell, const NoForm& stuck) const {
    if (cells_ > 1) return std::nullopt;
    const Wide constant = stuck.rest.constant;
    for (std::size_t g = 0; g < cell.groups.size(); ++g) {
      const auto own = cell.atoms_of(cell.groups[g]);
      if (own.empty()) continue;
      const Wide unit = stuck.rest.at(own.back());
      if (unit <= 0 || cell.groups[g].number.constant != 0 || stuck.weight % unit != 0 || constant % unit != 0)
        continue;
      const Wide by = constant / unit % (stuck.weight / unit);
      if (by != 0) return Shift{g, by};
    }
    return std::nullopt;
  }

  bool treat(Cell cell) {
    for (std::size_t j = 0; j < cell.facts.size(); ++j)
      if (cell.high(cell.facts[j]) < 0) return steps_.push_back({"empty", {static_cast<long long>(j)}}), true;
    std::vector<Note<Wide>> notes[2];
    for (int tries = 0; tries < kMostTries; ++tries) {
      const std::size_t before = steps_.size();
      Cell ran = cell;
      Next next = Closed{};
      std::size_t side = 0;
      try {
        for (; side < (task_.goal == Goal::Equal ? 2U : 1U); ++side) {
          kernel::Notes<Wide> given(notes[side]);
          ran.sides[side] = kernel::carry(ran, side == 0 ? task_.a.map : task_.b->map, goals_.inputs(side), given);
          ran.ran[side] = true;
          steps_.push_back({"run", {static_cast<long long>(side)}, notes[side]});
        }
        next = close(ran);
        if (std::holds_alternative<Closed>(next)) return true;
      } catch (const NoForm& stuck) {
        const auto& known = notes[side];
        if (!known.empty() && known.back().stage == stuck.stage && known.back().at == stuck.at) return false;
        next = for_quotient(ran, stuck);
      }
      steps_.resize(before);
      if (const auto* note = std::get_if<Note<Wide>>(&next)) {
        notes[side].push_back(*note);
      } else if (const auto* block = std::get_if<Block>(&next)) {
        apply(cell, {"block", {static_cast<long long>(block->atom), block->size}});
        notes[0].clear(), notes[1].clear();
      } else if (const auto* cut = std::get_if<Cut>(&next)) {
        steps_.push_back({"cut", {static_cast<long long>(cut->atom), cut->at}});
        ++cells_;
        Cell above = cell.cut(cut->atom, cut->at);
        return treat(std::move(cell)) && treat(std::move(above));
      } else {
        if (const auto* shift = std::get_if<Shift>(&next)) shift_ = *shift;
        return false;
      }
    }
    return false;
  }

  [[nodiscard]] bool slots_only() const {
    return task_.goal == Goal::Back || task_.goal == Goal::Identity || task_.goal == Goal::Count ||
           task_.goal == Goal::Apart;
  }

  Next close(Cell& cell) {
    const kernel::Space& box = task_.box != nullptr ? *task_.box : task_.a.physical;
    for (std::size_t j = 0; edges_ && cells_ < most_ && j < cell.sides[0].size(); ++j)
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
    }
    return Stop{};
  }

  void append(const Steps& steps) { steps_.insert(steps_.end(), steps.begin(), steps.end()); }

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
        if (const auto cut = cells_ < most_ ? across(cell, fact, 0) : std::nullopt) return *cut;
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
        if (!slots_only() || cells_ >= most_) return Stop{};
        const auto cut = across(cell, line, low.value < 0 ? Wide(0) : most + 1);
        return cut ? Next(*cut) : Next(Stop{});
      }
      if (cell.low(line) < 0 || cell.high(line) > most) out.notes.push_back({j, 0, false, low.by, high.by, {}, {}, {}});
    }
    steps_.push_back(std::move(out));
    return Closed{};
  }

  // A last step whose notes are found one after the other: `carry` runs a second map, and throws where one is missing.
  Next close_by(const char* name, const Cell& ran, const std::function<void(Cell&, kernel::Notes<Wide>&)>& carry) {
    Step out{name};
    for (int tries = 0; tries < kMostTries; ++tries) {
      Cell cell = ran;
      kernel::Notes<Wide> notes(out.notes);
      try {
        carry(cell, notes);
        steps_.push_back(std::move(out));
        return Closed{};
      } catch (const NoForm& stuck) {
        auto uses = note_of_equations(cell, stuck.line, stuck.stage, stuck.at);
        Next next = uses ? Next(std::move(*uses)) : for_quotient(cell, stuck);
        const auto* note = std::get_if<Note<Wide>>(&next);
        if (note == nullptr) return next;
        out.notes.push_back(*note);
      }
    }
    return Stop{};
  }

  Next close_back(const Cell& ran) {
    return close_by("back", ran, [&](Cell& cell, kernel::Notes<Wide>& notes) {
      Lines slot = cell.sides[0];
      slot.resize(task_.a.physical.rank());
      static_cast<void>(kernel::carry(cell, task_.a.decode->stages, 0, std::move(slot), notes));
    });
  }

  Next close_returns(const Cell& ran) {
    std::optional<Note<Wide>> last;
    Next out = close_by("returns", ran, [&](Cell& cell, kernel::Notes<Wide>& notes) {
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
  kernel::Goals goals_;
  bool divides_, sets_, edges_;
  std::size_t most_;
  Steps steps_;
  std::size_t cells_ = 1;
  std::optional<Shift> shift_;
};

// What an attempt held is given back.
class GivesBack {
 public:
  GivesBack() : bytes_(kernel::work_of_thread.bytes) {}
  GivesBack(const GivesBack&) = delete;
  GivesBack& operator=(const GivesBack&) = delete;
  ~GivesBack() { kernel::work_of_thread.bytes = bytes_; }

 private:
  long long bytes_;
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
    }
    return true;
  } catch (const kernel::Rejected&) {
    return false;
  }
}

std::optional<Steps> find(const Task& task) {
  constexpr std::size_t kCells = 64;
  constexpr long long kSwept = 1 << 20;  // points
  const bool differ = task.goal == Goal::Apart || task.goal == Goal::ReplicasApart || task.goal == Goal::Count;
  std::vector<Mode> modes{{false, 1}, {differ, differ ? 1 : kCells}, {!differ, differ ? kCells : 1}, {true, kCells}};
  if (task.goal == Goal::Back || task.goal == Goal::Identity) modes.push_back({true, kCells, false, true});
  if (task.goal == Goal::Equal) modes.push_back({false, 1, true});
  std::vector<Way> ways;
  try {
    const kernel::Space root = kernel::Goals(task.a, task.b).root();
    if (root.volume() == 0) return Steps{};
    ways = ways_to_group(task, root.rank());
    for (const Mode& mode : modes)
      for (const Way& way : ways) {
        const GivesBack memory;
        try {
          auto found = Finder(task, mode).with(way);
          if (found && holds(task, *found)) return found;
        } catch (const kernel::OverBudget&) {
          throw;
        } catch (const kernel::Rejected&) {  // this way does not lead there
        }
      }
    if (root.volume() <= kSwept) return Steps{{"sweep"}};
  } catch (const kernel::Rejected&) {  // no map, or no work left
  }
  return std::nullopt;
}

}  // namespace vl::engines::cells
