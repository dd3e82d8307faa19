#include "verifier/kernel/claims/goals.h"

#include <algorithm>

#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {
namespace {

using Lines = std::vector<Line<Wide>>;
using Ranges = std::vector<std::pair<Wide, Wide>>;  // of outputs, lowest and highest

std::size_t index(const Step& step, std::size_t at) {
  require(at < step.numbers.size(), "a step without a number");
  require(step.numbers[at] >= 0 && step.numbers[at] < 1 << 20, "a step about nothing");
  return static_cast<std::size_t>(step.numbers[at].narrow());
}

// Rewrites a cell; false: the step is something else.
bool rewrite(const Step& step, std::vector<Cell<Wide>>& cells) {
  const bool two = step.name == "block" || step.name == "shift" || step.name == "cut";
  if (!two && step.name != "fuse") return false;
  require(step.numbers.size() == (two ? 2 : 1) && step.notes.empty(), "a step with another list");
  Cell<Wide>& cell = cells.back();
  if (step.name == "fuse") cell.fuse(index(step, 0));
  if (step.name == "block") cell.block(index(step, 0), step.numbers[1]);
  if (step.name == "shift") cell.shift(index(step, 0), step.numbers[1]);
  if (step.name == "cut") {
    Cell<Wide> above = cell.cut(index(step, 0), step.numbers[1]);
    cells.insert(cells.end() - 1, std::move(above));
  }
  return true;
}

// A step about differences; false: it is something else.
bool peel(const Step& step, Difference<Wide>& difference) {
  if (step.name == "open") {
    require(step.numbers.size() == 1 && step.notes.empty(), "a step with another list");
    return difference.open(index(step, 0)), true;
  }
  if (step.name == "mod") {
    require(step.numbers.size() == 2 && step.notes.empty(), "a step with another list");
    return difference.mod(index(step, 0), index(step, 1)), true;
  }
  if (step.name != "large") return false;
  require(step.numbers.size() == (step.notes.empty() ? 2U : 4U) && step.notes.size() <= 1, "a step with another list");
  if (step.notes.empty()) return difference.large(index(step, 0), index(step, 1), {}), true;
  const auto& [below, above] = std::pair(step.notes[0].below, step.notes[0].above);
  difference.large(index(step, 0), index(step, 1),
                   Difference<Wide>::Span{step.numbers[2], step.numbers[3], below, above});
  return true;
}

// Images of cells are apart where some output has no value in common.
void require_apart(const std::vector<Ranges>& images) {
  for (const auto& a : images)
    for (const auto* b = &a + 1; b != images.data() + images.size(); ++b) {
      charge(2 * a.size() + 1);
      bool apart = false;
      for (std::size_t j = 0; j < a.size(); ++j)
        apart = apart || a[j].second < (*b)[j].first || (*b)[j].second < a[j].first;
      require(apart, "two cells that may share slots");
    }
}

// A fact that holds nowhere: the cell has no point.
void require_empty(const Cell<Wide>& cell, std::size_t fact) {
  require(fact < cell.facts.size() && cell.high(cell.facts[fact]) < 0, "a cell that may have a point");
}

Ranges ranges(const Cell<Wide>& cell, const Lines& outputs) {
  Ranges out;
  hold(outputs.size() * 2 * sizeof(Wide));
  for (const Line<Wide>& line : outputs) out.emplace_back(cell.low(line), cell.high(line));
  return out;
}

}  // namespace

bool lies_in(const Cell<Wide>& cell, const Lines& outputs, const Space& box, const std::vector<Note<Wide>>& notes) {
  static const Note<Wide> nothing;
  Notes<Wide> given(notes);
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const Wide most = j < box.rank() ? box.extents[j] - 1 : Wide(0);
    const Note<Wide>* note = given.take(j, 0, false);
    const Note<Wide>& by = note != nullptr ? *note : nothing;
    if (!cell.is_positive(outputs[j], by.below) ||
        !cell.is_positive(Line<Wide>{most, {}}.plus(outputs[j], -1), by.above))
      return false;
  }
  given.end();
  return true;
}

bool lies_out(const Cell<Wide>& cell, const Line<Wide>& output, const Wide& extent) {
  return cell.high(output) < 0 || cell.low(output) >= extent;
}

Goals::Goals(const Layout& a, const Layout* b) : layouts_{&a, b}, root_(a.map.domain) {
  charge(8 * (a.map.domain.rank() + (b == nullptr ? 0 : b->map.domain.rank())));
  for (std::size_t i = 0; i < root_.rank(); ++i) inputs_[0].push_back(i);
  for (std::size_t i = 0; b != nullptr && i < b->map.domain.rank(); ++i) {
    inputs_[1].push_back(i < b->logical ? i : root_.rank());
    if (i < b->logical) continue;
    root_.names.push_back(b->map.domain.names[i]);
    root_.extents.push_back(b->map.domain.extents[i]);
  }
  for (const Layout* layout : layouts_)
    for (std::size_t j = 0; layout != nullptr && layout->named && j < layout->physical.rank(); ++j) {
      charge(axes_.size() + 1);
      if (std::ranges::find(axes_, layout->physical.names[j]) == axes_.end())
        axes_.push_back(layout->physical.names[j]);
    }
}

void Goals::replay(const Steps& steps, const Rules& rules, const Close& close, const Swept& swept) const {
  std::vector<Cell<Wide>> cells;
  if (root_.volume() > 0) cells.emplace_back(root_);  // a box without points has no cell, and nothing to show
  std::optional<Difference<Wide>> difference;
  for (const Step& step : steps) {
    charge(8LL);
    require(!cells.empty(), "a step after the last cell");
    Cell<Wide>& cell = cells.back();
    if (!difference && rewrite(step, cells)) continue;
    if (!difference && step.name == "run") {
      const std::size_t side = index(step, 0);
      require(side < (rules.both ? 2U : 1U) && layouts_[side] != nullptr && !cell.ran[side] && step.numbers.size() == 1,
              "a run of nothing");
      Notes<Wide> notes(step.notes);
      cell.sides[side] = carry(cell, layouts_[side]->map, inputs_[side], notes);
      notes.end();
      cell.ran[side] = true;
      continue;
    }
    if (!difference && (step.name == "sweep" || step.name == "empty")) {
      require(step.notes.empty() && step.numbers.size() == (step.name == "sweep" ? 0U : 1U),
              "a step with another list");
      if (step.name == "sweep") swept(cell);
      else require_empty(cell, index(step, 0));
      cells.pop_back();
      continue;
    }
    require(cell.ran[0] && (layouts_[1] == nullptr || !rules.both || cell.ran[1]), "a cell whose maps were not run");
    if (!difference && !rules.known.empty()) {
      std::vector<bool> from_start(cell.atoms(), false);
      for (const Group<Wide>& group : cell.groups)
        for (const std::size_t k : cell.atoms_of(group)) from_start[k] = rules.known[group.first];
      difference.emplace(cell, cell.sides[0], from_start);
    }
    if (!difference && rules.counts) difference.emplace(cell, cell.sides[0], unused(cell, cell.sides[0]));
    if (difference && peel(step, *difference)) continue;
    if (step.name == "out" && rules.slots_only) {
      const std::size_t j = index(step, 0);
      const Space& box = layouts_[0]->physical;
      require(j < cell.sides[0].size() && step.numbers.size() == 1 && step.notes.empty() &&
                  lies_out(cell, cell.sides[0][j], j < box.rank() ? box.extents[j] : Wide(1)),
              "a place that may be a slot");
    } else {
      require(step.numbers.empty(), "a step with another list");
      close(step, cell, difference ? &*difference : nullptr);
    }
    difference.reset();
    cells.pop_back();
  }
  require(cells.empty(), "a cell that is not closed");
}

void Goals::in(const Space& box, const Steps& steps) const {
  const Layout& layout = *layouts_[0];
  replay(
      steps, {},
      [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
        require(step.name == "in" && lies_in(cell, cell.sides[0], box, step.notes), "a place that may be no slot");
      },
      [&](const Cell<Wide>& cell) {
        Evaluator place(layout.map);
        sweep(cell, cost_of(layout.map),
              [&](const Point& p) { require(layout.is_slot(place(p), box), "an element without a slot"); });
      });
}

// The slots of a cell's points, with the element in front where only its own replicas count; sorted.
Goals::Ranges Goals::slots(const Cell<Wide>& cell, bool by_element, Ranges& image) const {
  const Layout& layout = *layouts_[0];
  const Row element = by_element ? layout.elements().number() : Row{};
  std::vector<std::pair<Wide, Wide>> out;
  Evaluator places(layout.map);
  sweep(cell, cost_of(layout.map) + 8, [&](const Point& p) {
    const Point& place = places(p);
    if (!layout.is_slot(place, layout.physical)) return;
    charge(element.terms.size() + place.size());
    for (std::size_t j = 0; j < place.size(); ++j) {
      if (image.size() <= j) image.emplace_back(place[j], place[j]);
      image[j] = {std::min(image[j].first, place[j]), std::max(image[j].second, place[j])};
    }
    keep(out, std::pair(Concrete::sum(element, p), layout.number(place)));
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  return out;
}

void Goals::apart(bool replicas_only, const Steps& steps) const {
  std::vector<Ranges> images;
  std::vector<bool> known(root_.rank() + 1, false);
  if (replicas_only) std::fill_n(known.begin(), layouts_[0]->logical, true);
  replay(
      steps, {known, false, true, true},
      [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>* shown) {
        require(step.name == "apart" && step.notes.empty(), "a step that shows something else");
        for (const Group<Wide>& group : cell.groups) {
          const bool mixed = group.first < layouts_[0]->logical && group.first + group.dims > layouts_[0]->logical;
          require(!replicas_only || !mixed, "an element and a replica together");
          for (const std::size_t k : cell.atoms_of(group))
            require(shown->is_known(k), "two points may have the same place");
        }
        images.push_back(ranges(cell, cell.sides[0]));
      },
      [&](const Cell<Wide>& cell) {
        Ranges image;
        const auto seen = slots(cell, replicas_only, image);
        require(std::ranges::adjacent_find(seen) == seen.end(), "two elements in one slot");
        if (!seen.empty()) images.push_back(std::move(image));
      });
  require_apart(images);
}

Wide Goals::occupied(const Steps& steps) const {
  std::vector<Ranges> images;
  Wide out = 0;
  replay(
      steps, {{}, true, true, true},
      [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>* shown) {
        require((step.name == "count" || step.name == "reach") &&
                    lies_in(cell, cell.sides[0], layouts_[0]->physical, step.notes),
                "a place that may be no slot");
        out += step.name == "reach" ? reach(cell, cell.sides[0]) : count(cell, *shown, unused(cell, cell.sides[0]));
        images.push_back(ranges(cell, cell.sides[0]));
      },
      [&](const Cell<Wide>& cell) {
        Ranges image;
        auto seen = slots(cell, false, image);
        out += static_cast<long long>(std::unique(seen.begin(), seen.end()) - seen.begin());
        if (!seen.empty()) images.push_back(std::move(image));
      });
  require_apart(images);
  return out;
}

// Of a group of several coordinates those that come back have the group's number, and each lies in its range: a number
// has one row-major form.
void Goals::decode(const Step& step, Cell<Wide>& cell) const {
  const Layout& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  Lines slot = cell.sides[0];
  slot.resize(layout.physical.rank());
  Notes<Wide> notes(step.notes);
  const Lines back = carry(cell, layout.decode->stages, 0, std::move(slot), notes);
  notes.end();
  for (std::size_t j = root_.rank(); j < back.size(); ++j) require(back[j].is_zero(), "a guard that is not 0");
  for (const Group<Wide>& group : cell.groups) {
    Line<Wide> number;
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const Line<Wide> below = Line<Wide>{root_.extents[i] - 1, {}}.plus(back[i], -1);
      require(group.dims == 1 || (cell.is_positive(back[i]) && cell.is_positive(below)),
              "a coordinate out of its range");
      number = Line<Wide>{}.plus(number, root_.extents[i]).add(back[i], 1);
    }
    require(number == group.number, "a place that does not decode to its element");
  }
}

void Goals::back(const Steps& steps) const {
  const Layout& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  replay(
      steps, {{}, false, true, true},
      [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
        require(step.name == "back", "a step that shows something else");
        decode(step, cell);
      },
      [&](const Cell<Wide>& cell) {
        Evaluator place(layout.map), element(*layout.decode);
        sweep(cell, cost_of(layout.map) + cost_of(*layout.decode), [&](const Point& p) {
          Point slot = place(p);
          if (!layout.is_slot(slot, layout.physical)) return;
          slot.resize(layout.physical.rank());
          const Point& back = element(slot);
          for (std::size_t i = 0; i < back.size(); ++i)
            require(back[i] == (i < p.size() ? p[i] : Wide(0)), "a place that does not decode to its element");
        });
      });
}

void Goals::identity(const Steps& steps) const {
  const Layout& layout = *layouts_[0];
  require(layout.identity.has_value(), "no identity is stated");
  const Row& slot = layout.identity->first;  // no binding: clang 14 captures none
  const Row& element = layout.identity->second;
  replay(
      steps, {{}, false, true, true},
      [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
        require(step.name == "id", "a step that shows something else");
        Notes<Wide> notes(step.notes);
        Line<Wide> difference = carry(cell, element, notes).plus(sum(slot, cell.sides[0]), -1);
        if (const Note<Wide>* note = notes.take(0, 0, true))
          difference = cell.with_equations(std::move(difference), note->below);
        notes.end();
        require(difference.is_zero(), "two sides of an identity that differ");
      },
      [&](const Cell<Wide>& cell) {
        Evaluator place(layout.map);
        sweep(cell, cost_of(layout.map) + 8, [&](const Point& p) {
          const Point& at = place(p);
          require(!layout.is_slot(at, layout.physical) || Concrete::sum(slot, at) == Concrete::sum(element, p),
                  "two sides of an identity that differ");
        });
      });
}

void Goals::defined(const Steps& steps) const {
  const Map& map = layouts_[0]->map;
  replay(
      steps, {},
      [](const Step& step, Cell<Wide>&, const Difference<Wide>*) {
        require(step.name == "defined" && step.notes.empty(), "a step that shows something else");
      },
      [&](const Cell<Wide>& cell) {
        Evaluator place(map);
        sweep(cell, cost_of(map), [&](const Point& p) { static_cast<void>(place(p)); });
      });
}

}  // namespace vl::kernel
