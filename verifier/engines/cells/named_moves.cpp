#include "verifier/engines/cells/named_moves.h"

#include <algorithm>
#include <map>
#include <utility>

#include "verifier/engines/cells/named_inverse.h"

namespace vl::engines::cells {
namespace {

using NamedWeights = std::vector<Polynomial>;
using NamedStages = std::vector<kernel::BasicStage<Polynomial>>;
using NamedSpace = kernel::BasicSpace<Polynomial>;
using NamedLayout = kernel::BasicLayout<Polynomial>;
using NamedRanges = kernel::RangesOf<Polynomial>;

// Dimensions with more than one coordinate, by descending stride.
using NamedStrides = std::vector<std::pair<Polynomial, std::size_t>>;

struct NamedPlan {
  NamedMode mode = NamedMode::Blocks;
  std::size_t by = 1;  // which slot tells moves apart: 0 the one that is read, 1 the one that is written
  std::vector<NamedWeights> digits = {};
  bool joined = false;  // all loops are one
};

// A note that a step lacks, in front of note `at`; behind all of them where that is none.
struct NamedWants {
  NamedNote note;
  std::optional<std::ptrdiff_t> at;
};
class NamedMovesFinder : private NamedSearch {
 public:
  NamedMovesFinder(const NamedMovesTask& task, const Given& given, const NamedStrides& strides, NamedPlan plan)
      : NamedSearch(task.sizes, given, plan.mode), task_(task), strides_(strides), plan_(std::move(plan)) {}

  std::optional<NamedSteps> steps() {
    if (task_.goal == NamedMovesGoal::Implement) {
      steps_.push_back({"keys", {number(plan_.by)}});
      for (const NamedWeights& weights : plan_.digits) steps_.push_back({"digits", weights});
    }
    for (std::size_t n = 0; n < task_.nests.size(); ++n)
      if (!treat(n)) return std::nullopt;
    return std::move(steps_);
  }

 private:
  // Notes of a nest's run, of the division of its host walk, and of its last step.
  enum Part : std::size_t { Keys, Element, Last, Parts };

  bool treat(std::size_t n) {
    NamedCell cell(task_.nests[n].box, given_.facts());
    for (std::size_t loop = 1; plan_.joined && loop < task_.nests[n].box.rank(); ++loop)
      cell.fuse(0), steps_.push_back({"fuse", {0}});
    std::vector<NamedNote> notes[Parts];
    for (int tries = 0; tries < kNamedTries; ++tries) {
      const std::size_t before = steps_.size();
      NamedCell ran = cell, of_element = cell;
      NamedNext next = Stop{};
      try {
        if (task_.goal == NamedMovesGoal::Inside) return close_inside(n, ran, notes[part_ = Last]), true;
        if (task_.goal == NamedMovesGoal::Implement) {
          static_cast<void>(run(n, ran, notes[part_ = Keys]));
          peel(ran, std::vector<bool>(ran.atoms(), false));
        }
        const NamedLines e = element(n, of_element, notes[part_ = Element]);
        close(n, ran, e, notes[part_ = Last]);
        return true;
      } catch (const NamedStuck& stuck) {
        const auto& known = notes[part_];
        if (!known.empty() && known.back().stage == stuck.stage && known.back().at == stuck.at) return false;
        mode_ = plan_.joined && part_ == Last ? NamedMode::Divides : plan_.mode;
        next = for_quotient(part_ == Element ? of_element : ran, stuck);
      } catch (NamedWants& wants) {
        auto& list = notes[part_];
        list.insert(wants.at ? list.begin() + *wants.at : list.end(), std::move(wants.note));
        steps_.resize(before);
        continue;
      } catch (const NamedDeadEnd&) {
        return false;
      }
      steps_.resize(before);
      if (auto* note = std::get_if<NamedNote>(&next)) {
        notes[part_].push_back(std::move(*note));
      } else if (auto* block = std::get_if<NamedBlock>(&next)) {
        apply(cell, *block);
        for (auto& list : notes) list.clear();
      } else {
        return false;
      }
    }
    return false;
  }

  NamedLines run(std::size_t n, NamedCell& ran, const std::vector<NamedNote>& given) {
    NamedNotes notes(given);
    NamedLines keys{kernel::carry(ran, task_.nests[n].slots[plan_.by], notes)};
    const NamedLines slot{keys};
    for (std::size_t c = 0; c < plan_.digits.size(); ++c)
      for (NamedLine& digit : kernel::carry(ran, numbered(c, {split_by(plan_.digits[c])}), c, slot, notes))
        keys.push_back(std::move(digit));
    ran.sides[0] = keys, ran.ran[0] = true;
    steps_.push_back({"run", {0}, given});
    return keys;
  }

  // The coordinates of a nest's elements: the place on the host by one stride after the other.
  NamedLines element(std::size_t n, NamedCell& cell, const std::vector<NamedNote>& given) {
    NamedNotes notes(given);
    if (task_.goal == NamedMovesGoal::Held) return inverse(task_.destination, cell, slot(cell), notes, task_.sizes);
    NamedWeights weights;
    for (const auto& [stride, dim] : strides_) weights.push_back(stride);
    const bool whole = !weights.empty() && weights.back() == Polynomial(1);
    if (!whole) weights.emplace_back(1);
    const NamedLine host = kernel::carry(cell, task_.hosts[n], notes);
    const NamedLines digits =
        kernel::carry(cell, NamedStages{split_by(std::move(weights))}, 0, NamedLines{host}, notes);
    if (!whole && !digits.back().is_zero()) throw NamedDeadEnd{};
    NamedLines out(task_.source.logical);
    for (std::size_t k = 0; k < strides_.size(); ++k) out[strides_[k].second] = digits[k];
    return out;
  }

  // The coordinates of the slot that is written: the loops. Quotients of joined ones are values of their own.
  [[nodiscard]] static NamedLines slot(NamedCell& cell) {
    NamedLines out;
    std::map<std::size_t, NamedLine> made;
    const auto quotient = [&](const NamedLine& number, const Polynomial& weight, std::size_t i) {
      if (const auto known = made.find(i); known != made.end()) return known->second;
      const std::size_t atom = cell.record({number, 0, 0, weight, {}}, {cell.root().volume(), weight});
      return made.emplace(i, NamedLine::atom(atom)).first->second;
    };
    for (std::size_t i = 0; i < cell.root().rank(); ++i)
      out.push_back(cell.of(kernel::BasicRow<Polynomial>{0, {{i, 1}}}, quotient));
    return out;
  }

  // A value of its own below the ratio of two weights, or the extent of a place.
  NamedNext division(const NamedCell& cell, const NamedStuck& stuck) override {
    auto below = shown(cell, stuck.line);
    if (!below || stuck.stage >= task_.destination.map.stages.size()) return Stop{};
    const auto& weights = task_.destination.map.stages[stuck.stage].weights;
    std::vector<Polynomial> ends = task_.destination.physical.extents;
    if (stuck.at > 0 && stuck.at < weights.size())
      if (auto ratio = weights[stuck.at - 1].over(stuck.weight)) ends.insert(ends.begin(), std::move(*ratio));
    for (Polynomial& end : ends)
      if (auto above = shown(cell, NamedLine{stuck.weight * end - 1, {}}.plus(stuck.line, -1)))
        return NamedNote{stuck.stage, stuck.at, false, *below, std::move(*above), {}, Polynomial(0), std::move(end)};
    return Stop{};
  }

  void close_inside(std::size_t n, NamedCell& ran, const std::vector<NamedNote>& given) {
    NamedNotes notes(given);
    NamedLines walks;
    for (const auto& row : task_.nests[n].slots) walks.push_back(kernel::carry(ran, row, notes));
    bound(ran, walks, {{}, {task_.source.physical.volume(), task_.destination.physical.volume()}}, notes, given);
    steps_.push_back({"inside", {}, given});
  }

  void close(std::size_t n, NamedCell& ran, const NamedLines& e, const std::vector<NamedNote>& given) {
    NamedStep out{"moves", {}, given};
    const std::size_t own = ran.records.empty() ? ran.atoms() : ran.records.front().atom;
    for (const NamedLine& line : e) {
      out.numbers.push_back(line.constant);
      for (std::size_t k = 0; k < own; ++k) out.numbers.push_back(line.at(k));
      for (std::size_t k = own; k < line.terms.size(); ++k)
        if (!(line.terms[k] == Polynomial(0))) throw NamedDeadEnd{};
    }
    const NamedLines keys = ran.sides[0];
    NamedNotes notes(given);
    place(task_.destination, ran, e, kernel::carry(ran, task_.nests[n].slots[1], notes), notes, given, 0);
    if (task_.goal == NamedMovesGoal::Held) return steps_.push_back(std::move(out));
    place(task_.source, ran, e, kernel::carry(ran, task_.nests[n].slots[0], notes), notes, given,
          task_.destination.map.stages.size() + 1);
    tell_apart(ran, keys);
    steps_.push_back(std::move(out));
  }

  // As the kernel does it: a point of the layout, the outputs of its map in the box, and their number the slot's.
  void place(const NamedLayout& layout, NamedCell& cell, NamedLines point, const NamedLine& slot, NamedNotes& notes,
             const std::vector<NamedNote>& given, std::size_t first) const {
    bound(cell, point, layout.map.domain, notes, given);
    const NamedLines outputs = kernel::carry(cell, numbered(first, layout.map.stages), first, std::move(point), notes);
    bound(cell, outputs, layout.physical, notes, given);
    NamedLine off = kernel::sum(layout.physical.number(), outputs).plus(slot, -1);
    const std::size_t last = first + layout.map.stages.size();
    if (const NamedNote* note = notes.take(last, 0, true)) off = cell.with_equations(std::move(off), note->below);
    if (off.is_zero()) return;
    auto by = equations_for(cell, off);
    if (!by || by->empty()) throw NamedDeadEnd{};
    throw NamedWants{{last, 0, true, std::move(*by), {}, {}, {}, {}}, {}};
  }

  // The next note is of a line wherever it names that line, also where it is meant for another one: then the line has
  // an own one before it.
  void bound(const NamedCell& cell, const NamedLines& lines, const NamedSpace& box, NamedNotes& notes,
             const std::vector<NamedNote>& given) const {
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const NamedNote none, *taken = notes.take(kernel::kCoordinates, j, false), &by = taken != nullptr ? *taken : none;
      const Polynomial most = j < box.rank() ? box.extents[j] - 1 : Polynomial(0);
      if (cell.is_positive(lines[j], by.below) && cell.is_positive(NamedLine{most, {}}.plus(lines[j], -1), by.above))
        continue;
      auto [holds, below, above] = within(cell, lines[j], most);
      if (!holds) throw NamedDeadEnd{};
      NamedWants wants{{kernel::kCoordinates, j, false, std::move(below), std::move(above), {}, {}, {}}, {}};
      if (taken != nullptr) wants.at = taken - given.data();
      throw wants;
    }
  }

  // Of each nest before, some key lies elsewhere: by the box, or in a range that is named.
  void tell_apart(const NamedCell& ran, const NamedLines& keys) {
    NamedRanges mine;
    for (const NamedLine& key : keys) mine.emplace_back(ran.low(key), ran.high(key));
    for (const NamedRanges& other : done_) {
      const auto apart = [&](std::size_t j) {
        return kernel::is_shown(other[j].first - mine[j].second - 1) ||
               kernel::is_shown(mine[j].first - other[j].second - 1);
      };
      bool found = false;
      for (std::size_t j = 0; j < keys.size() && !found; ++j) found = apart(j);
      for (std::size_t j = 0; j < keys.size() && !found; ++j)
        found = named_range(ran, keys[j], j, mine[j].first, other[j].first - 1, mine[j]) ||
                named_range(ran, keys[j], j, other[j].second + 1, mine[j].second, mine[j]);
      if (!found) ask(mine, other);
    }
    done_.push_back(std::move(mine));
  }

  bool named_range(const NamedCell& ran, const NamedLine& key, std::size_t j, const Polynomial& low,
                   const Polynomial& high, std::pair<Polynomial, Polynomial>& range) {
    auto below = shown(ran, key.plus(NamedLine{low, {}}, -1));
    auto above = below ? shown(ran, NamedLine{high, {}}.plus(key, -1)) : std::nullopt;
    if (!above) return false;
    range = {low, high};
    steps_.push_back({"range", {number(j), low, high}, {{0, 0, false, *below, *above, {}, {}, {}}}});
    return true;
  }

  // The simplest order that would tell two nests apart.
  [[noreturn]] void ask(const NamedRanges& mine, const NamedRanges& other) const {
    std::optional<Polynomial> best;
    for (std::size_t j = 0; j < mine.size(); ++j)
      for (const Polynomial& p : {other[j].first - mine[j].second - 1, mine[j].first - other[j].second - 1})
        if (!sizes_.shows(Polynomial(-1) - p) && (!best || p.terms().size() < best->terms().size())) best = p;
    if (best) static_cast<void>(decides(*best));
    throw NamedDeadEnd{};
  }

  const NamedMovesTask& task_;
  const NamedStrides& strides_;
  NamedPlan plan_;
  Part part_ = Keys;
  std::vector<NamedRanges> done_;
};

// By descending size, where that is known; a last weight of 1.
NamedWeights sorted(NamedWeights weights, const Sizes& sizes) {
  NamedWeights out;
  for (Polynomial& weight : weights) {
    if (std::ranges::find(out, weight) != out.end()) continue;
    auto at = out.end();
    while (at != out.begin() && !sizes.shows(*std::prev(at) - weight)) --at;
    out.insert(at, std::move(weight));
  }
  if (out.empty() || !(out.back() == Polynomial(1))) out.emplace_back(1);
  return out;
}

// The numbers themselves may do; or their digits: by the box of the memory, by the strides of the host, by the steps of
// the nests.
std::vector<std::vector<NamedWeights>> named_digits(const NamedMovesTask& task, std::size_t by,
                                                    const NamedStrides& strides) {
  NamedWeights box, steps;
  const NamedLayout& memory = by == 1 ? task.destination : task.source;
  for (const auto& [dim, weight] : memory.physical.number().terms) box.insert(box.begin(), weight);
  if (by == 0 && memory.physical.rank() == 1) {
    box.clear();
    for (const auto& [stride, dim] : strides) box.push_back(stride);
    if (box.empty() || !(box.back() == Polynomial(1))) box.emplace_back(1);
  }
  for (const auto& nest : task.nests)
    for (const auto& [loop, step] : nest.slots[by].terms) {
      const Polynomial size = kernel::is_shown(step) ? step : Polynomial(0) - step;
      if (kernel::is_shown(size - 1)) steps.push_back(size);
    }
  return {{}, {box}, {sorted(std::move(steps), task.sizes)}};
}

std::optional<NamedSteps> named_attempt(const NamedMovesTask& task, const Given& given, const NamedStrides& strides,
                                        NamedPlan plan) {
  const GivesBack memory;
  try {
    auto found = NamedMovesFinder(task, given, strides, std::move(plan)).steps();
    if (!found) return std::nullopt;
    const kernel::BasicMoves<Polynomial> moves(task.source, task.destination, task.nests, given.facts());
    if (task.goal == NamedMovesGoal::Inside) moves.inside(*found);
    else if (task.goal == NamedMovesGoal::Held) moves.held(*found);
    else static_cast<void>(moves.implement(*found));
    return found;
  } catch (const kernel::OverBudget&) {
    throw;
  } catch (const kernel::Rejected&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<NamedSteps> find(const NamedMovesTask& task) {
  const Given given(task.sizes.given());
  NamedStrides strides;
  const auto& extents = task.source.map.domain.extents;
  for (const auto& [dim, stride] : task.strides.terms) {
    if (task.sizes.shows(Polynomial(1) - extents[dim])) continue;
    auto at = strides.end();
    while (at != strides.begin() && !task.sizes.decides(std::prev(at)->first - stride)) --at;
    strides.insert(at, {stride, dim});
  }
  if (task.goal != NamedMovesGoal::Implement) {
    for (const auto& [mode, joined] : {std::pair(NamedMode::Blocks, false), std::pair(NamedMode::Covers, false),
                                       std::pair(NamedMode::Covers, true), std::pair(NamedMode::Asks, false)})
      if (mode != NamedMode::Covers || task.goal == NamedMovesGoal::Held)
        if (auto found = named_attempt(task, given, strides, {mode, 1, {}, joined})) return found;
    return std::nullopt;
  }
  for (const NamedMode mode : {NamedMode::Blocks, NamedMode::Asks})
    for (const std::size_t by : {1U, 0U})
      for (auto& digits : named_digits(task, by, strides))
        if (auto found = named_attempt(task, given, strides, {mode, by, std::move(digits)})) return found;
  return std::nullopt;
}

}  // namespace vl::engines::cells
