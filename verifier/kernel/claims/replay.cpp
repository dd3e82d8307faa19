#include "verifier/kernel/claims/replay.h"

#include <algorithm>

namespace vl::kernel {
namespace {

// Rewrites a cell; false: the step is something else.
bool rewrite(const Step& step, std::vector<Cell<Wide>>& cells) {
  const bool two = step.name == "block" || step.name == "shift" || step.name == "cut";
  if (!two && step.name != "fuse") return false;
  require(step.numbers.size() == (two ? 2 : 1) && step.notes.empty(), "a step with another list");
  Cell<Wide>& cell = cells.back();
  if (step.name == "fuse") cell.fuse(index_at(step, 0));
  if (step.name == "block") cell.block(index_at(step, 0), step.numbers[1]);
  if (step.name == "shift") cell.shift(index_at(step, 0), step.numbers[1]);
  if (step.name == "cut") {
    Cell<Wide> above = cell.cut(index_at(step, 0), step.numbers[1]);
    cells.insert(cells.end() - 1, std::move(above));
  }
  return true;
}

// A step about differences; false: it is something else.
bool peel(const Step& step, Difference<Wide>& difference) {
  if (step.name == "open") {
    require(step.numbers.size() == 1 && step.notes.empty(), "a step with another list");
    return difference.open(index_at(step, 0)), true;
  }
  if (step.name == "mod") {
    require(step.numbers.size() == 2 && step.notes.empty(), "a step with another list");
    return difference.mod(index_at(step, 0), index_at(step, 1)), true;
  }
  const bool range = step.name == "range";
  if (!range && step.name != "large") return false;
  const std::size_t named = range ? 1 : 2, numbers = named + (range || !step.notes.empty() ? 2 : 0);
  require(step.numbers.size() == numbers && step.notes.size() <= 1, "a step with another list");
  if (numbers == named) return difference.large(index_at(step, 0), index_at(step, 1), {}), true;
  Difference<Wide>::Span span{step.numbers[named], step.numbers[named + 1], {}, {}};
  if (!step.notes.empty()) span.below = step.notes[0].below, span.above = step.notes[0].above;
  if (range) difference.range(index_at(step, 0), span);
  else difference.large(index_at(step, 0), index_at(step, 1), span);
  return true;
}

// A fact that holds nowhere: the cell has no point.
void require_empty(const Cell<Wide>& cell, std::size_t fact) {
  require(fact < cell.facts.size() && cell.high(cell.facts[fact]) < 0, "a cell that may have a point");
}

// A step that closes the cell.
void close(const Step& step, Cell<Wide>& cell, const Difference<Wide>* difference, const Rules& rules) {
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

std::size_t index_at(const Step& step, std::size_t at) {
  require(at < step.numbers.size(), "a step without a number");
  require(step.numbers[at] >= 0 && step.numbers[at] < 1 << 20, "a step about nothing");
  return static_cast<std::size_t>(step.numbers[at].narrow());
}

void require_apart(const Ranges& a, const Ranges& b) {
  charge(2 * a.size() + 1);
  bool apart = false;
  for (std::size_t j = 0; j < a.size(); ++j) apart = apart || a[j].second < b[j].first || b[j].second < a[j].first;
  require(apart, "two cells that may share slots");
}

void require_apart(const std::vector<Ranges>& images) {
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t j = i + 1; j < images.size(); ++j) require_apart(images[i], images[j]);
}

bool lies_in(const Cell<Wide>& cell, const Lines& outputs, const Space& box, Notes<Wide>& given, bool alone) {
  static const Note<Wide> nothing;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const Wide most = j < box.rank() ? box.extents[j] - 1 : Wide(0);
    const Note<Wide>* note = alone ? given.take(j, 0, false) : given.take(kCoordinates, j, false);
    const Note<Wide>& by = note != nullptr ? *note : nothing;
    if (!cell.is_positive(outputs[j], by.below) ||
        !cell.is_positive(Line<Wide>{most, {}}.plus(outputs[j], -1), by.above))
      return false;
  }
  if (alone) given.end();
  return true;
}

bool lies_in(const Cell<Wide>& cell, const Lines& outputs, const Space& box, const std::vector<Note<Wide>>& notes) {
  Notes<Wide> given(notes);
  return lies_in(cell, outputs, box, given, true);
}

bool lies_out(const Cell<Wide>& cell, const Line<Wide>& output, const Wide& extent) {
  return cell.high(output) < 0 || cell.low(output) >= extent;
}

std::span<const Step> replay(std::span<const Step> steps, Cell<Wide> root, const Rules& rules) {
  std::vector<Cell<Wide>> cells;
  cells.push_back(std::move(root));
  std::optional<Difference<Wide>> difference;
  bool open = false;  // a part of the cell
  for (; !cells.empty(); steps = steps.subspan(1)) {
    charge(8LL);
    require(!steps.empty(), "a cell that is not closed");
    const Step& step = steps.front();
    Cell<Wide>& cell = cells.back();
    const bool fresh = !difference && !open;
    if (fresh && rewrite(step, cells)) continue;
    if (fresh && step.name == "run") {
      const std::size_t side = index_at(step, 0);
      require(side < rules.sides && !cell.ran[side] && step.numbers.size() == 1, "a run of nothing");
      Notes<Wide> notes(step.notes);
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

}  // namespace vl::kernel
