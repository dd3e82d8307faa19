#include "verifier/engines/cells/names.h"

#include <algorithm>
#include <utility>

#include "verifier/engines/cells/named_search.h"

namespace vl::engines::cells {
namespace {

constexpr std::size_t kNamedWays = 12;

class NamedFinder : private NamedSearch {
 public:
  NamedFinder(const NamedTask& task, const Given& given, NamedMode mode)
      : NamedSearch(task.sizes, given, mode), task_(task), goals_(task.a, task.b, given.facts()) {}

  std::optional<NamedSteps> with(const std::vector<std::size_t>& way) {
    shifts_.assign(way.size(), 0);
    for (std::size_t restarts = 0; restarts <= way.size(); ++restarts) {
      steps_.clear(), shift_.reset();
      NamedCell cell(goals_.root(), given_.facts());
      for (std::size_t g = 0; g < way.size(); ++g)
        for (std::size_t i = 1; i < way[g]; ++i) {
          cell.fuse(g);
          steps_.push_back({"fuse", {number(g)}});
        }
      for (std::size_t g = 0; g < way.size(); ++g) {
        const auto own = cell.atoms_of(cell.groups[g]);
        if (shifts_[g] == Polynomial(0) || own.size() != 1) continue;
        cell.shift(own[0], shifts_[g]);
        steps_.push_back({"shift", {number(own[0]), shifts_[g]}});
      }
      if (treat(std::move(cell))) return std::move(steps_);
      if (!shift_) return std::nullopt;
      shifts_[shift_->group] = shift_->by;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t sides() const { return task_.goal == Goal::Equal ? 2 : 1; }

  bool treat(NamedCell cell) {
    std::vector<NamedNote> notes[2];
    if (mode_ == NamedMode::Values) notes[0] = all_values(cell);
    for (int tries = 0; tries < kNamedTries; ++tries) {
      const std::size_t before = steps_.size();
      NamedCell ran = cell;
      NamedNext next = Stop{};
      std::size_t side = 0;
      try {
        for (; side < sides(); ++side) {
          kernel::Notes<Polynomial> given(notes[side]);
          ran.sides[side] = kernel::carry(ran, side == 0 ? task_.a.map : task_.b->map, goals_.inputs(side), given);
          ran.ran[side] = true;
          steps_.push_back({"run", {number(side)}, notes[side]});
        }
        next = close(ran);
        if (std::holds_alternative<Closed>(next)) return true;
      } catch (const NamedStuck& stuck) {
        const auto& known = notes[side];
        if (!known.empty() && known.back().stage == stuck.stage && known.back().at == stuck.at) return false;
        const bool is_last = task_.starts && stuck.stage + 2 == task_.a.map.stages.size();
        if (stuck.weight == Polynomial(0)) next = for_swizzle(ran, stuck);
        else if (!is_last) next = for_quotient(ran, stuck);
        else ask_for_multiples(stuck);
      }
      steps_.resize(before);
      if (auto* note = std::get_if<NamedNote>(&next)) {
        notes[side].push_back(std::move(*note));
      } else if (auto* block = std::get_if<NamedBlock>(&next)) {
        apply(cell, *block);
        notes[0].clear(), notes[1].clear();
      } else {
        if (auto* shift = std::get_if<NamedShift>(&next)) shift_ = std::move(*shift);
        return false;
      }
    }
    return false;
  }

  // Sizes are parted by what the weight leaves of them, until it divides all coefficients or one that is a number.
  void ask_for_multiples(const NamedStuck& stuck) const {
    if (mode_ != NamedMode::Asks) return;
    const auto ask = [&](const Polynomial& p) { static_cast<void>(task_.sizes.rest(p, number_of(stuck.weight))); };
    ask(stuck.line.constant);
    std::ranges::for_each(stuck.line.terms, ask);
  }

  // σ takes the box into itself where it has whole blocks.
  NamedNext for_swizzle(const NamedCell& cell, const NamedStuck& stuck) {
    const auto& stages = task_.a.map.stages;
    if (stuck.stage >= stages.size() || stages[stuck.stage].kind != kernel::BasicStage<Polynomial>::Kind::Swizzle)
      return Stop{};  // a division by 0
    const auto& swizzle = stages[stuck.stage];
    const Polynomial block = 1LL << (swizzle.base + swizzle.bits + (swizzle.up ? swizzle.shift : 0));
    Polynomial extent = task_.a.physical.extents[swizzle.input];
    if (mode_ == NamedMode::Asks && !extent.over(block)) {
      const Polynomial period = 1LL << (swizzle.base + swizzle.bits + swizzle.shift);
      if (task_.goal == Goal::Apart) extent = (task_.sizes.quotient(cell.high(stuck.line), block) + 1) * block;
      else static_cast<void>(task_.sizes.rest(extent, number_of(period)));
    }
    auto below = shown(cell, stuck.line), above = shown(cell, NamedLine{extent - 1, {}}.plus(stuck.line, -1));
    if (!below || !above) return Stop{};
    return NamedNote{stuck.stage, stuck.at, false, std::move(*below), std::move(*above), {}, Polynomial(0), extent};
  }

  // Each digit of side 0 as a value of its own.
  std::vector<NamedNote> all_values(const NamedCell& cell) {
    std::vector<NamedNote> out;
    kernel::BasicMap<Polynomial> map = task_.a.map;
    for (std::size_t s = 0; s < task_.a.map.stages.size(); ++s) {
      const auto& stage = task_.a.map.stages[s];
      for (std::size_t at = 0; at < stage.weights.size(); ++at) {
        map.stages.assign(task_.a.map.stages.begin(), task_.a.map.stages.begin() + static_cast<std::ptrdiff_t>(s) + 1);
        map.stages.back().weights.resize(at);
        map.stages.back().weights.emplace_back(1);
        NamedCell ran = cell;
        kernel::Notes<Polynomial> given(out);
        NamedLine line = kernel::carry(ran, map, goals_.inputs(0), given)[stage.input + at];
        auto next = division(ran, NamedStuck(line, line, 0, stage.weights[at], s, at));
        if (auto* note = std::get_if<NamedNote>(&next)) out.push_back(std::move(*note));
      }
    }
    return out;
  }

  // A value of its own below the extent of a level, or of a place.
  NamedNext division(const NamedCell& cell, const NamedStuck& stuck) override {
    auto below = shown(cell, stuck.line);
    if (!below || stuck.stage >= task_.a.map.stages.size()) return Stop{};
    const auto& weights = task_.a.map.stages[stuck.stage].weights;
    std::vector<Polynomial> ends;
    if (stuck.at > 0 && stuck.at < weights.size())
      if (const auto ratio = weights[stuck.at - 1].over(stuck.weight)) ends.push_back(*ratio);
    ends.insert(ends.end(), task_.ends.begin(), task_.ends.end());
    if (task_.goal == Goal::Apart) ends.push_back(cell.high(stuck.line) + 1);
    std::optional<NamedNote> least;
    for (const Polynomial& end : ends) {
      if (least && !kernel::is_shown(*least->extent - end - 1)) continue;
      if (auto above = shown(cell, NamedLine{stuck.weight * end - 1, {}}.plus(stuck.line, -1)))
        least = {stuck.stage, stuck.at, false, *below, std::move(*above), {}, Polynomial(0), end};
    }
    return least ? NamedNext(std::move(*least)) : NamedNext(Stop{});
  }

  NamedNext close(NamedCell& cell) {
    const auto& box = task_.box != nullptr ? *task_.box : task_.a.physical;
    for (std::size_t j = 0; task_.goal != Goal::In && task_.goal != Goal::Equal && j < cell.sides[0].size(); ++j)
      if (kernel::lies_out(cell, cell.sides[0][j], j < box.rank() ? box.extents[j] : Polynomial(1)))
        return steps_.push_back({"out", {number(j)}}), Closed{};
    switch (task_.goal) {
      case Goal::In: return close_in(cell, box, "in");
      case Goal::Count: {
        peel(cell, kernel::unused(cell, cell.sides[0]));
        return close_in(cell, box, "count");
      }
      case Goal::Apart: {
        peel(cell, std::vector<bool>(cell.atoms(), false));
        steps_.push_back({"apart"});
        return Closed{};
      }
      case Goal::Identity: return close_identity(cell);
      case Goal::Equal: return close_equal(cell);
      default: return Stop{};
    }
  }

  // What is left between the two sides are multiples of equations.
  NamedNext close_identity(NamedCell& cell) {
    const auto& [slot, element] = *task_.a.identity;
    const std::vector<NamedNote> none;
    kernel::Notes<Polynomial> notes(none);
    const NamedLine off = kernel::carry(cell, element, notes).plus(kernel::sum(slot, cell.sides[0]), -1);
    NamedStep out{"id"};
    if (auto by = equations_for(cell, off); !off.is_zero() && by)
      out.notes.push_back({0, 0, true, std::move(*by), {}, {}, {}, {}});
    steps_.push_back(std::move(out));
    return Closed{};
  }

  // With notes about both boxes, where they are in them.
  NamedNext close_equal(const NamedCell& cell) {
    NamedStep out{"eq"};
    for (std::size_t side = 0; side < 2 && !task_.a.named; ++side) {
      const auto& box = side == 0 ? task_.a.physical : task_.b->physical;
      for (std::size_t j = 0; j < cell.sides[side].size(); ++j) {
        auto [holds, below, above] =
            within(cell, cell.sides[side][j], j < box.rank() ? box.extents[j] - 1 : Polynomial(0));
        if (!holds) return steps_.push_back({"eq"}), Closed{};
        out.notes.push_back({kernel::kCoordinates, j, false, std::move(below), std::move(above), {}, {}, {}});
      }
    }
    const auto plain = [](const NamedNote& note) { return note.below.empty() && note.above.empty(); };
    if (std::ranges::all_of(out.notes, plain)) out.notes.clear();
    steps_.push_back(std::move(out));
    return Closed{};
  }

  NamedNext close_in(const NamedCell& cell, const kernel::BasicSpace<Polynomial>& box, const char* name) {
    NamedStep out{name};
    for (std::size_t j = 0; j < cell.sides[0].size(); ++j) {
      auto [holds, below, above] = within(cell, cell.sides[0][j], j < box.rank() ? box.extents[j] - 1 : Polynomial(0));
      if (!holds) return Stop{};
      if (!below.empty() || !above.empty())
        out.notes.push_back({j, 0, false, std::move(below), std::move(above), {}, {}, {}});
    }
    steps_.push_back(std::move(out));
    return Closed{};
  }

  const NamedTask& task_;
  kernel::BasicGoals<Polynomial> goals_;
  std::optional<NamedShift> shift_;
};

bool named_holds(const NamedTask& task, const NamedSteps& steps) {
  const kernel::BasicGoals<Polynomial> goals(task.a, task.b, task.sizes.given());
  switch (task.goal) {
    case Goal::In: goals.in(task.box != nullptr ? *task.box : task.a.physical, steps); break;
    case Goal::Apart: goals.apart(false, steps); break;
    case Goal::Count: static_cast<void>(goals.occupied(steps)); break;
    case Goal::Identity: goals.identity(steps); break;
    case Goal::Equal: goals.equal(steps); break;
    default: return false;
  }
  return true;
}

std::vector<std::vector<std::size_t>> named_ways(std::size_t logical, std::size_t rank) {
  std::uint64_t all = rank == 0 ? 0 : (std::uint64_t{1} << std::min<std::size_t>(rank - 1, 62)) - 1;
  for (const std::size_t end : {logical, rank})
    if (end > 0 && end < 63) all &= ~(std::uint64_t{1} << (end - 1));
  std::vector<std::vector<std::size_t>> out;
  std::uint64_t joined = 0;
  do {
    std::vector<std::size_t> way;
    for (std::size_t i = 0; i < rank; ++i)
      if (i > 0 && i < 63 && (joined >> (i - 1) & 1) != 0) ++way.back();
      else way.push_back(1);
    out.push_back(std::move(way));
    joined = (joined - 1) & all;
  } while (joined != 0 && out.size() < kNamedWays);
  return out;
}

// The steps of one attempt; nothing where it leads nowhere.
std::optional<NamedSteps> named_attempt(const NamedTask& task, const Given& given, NamedMode mode,
                                        const std::vector<std::size_t>& way) {
  const GivesBack memory;
  try {
    auto found = NamedFinder(task, given, mode).with(way);
    if (found && named_holds(task, *found)) return found;
  } catch (const kernel::OverBudget&) {
    throw;
  } catch (const kernel::Rejected&) {
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedSteps> find(const NamedTask& task) {
  const Given given(task.sizes.given());
  const auto ways = named_ways(task.a.logical, kernel::BasicGoals<Polynomial>(task.a, task.b).root().rank());
  for (const NamedMode mode : {NamedMode::Blocks, NamedMode::Divides, NamedMode::Values, NamedMode::Asks})
    for (const auto& way : ways) {
      if (mode != NamedMode::Asks && &way != ways.data() && (mode != NamedMode::Blocks || &way != &ways[1])) break;
      if (auto found = named_attempt(task, given, mode, way)) return found;
    }
  return std::nullopt;
}

}  // namespace vl::engines::cells
