#include "verifier/kernel/claims/goals.h"

#include <algorithm>

#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {

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

// A box without points has no cell, and nothing to show.
void Goals::show(const Steps& steps, const Rules& rules) const {
  const auto left = root_.volume() > 0 ? replay(steps, Cell<Wide>(root_), rules) : std::span<const Step>(steps);
  require(left.empty(), "a step after the last cell");
}

Rules Goals::rules(std::size_t sides) const {
  Rules out;
  out.sides = sides;
  out.run = [this](Cell<Wide>& cell, std::size_t side, Notes<Wide>& notes) {
    return carry(cell, layouts_[side]->map, inputs_[side], notes);
  };
  return out;
}

// Nothing is said of points without a slot.
Rules Goals::rules_of_slots() const {
  Rules out = rules(1);
  out.out = [this](std::size_t j) {
    const Space& box = layouts_[0]->physical;
    return j < box.rank() ? box.extents[j] : Wide(1);
  };
  return out;
}

void Goals::in(const Space& box, const Steps& steps) const {
  const Layout& layout = *layouts_[0];
  Rules asked = rules(1);
  asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
    require(step.name == "in" && lies_in(cell, cell.sides[0], box, step.notes), "a place that may be no slot");
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Evaluator place(layout.map);
    sweep(cell, cost_of(layout.map),
          [&](const Point& p) { require(layout.is_slot(place(p), box), "an element without a slot"); });
  };
  show(steps, asked);
}

// The slots of a cell's points, with the element in front where only its own replicas count; sorted.
Ranges Goals::slots(const Cell<Wide>& cell, bool by_element, Ranges& image) const {
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
  Rules asked = rules_of_slots();
  asked.known = [&](const Cell<Wide>& cell) {
    std::vector<bool> out(cell.atoms(), false);
    for (const Group<Wide>& group : cell.groups)
      for (const std::size_t k : cell.atoms_of(group)) out[k] = replicas_only && group.first < layouts_[0]->logical;
    return out;
  };
  asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>* shown) {
    require(step.name == "apart" && step.notes.empty(), "a step that shows something else");
    for (const Group<Wide>& group : cell.groups) {
      const bool mixed = group.first < layouts_[0]->logical && group.first + group.dims > layouts_[0]->logical;
      require(!replicas_only || !mixed, "an element and a replica together");
      for (const std::size_t k : cell.atoms_of(group))
        require(shown->is_known(k), "two points may have the same place");
    }
    images.push_back(shown->ranges(cell.sides[0].size()));
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Ranges image;
    const auto seen = slots(cell, replicas_only, image);
    require(std::ranges::adjacent_find(seen) == seen.end(), "two elements in one slot");
    if (!seen.empty()) images.push_back(std::move(image));
  };
  show(steps, asked);
  require_apart(images);
}

Wide Goals::occupied(const Steps& steps) const {
  std::vector<Ranges> images;
  Wide out = 0;
  Rules asked = rules_of_slots();
  asked.known = [](const Cell<Wide>& cell) { return unused(cell, cell.sides[0]); };
  asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>* shown) {
    require((step.name == "count" || step.name == "reach") &&
                lies_in(cell, cell.sides[0], layouts_[0]->physical, step.notes),
            "a place that may be no slot");
    out += step.name == "reach" ? reach(cell, cell.sides[0]) : count(cell, *shown, unused(cell, cell.sides[0]));
    images.push_back(shown->ranges(cell.sides[0].size()));
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Ranges image;
    auto seen = slots(cell, false, image);
    out += static_cast<long long>(std::unique(seen.begin(), seen.end()) - seen.begin());
    if (!seen.empty()) images.push_back(std::move(image));
  };
  show(steps, asked);
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
  Rules asked = rules_of_slots();
  asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
    require(step.name == "back", "a step that shows something else");
    decode(step, cell);
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Evaluator place(layout.map), element(*layout.decode);
    sweep(cell, cost_of(layout.map) + cost_of(*layout.decode), [&](const Point& p) {
      Point slot = place(p);
      if (!layout.is_slot(slot, layout.physical)) return;
      slot.resize(layout.physical.rank());
      const Point& back = element(slot);
      for (std::size_t i = 0; i < back.size(); ++i)
        require(back[i] == (i < p.size() ? p[i] : Wide(0)), "a place that does not decode to its element");
    });
  };
  show(steps, asked);
}

void Goals::identity(const Steps& steps) const {
  const Layout& layout = *layouts_[0];
  require(layout.identity.has_value(), "no identity is stated");
  const Row& slot = layout.identity->first;  // no binding: clang 14 captures none
  const Row& element = layout.identity->second;
  Rules asked = rules_of_slots();
  asked.close = [&](const Step& step, Cell<Wide>& cell, const Difference<Wide>*) {
    require(step.name == "id", "a step that shows something else");
    Notes<Wide> notes(step.notes);
    Line<Wide> difference = carry(cell, element, notes).plus(sum(slot, cell.sides[0]), -1);
    if (const Note<Wide>* note = notes.take(0, 0, true))
      difference = cell.with_equations(std::move(difference), note->below);
    notes.end();
    require(difference.is_zero(), "two sides of an identity that differ");
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Evaluator place(layout.map);
    sweep(cell, cost_of(layout.map) + 8, [&](const Point& p) {
      const Point& at = place(p);
      require(!layout.is_slot(at, layout.physical) || Concrete::sum(slot, at) == Concrete::sum(element, p),
              "two sides of an identity that differ");
    });
  };
  show(steps, asked);
}

void Goals::defined(const Steps& steps) const {
  const Map& map = layouts_[0]->map;
  Rules asked = rules(1);
  asked.close = [](const Step& step, Cell<Wide>&, const Difference<Wide>*) {
    require(step.name == "defined" && step.notes.empty(), "a step that shows something else");
  };
  asked.swept = [&](const Cell<Wide>& cell) {
    Evaluator place(map);
    sweep(cell, cost_of(map), [&](const Point& p) { static_cast<void>(place(p)); });
  };
  show(steps, asked);
}

}  // namespace vl::kernel
