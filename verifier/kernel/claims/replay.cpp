#include "verifier/kernel/claims/replay.h"

#include <algorithm>

namespace vl::kernel {
namespace {

template <class S>
bool has(const BasicStep<S>& step, std::size_t numbers, std::size_t notes = 0) {
  return step.numbers.size() == numbers && step.notes.size() == notes;
}

// Rewrites a cell; false: the step is something else.
template <class S>
bool rewrite(const BasicStep<S>& step, std::vector<Cell<S>>& cells) {
  const bool two = step.name == "block" || step.name == "shift" || step.name == "cut";
  if (!two && step.name != "fuse") return false;
  const bool counts = step.name == "block" && step.numbers.size() == 3;  // how many blocks there are
  require(has(step, two ? (counts ? 3 : 2) : 1, counts ? step.notes.size() : 0) && step.notes.size() <= 1,
          "a step with another list");
  Cell<S>& cell = cells.back();
  if (step.name == "fuse") cell.fuse(index_at(step, 0));
  if (counts)
    cell.block(index_at(step, 0), step.numbers[1], step.numbers[2],
               step.notes.empty() ? Multiples<S>{} : step.notes[0].below);
  else if (step.name == "block") cell.block(index_at(step, 0), step.numbers[1]);
  if (step.name == "shift") cell.shift(index_at(step, 0), step.numbers[1]);
  if (step.name == "cut") {
    Cell<S> above = cell.cut(index_at(step, 0), step.numbers[1]);
    cells.insert(cells.end() - 1, std::move(above));
  }
  return true;
}

// A step about differences; false: it is something else.
template <class S>
bool peel(const BasicStep<S>& step, Difference<S>& difference) {
  const bool range = step.name == "range", spans = range || !step.notes.empty();
  if (step.name == "open") {
    require(has(step, 1), "a step with another list");
    difference.open(index_at(step, 0));
  } else if (step.name == "mod") {
    const bool named = step.numbers.size() == 3;
    require(has(step, named ? 3 : 2), "a step with another list");
    difference.mod(index_at(step, 0), index_at(step, 1), named ? std::optional(step.numbers[2]) : std::nullopt);
  } else if (range || step.name == "large") {
    const std::size_t named = range ? 1 : 2;
    require(has(step, named + (spans ? 2 : 0), step.notes.size()) && step.notes.size() <= 1,
            "a step with another list");
    std::optional<typename Difference<S>::Span> span;
    if (spans) span = {step.numbers[named], step.numbers[named + 1], {}, {}};
    if (!step.notes.empty()) span->below = step.notes[0].below, span->above = step.notes[0].above;
    if (range) difference.range(index_at(step, 0), *span);
    else difference.large(index_at(step, 0), index_at(step, 1), span);
  } else {
    return false;
  }
  return true;
}

// A fact that holds nowhere: the cell has no point.
template <class S>
void require_empty(const Cell<S>& cell, std::size_t fact) {
  require(fact < cell.facts.size() && is_shown(S(-1) - cell.high(cell.facts[fact])), "a cell that may have a point");
}

// A step that closes the cell.
template <class S>
void close(const BasicStep<S>& step, Cell<S>& cell, const Difference<S>* difference, const BasicRules<S>& rules) {
  if (step.name != "out" || !rules.out) {
    require(step.numbers.empty() || rules.numbers, "a step with another list");
    return rules.close(step, cell, difference);
  }
  const std::size_t j = index_at(step, 0);
  require(j < cell.sides[0].size() && step.numbers.size() == 1 && step.notes.empty() &&
              lies_out(cell, cell.sides[0][j], rules.out(j)),
          "a place that may be a slot");
}

}  // namespace

template <class S>
std::size_t index_at(const BasicStep<S>& step, std::size_t at) {
  require(at < step.numbers.size(), "a step without a number");
  const Wide number = number_of(step.numbers[at]);
  require(number >= 0 && number < 1 << 20, "a step about nothing");
  return static_cast<std::size_t>(number.narrow());
}

template <class S>
void require_apart(const RangesOf<S>& a, const RangesOf<S>& b) {
  charge(2 * a.size() + 1);
  bool apart = false;
  for (std::size_t j = 0; j < a.size(); ++j)
    apart = apart || is_shown(b[j].first - a[j].second - S(1)) || is_shown(a[j].first - b[j].second - S(1));
  require(apart, "two cells that may share slots");
}

template <class S>
void require_apart(const std::vector<RangesOf<S>>& images) {
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t j = i + 1; j < images.size(); ++j) require_apart(images[i], images[j]);
}

template <class S>
bool lies_in(const Cell<S>& cell, const LinesOf<S>& outputs, const BasicSpace<S>& box, Notes<S>& given, bool alone) {
  static const Note<S> nothing;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const S most = j < box.rank() ? box.extents[j] - S(1) : S(0);
    const Note<S>* note = alone ? given.take(j, 0, false) : given.take(kCoordinates, j, false);
    const Note<S>& by = note != nullptr ? *note : nothing;
    if (!cell.is_positive(outputs[j], by.below) || !cell.is_positive(Line<S>{most, {}}.plus(outputs[j], -1), by.above))
      return false;
  }
  if (alone) given.end();
  return true;
}

template <class S>
bool lies_in(const Cell<S>& cell, const LinesOf<S>& outputs, const BasicSpace<S>& box,
             const std::vector<Note<S>>& notes) {
  Notes<S> given(notes);
  return lies_in(cell, outputs, box, given, true);
}

template <class S>
bool lies_out(const Cell<S>& cell, const Line<S>& output, const S& extent) {
  return is_shown(S(-1) - cell.high(output)) || is_shown(cell.low(output) - extent);
}

template <class S>
std::span<const BasicStep<S>> replay(std::type_identity_t<std::span<const BasicStep<S>>> steps, Cell<S> root,
                                     const BasicRules<S>& rules) {
  enter(__FILE__);
  std::vector<Cell<S>> cells;
  cells.push_back(std::move(root));
  std::optional<Difference<S>> difference;
  bool open = false;  // a part of the cell
  for (; !cells.empty(); steps = steps.subspan(1)) {
    charge(8LL);
    require(!steps.empty(), "a cell that is not closed");
    const BasicStep<S>& step = steps.front();
    Cell<S>& cell = cells.back();
    const bool fresh = !difference && !open;
    if (fresh && rewrite(step, cells)) continue;
    if (fresh && step.name == "run") {
      const std::size_t side = index_at(step, 0);
      require(side < rules.sides && !cell.ran[side] && step.numbers.size() == 1, "a run of nothing");
      Notes<S> notes(step.notes);
      cell.sides[side] = rules.run(cell, side, notes);
      notes.end();
      cell.ran[side] = true;
      continue;
    }
    if (fresh && ((step.name == "sweep" && rules.swept) || step.name == "empty")) {
      require(step.notes.empty() && step.numbers.size() == (step.name == "sweep" ? 0U : 1U),
              "a step with another list");
      if (step.name == "sweep") rules.swept(cell);
      else require_empty(cell, index_at(step, 0));
      cells.pop_back();
      continue;
    }
    for (std::size_t side = 0; side < rules.sides; ++side) require(cell.ran[side], "a cell whose maps were not run");
    if (!difference && rules.known) difference.emplace(cell, cell.sides[0], rules.known(cell));
    if (difference && peel(step, *difference)) continue;
    const bool parts = rules.branches && (open || step.name != "out");
    if (parts && (open = rules.branches(step, cell))) continue;
    if (!parts) close(step, cell, difference ? &*difference : nullptr, rules);
    difference.reset();
    cells.pop_back();
  }
  return steps;
}

template std::size_t index_at(const Step&, std::size_t);
template void require_apart(const Ranges&, const Ranges&);
template void require_apart(const std::vector<Ranges>&);
template bool lies_in(const Cell<Wide>&, const Lines&, const Space&, Notes<Wide>&, bool);
template bool lies_in(const Cell<Wide>&, const Lines&, const Space&, const std::vector<Note<Wide>>&);
template bool lies_out(const Cell<Wide>&, const Line<Wide>&, const Wide&);
template std::span<const Step> replay(std::span<const Step>, Cell<Wide>, const Rules&);
template std::size_t index_at(const BasicStep<Polynomial>&, std::size_t);
template void require_apart(const RangesOf<Polynomial>&, const RangesOf<Polynomial>&);
template void require_apart(const std::vector<RangesOf<Polynomial>>&);
template bool lies_in(const Cell<Polynomial>&, const LinesOf<Polynomial>&, const BasicSpace<Polynomial>&,
                      Notes<Polynomial>&, bool);
template bool lies_in(const Cell<Polynomial>&, const LinesOf<Polynomial>&, const BasicSpace<Polynomial>&,
                      const std::vector<Note<Polynomial>>&);
template bool lies_out(const Cell<Polynomial>&, const Line<Polynomial>&, const Polynomial&);
template std::span<const BasicStep<Polynomial>> replay(std::span<const BasicStep<Polynomial>>, Cell<Polynomial>,
                                                       const BasicRules<Polynomial>&);

}  // namespace vl::kernel
