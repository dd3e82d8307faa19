#include "verifier/kernel/claims/moves.h"

#include <algorithm>

#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {
namespace {

using Pair = std::pair<Wide, Wide>;

bool is_sweep(const Steps& steps) {
  return steps.size() == 1 && steps[0].name == "sweep" && steps[0].numbers.empty() && steps[0].notes.empty();
}

void require_work(const Wide& cost) {
  if (cost > work_left()) needs_more_work();  // before anything is done
}

// Stages whose numbers in notes begin at `first`.
template <class S>
std::vector<BasicStage<S>> behind(std::size_t first, const std::vector<BasicStage<S>>& stages) {
  std::vector<BasicStage<S>> out(first);
  out.insert(out.end(), stages.begin(), stages.end());
  return out;
}

}  // namespace

// What tells moves apart: a side's slots, and digits of their numbers.
template <class S>
struct MoveKeys {
  std::size_t by = 1;
  std::vector<BasicStage<S>> digits = {};

  [[nodiscard]] LinesOf<S> of(Cell<S>& cell, const BasicNest<S>& nest, Notes<S>& notes) const {
    LinesOf<S> out{carry(cell, nest.slots[by], notes)};
    const LinesOf<S> number{out};
    for (std::size_t c = 0; c < digits.size(); ++c)
      for (Line<S>& digit : carry(cell, behind<S>(c, {digits[c]}), c, number, notes)) out.push_back(std::move(digit));
    return out;
  }
};

namespace {

// The steps in front that say what the keys are; the others are left.
template <class S>
MoveKeys<S> keys_of(std::span<const BasicStep<S>>& steps) {
  require(!steps.empty() && steps[0].name == "keys" && steps[0].numbers.size() == 1 && steps[0].notes.empty(),
          "moves told apart by nothing");
  MoveKeys<S> out{index_at(steps[0], 0), {}};
  for (steps = steps.subspan(1); !steps.empty() && steps[0].name == "digits"; steps = steps.subspan(1)) {
    const std::vector<S>& weights = steps[0].numbers;  // each is at least 1, or rests lie below it nowhere
    charge(weights.size() + 1);
    for (const S& weight : weights) hold(bytes_of(weight));
    require(steps[0].notes.empty() && out.digits.size() < 16, "digits by no weights");
    out.digits.push_back({BasicStage<S>::Kind::Split, {}, 0, weights});
  }
  return out;
}

// The element that a step names: lines over the atoms that a cell has before its records.
template <class S>
LinesOf<S> element_of(const BasicStep<S>& step, const Cell<S>& cell, std::size_t rank) {
  const std::size_t width = 1 + (cell.records.empty() ? cell.atoms() : cell.records.front().atom);
  require(step.numbers.size() == rank * width, "an element of another tensor, or of other atoms");
  charge(2 * step.numbers.size()), hold(step.numbers.size() * sizeof(S));
  LinesOf<S> out;
  for (auto at = step.numbers.begin(); at != step.numbers.end(); at += static_cast<std::ptrdiff_t>(width))
    out.push_back({*at, {at + 1, at + static_cast<std::ptrdiff_t>(width)}});
  return out;
}

// At each move, `point` is one of the layout's domain, and the slot that it has is number `slot`. Notes count the map's
// stages from `first`.
template <class S>
void place(const BasicLayout<S>& layout, Cell<S>& cell, LinesOf<S> point, const Line<S>& slot, Notes<S>& notes,
           std::size_t first) {
  require(lies_in(cell, point, layout.map.domain, notes), "an element that may not exist");
  const std::vector<BasicStage<S>> stages = behind(first, layout.map.stages);
  const LinesOf<S> outputs = carry(cell, stages, first, std::move(point), notes);
  require(lies_in(cell, outputs, layout.physical, notes), "an element without a slot");
  Line<S> off = sum(layout.physical.number(), outputs).plus(slot, -1);
  if (const Note<S>* note = notes.take(stages.size(), 0, true)) off = cell.with_equations(std::move(off), note->below);
  require(off.is_zero(), "a move to or from another slot");
}

// The inputs at which a layout's map looks.
template <class S>
std::vector<bool> read_by(const BasicLayout<S>& layout) {
  const std::vector<BasicStage<S>>& stages = layout.map.stages;
  const bool all = stages.empty() || stages[0].kind != BasicStage<S>::Kind::Affine;
  std::vector<bool> out(layout.map.domain.rank(), all);
  charge(out.size() + 1);
  for (std::size_t j = 0; !all && j < stages[0].rows.size(); ++j) {
    charge(stages[0].rows[j].terms.size() + 1);
    for (const auto& term : stages[0].rows[j].terms) out[term.first] = true;
  }
  return out;
}

// (number of the slot, number of its element) of all points of a layout that have a slot, ascending, each once.
std::vector<Pair> slots_of(const Layout& layout, bool all) {
  std::vector<Pair> out;
  const Row element = layout.elements().number();
  Evaluator places(layout.map);
  require_work(layout.map.domain.volume() * (cost_of(layout.map) + static_cast<long long>(layout.map.domain.rank())));
  if (layout.map.domain.volume() == 0) return out;
  for_each(layout.map.domain, [&](const Point& p) {
    const Point& outputs = places(p);
    const bool lands = layout.is_slot(outputs, layout.physical);
    require(lands || !all, "an element without a slot");
    charge(element.terms.size() + layout.physical.rank());
    if (lands) keep(out, Pair(layout.number(outputs), Concrete::sum(element, p)));
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// (number written, number read) of all moves, ascending.
std::vector<Pair> moves_of(const std::vector<Nest>& nests) {
  Wide cost = 0;
  for (const Nest& nest : nests) cost += nest.box.volume() * static_cast<long long>(3 * nest.box.rank() + 4);
  require_work(cost);
  std::vector<Pair> out;
  for (const Nest& nest : nests)
    for_each(nest.box, [&](const Point& at) {
      charge(2 * at.size() + 1);
      keep(out, Pair(Concrete::sum(nest.slots[1], at), Concrete::sum(nest.slots[0], at)));
    });
  charge_sorting(out.size());
  std::ranges::sort(out);
  return out;
}

}  // namespace

template <class S>
void BasicMoves<S>::inside(const StepsOf<S>& steps) const {
  require(!nests_.empty(), "nests that move nothing");
  const BasicSpace<S> slots{{}, {layouts_[0]->physical.volume(), layouts_[1]->physical.volume()}};
  if constexpr (std::same_as<S, Wide>)
    if (is_sweep(steps)) {
      for (const auto& [d, s] : moves_of(nests_)) require(slots.contains({s, d}), "a move that leaves");
      return;
    }
  std::span<const BasicStep<S>> left = steps;
  for (const BasicNest<S>& nest : nests_) {
    BasicRules<S> asked;
    asked.sides = 0;
    asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
      require(step.name == "inside", "a step that shows something else");
      Notes<S> notes(step.notes);
      const LinesOf<S> walks{carry(cell, nest.slots[0], notes), carry(cell, nest.slots[1], notes)};
      require(lies_in(cell, walks, slots, notes), "a move that may leave");
      notes.end();
    };
    left = replay(left, Cell<S>(nest.box, given_), asked);
  }
  require(left.empty(), "a step after the last cell");
}

template <class S>
void BasicMoves<S>::held(const StepsOf<S>& steps) const {
  require(!nests_.empty(), "nests that move nothing");
  std::span<const BasicStep<S>> left = steps;
  for (const BasicNest<S>& nest : nests_) {
    BasicRules<S> asked;
    asked.sides = 0, asked.numbers = true;
    asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
      require(step.name == "moves", "a step that shows something else");
      serve(Aim::Held, nest, step, cell);
    };
    left = replay(left, Cell<S>(nest.box, given_), asked);
  }
  require(left.empty(), "a step after the last cell");
}

template <class S>
void BasicMoves<S>::apart(const StepsOf<S>& steps) const {
  static_cast<void>(show(Aim::Apart, steps));
}
template <class S>
S BasicMoves<S>::once(const StepsOf<S>& steps) const {
  return show(Aim::Once, steps);
}
template <class S>
S BasicMoves<S>::implement(const StepsOf<S>& steps) const {
  return show(Aim::Implement, steps);
}

// The cell's moves serve the element that the step names.
template <class S>
void BasicMoves<S>::serve(Aim aim, const BasicNest<S>& nest, const BasicStep<S>& step, Cell<S>& cell) const {
  const auto& [from, to] = layouts_;
  const std::size_t replicas = aim == Aim::Implement ? from->replicas().rank() : 0;
  charge(to->map.size + from->map.size);  // copies of their stages
  LinesOf<S> e = element_of(step, cell, to->map.domain.rank() + replicas);
  const auto of_source = e.end() - static_cast<std::ptrdiff_t>(replicas);
  Notes<S> notes(step.notes);
  place(*to, cell, {e.begin(), of_source}, carry(cell, nest.slots[1], notes), notes, 0);
  if (aim == Aim::Implement) {
    e.erase(e.begin() + static_cast<std::ptrdiff_t>(to->logical), of_source);
    place(*from, cell, std::move(e), carry(cell, nest.slots[0], notes), notes, to->map.stages.size() + 1);
  }
  notes.end();
}

// Cells that serve name the point e = (x, replica of D) of each move, and the number written is that of D(e). Only the
// dimensions that D's map reads matter: in these, moves with different numbers have different e. As many moves serve as
// there are such points, so each point has its move, hence a slot, and no other move writes there. To implement, all
// cells serve, and the number read is that of S(x, replica); dimensions of x that S's map reads also matter. If neither
// side has replicas, the numbers read may distinguish moves: the rest of the argument is the same.
template <class S>
S BasicMoves<S>::show(Aim aim, const StepsOf<S>& steps) const {
  require(!nests_.empty(), "nests that move nothing");
  if constexpr (std::same_as<S, Wide>)
    if (is_sweep(steps)) return walk(aim), 0;
  std::span<const BasicStep<S>> left = steps;
  const MoveKeys<S> keys = keys_of(left);
  const auto& [from, to] = layouts_;
  const bool either = aim == Aim::Implement && from->replicas().rank() + to->replicas().rank() == 0;
  require(keys.by == 1 || (keys.by == 0 && either), "moves told apart by nothing");
  std::vector<std::pair<bool, RangesOf<S>>> done;
  S served = 0, wanted = 1;
  bool serves = false;  // some cell; it has a point
  for (const BasicNest<S>& nest : nests_) {
    BasicRules<S> asked;
    asked.numbers = true;
    asked.run = [&](Cell<S>& cell, std::size_t, Notes<S>& notes) { return keys.of(cell, nest, notes); };
    asked.known = [](const Cell<S>& cell) { return std::vector<bool>(cell.atoms(), false); };
    asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>* shown) {
      const bool idle = aim == Aim::Once && step.name == "idle";
      require(idle || step.name == (aim == Aim::Apart ? "serves" : "moves"), "a step that shows something else");
      require(step.name == "moves" || (step.numbers.empty() && step.notes.empty()), "a step with another list");
      RangesOf<S> ranges = shown->ranges(cell.sides[0].size());
      charge(done.size());
      for (const auto& [other, theirs] : done)
        if (other || !idle) require_apart(ranges, theirs);
      serves = serves || !idle;
      if (!idle) served = served + count(cell, *shown, std::vector<bool>(cell.atoms(), false));
      done.emplace_back(!idle, std::move(ranges));
      if (step.name == "moves") serve(aim, nest, step, cell);
    };
    left = replay(left, Cell<S>(nest.box, given_), asked);
  }
  require(left.empty(), "a step after the last cell");
  if (aim == Aim::Apart) return 0;
  const std::vector<bool> by_to = read_by(*to), by_from = read_by(*from);
  for (std::size_t i = 0; i < to->map.domain.rank(); ++i)
    if (by_to[i] || (aim == Aim::Implement && i < to->logical && by_from[i]))
      wanted = wanted * to->map.domain.extents[i];
  require(serves && (!std::same_as<S, Wide> || served == wanted), "elements that no move serves");
  return wanted - served;
}

// The claims as they stand: every move, and every element with its slots.
template <>
void Moves::walk(Aim aim) const {
  const auto& [from, to] = layouts_;
  const std::vector<Pair> moves = moves_of(nests_);
  if (aim == Aim::Apart)
    return require(std::ranges::adjacent_find(moves, {}, &Pair::first) == moves.end(), "a slot that is written twice");
  const bool once = aim == Aim::Once;
  const std::vector<Pair> wanted = slots_of(*to, true), known = once ? std::vector<Pair>() : slots_of(*from, false);
  require(!wanted.empty(), "the claim says nothing: there is no element");
  std::vector<bool> serves(moves.size(), false);
  for (const auto& [slot, element] : wanted) {
    charge(32LL);  // looking it up
    int times = 0;
    for (auto move = std::ranges::lower_bound(moves, slot, {}, &Pair::first);
         move != moves.end() && move->first == slot; ++move) {
      charge(once ? 1LL : 32LL);
      if (!once && !std::ranges::binary_search(known, Pair(move->second, element))) continue;
      serves[static_cast<std::size_t>(move - moves.begin())] = true;
      ++times;
    }
    require(times == 1, "an element that is not moved once");
  }
  require(once || std::ranges::find(serves, false) == serves.end(), "a move of no element");
}

template class BasicMoves<Wide>;
template void BasicMoves<Polynomial>::inside(const StepsOf<Polynomial>&) const;
template void BasicMoves<Polynomial>::held(const StepsOf<Polynomial>&) const;
template Polynomial BasicMoves<Polynomial>::once(const StepsOf<Polynomial>&) const;
template Polynomial BasicMoves<Polynomial>::implement(const StepsOf<Polynomial>&) const;

}  // namespace vl::kernel
