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
std::vector<Stage> behind(std::size_t first, const std::vector<Stage>& stages) {
  std::vector<Stage> out(first);
  out.insert(out.end(), stages.begin(), stages.end());
  return out;
}

// What tells moves apart: a side's slots, and digits of their numbers.
struct Keys {
  std::size_t by = 1;
  std::vector<Stage> digits = {};

  [[nodiscard]] Lines of(Cell<Wide>& cell, const Nest& nest, Notes<Wide>& notes) const {
    Lines out{carry(cell, nest.slots[by], notes)};
    const Lines number{out};
    for (std::size_t c = 0; c < digits.size(); ++c)
      for (Line<Wide>& digit : carry(cell, behind(c, {digits[c]}), c, number, notes)) out.push_back(std::move(digit));
    return out;
  }
};

// The steps in front that say what the keys are; the others are left.
Keys keys_of(std::span<const Step>& steps) {
  require(!steps.empty() && steps[0].name == "keys" && steps[0].numbers.size() == 1 && steps[0].notes.empty(),
          "moves told apart by nothing");
  Keys out{index_at(steps[0], 0), {}};
  for (steps = steps.subspan(1); !steps.empty() && steps[0].name == "digits"; steps = steps.subspan(1)) {
    const std::vector<Wide>& weights = steps[0].numbers;
    charge(weights.size() + 1);
    require(steps[0].notes.empty() && out.digits.size() < 16 &&
                std::ranges::all_of(weights, [](const Wide& weight) { return weight >= 1; }),
            "digits by no weights");
    out.digits.push_back({Stage::Kind::Split, {}, 0, weights});
  }
  return out;
}

// The element that a step names: lines over the atoms that a cell has before its records.
Lines element_of(const Step& step, const Cell<Wide>& cell, std::size_t rank) {
  const std::size_t width = 1 + (cell.records.empty() ? cell.atoms() : cell.records.front().atom);
  require(step.numbers.size() == rank * width, "an element of another tensor, or of other atoms");
  charge(2 * step.numbers.size()), hold(step.numbers.size() * sizeof(Wide));
  Lines out;
  for (auto at = step.numbers.begin(); at != step.numbers.end(); at += static_cast<std::ptrdiff_t>(width))
    out.push_back({*at, {at + 1, at + static_cast<std::ptrdiff_t>(width)}});
  return out;
}

// At each move, `point` is one of the layout's domain, and the slot that it has is number `slot`. Notes count the map's
// stages from `first`.
void place(const Layout& layout, Cell<Wide>& cell, Lines point, const Line<Wide>& slot, Notes<Wide>& notes,
           std::size_t first) {
  require(lies_in(cell, point, layout.map.domain, notes), "an element that may not exist");
  const std::vector<Stage> stages = behind(first, layout.map.stages);
  const Lines outputs = carry(cell, stages, first, std::move(point), notes);
  require(lies_in(cell, outputs, layout.physical, notes), "an element without a slot");
  Line<Wide> off = sum(layout.physical.number(), outputs).plus(slot, -1);
  if (const Note<Wide>* note = notes.take(stages.size(), 0, true))
    off = cell.with_equations(std::move(off), note->below);
  require(off.is_zero(), "a move to or from another slot");
}

// Whether a layout's map looks at an input.
bool reads(const Layout& layout, std::size_t input) {
  charge(layout.map.size + 1);
  const auto is_it = [&](const auto& term) { return term.first == input; };
  const auto names = [&](const Row& row) { return std::ranges::any_of(row.terms, is_it); };
  const std::vector<Stage>& stages = layout.map.stages;
  return stages.empty() || stages[0].kind != Stage::Kind::Affine || std::ranges::any_of(stages[0].rows, names);
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

void Moves::inside(const Steps& steps) const {
  require(!nests_.empty(), "nests that move nothing");
  const Space slots{{}, {layouts_[0]->physical.volume(), layouts_[1]->physical.volume()}};
  if (is_sweep(steps)) {
    for (const auto& [d, s] : moves_of(nests_)) require(slots.contains({s, d}), "a move that leaves");
    return;
  }
  std::span<const Step> left = steps;
  for (const Nest& nest : nests_) {
    Rules asked;
    asked.sides = 0;
    asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
      require(step.name == "inside", "a step that shows something else");
      Notes<Wide> notes(step.notes);
      const Lines walks{carry(cell, nest.slots[0], notes), carry(cell, nest.slots[1], notes)};
      require(lies_in(cell, walks, slots, notes), "a move that may leave");
      notes.end();
    };
    left = replay(left, Cell<Wide>(nest.box), asked);
  }
  require(left.empty(), "a step after the last cell");
}

void Moves::apart(const Steps& steps) const { show(Aim::Apart, steps); }
void Moves::once(const Steps& steps) const { show(Aim::Once, steps); }
void Moves::implement(const Steps& steps) const { show(Aim::Implement, steps); }

// The cell's moves serve the element that the step names.
void Moves::serve(Aim aim, const Nest& nest, const Step& step, Cell<Wide>& cell) const {
  const auto& [from, to] = layouts_;
  const std::size_t replicas = aim == Aim::Implement ? from->replicas().rank() : 0;
  charge(to->map.size + from->map.size);  // copies of their stages
  Lines e = element_of(step, cell, to->map.domain.rank() + replicas);
  const auto of_source = e.end() - static_cast<std::ptrdiff_t>(replicas);
  Notes<Wide> notes(step.notes);
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
void Moves::show(Aim aim, const Steps& steps) const {
  require(!nests_.empty(), "nests that move nothing");
  if (is_sweep(steps)) return walk(aim);
  std::span<const Step> left = steps;
  const Keys keys = keys_of(left);
  const auto& [from, to] = layouts_;
  const bool either = aim == Aim::Implement && from->replicas().rank() + to->replicas().rank() == 0;
  require(keys.by == 1 || (keys.by == 0 && either), "moves told apart by nothing");
  std::vector<std::pair<bool, Ranges>> done;
  Wide served = 0, wanted = 1;
  for (const Nest& nest : nests_) {
    Rules asked;
    asked.numbers = true;
    asked.run = [&](Cell<Wide>& cell, std::size_t, Notes<Wide>& notes) { return keys.of(cell, nest, notes); };
    asked.known = [](const Cell<Wide>& cell) { return std::vector<bool>(cell.atoms(), false); };
    asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>* shown) {
      const bool idle = aim == Aim::Once && step.name == "idle";
      require(idle || step.name == (aim == Aim::Apart ? "serves" : "moves"), "a step that shows something else");
      require(step.name == "moves" || (step.numbers.empty() && step.notes.empty()), "a step with another list");
      Ranges ranges = shown->ranges(cell.sides[0].size());
      charge(done.size());
      for (const auto& [other, theirs] : done)
        if (other || !idle) require_apart(ranges, theirs);
      if (!idle) served += count(cell, *shown, std::vector<bool>(cell.atoms(), false));
      done.emplace_back(!idle, std::move(ranges));
      if (step.name == "moves") serve(aim, nest, step, cell);
    };
    left = replay(left, Cell<Wide>(nest.box), asked);
  }
  require(left.empty(), "a step after the last cell");
  if (aim == Aim::Apart) return;
  for (std::size_t i = 0; i < to->map.domain.rank(); ++i)
    if (reads(*to, i) || (aim == Aim::Implement && i < to->logical && reads(*from, i)))
      wanted = wanted * to->map.domain.extents[i];
  require(served > 0 && served == wanted, "elements that no move serves");
}

// The claims as they stand: every move, and every element with its slots.
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

}  // namespace vl::kernel
