#include "verifier/kernel/claims/goals.h"

#include <algorithm>

#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {

template <class S>
BasicGoals<S>::BasicGoals(const BasicLayout<S>& a, const BasicLayout<S>* b, std::vector<S> given)
    : layouts_{&a, b}, root_(a.map.domain), given_(std::move(given)) {
  enter(__FILE__);
  charge(8 * (a.map.domain.rank() + (b == nullptr ? 0 : b->map.domain.rank())));
  for (std::size_t i = 0; i < root_.rank(); ++i) inputs_[0].push_back(i);
  // Names: replicas of as many are compared one by one.
  const bool shares = !std::same_as<S, Wide> && b != nullptr && a.replicas().extents == b->replicas().extents;
  for (std::size_t i = 0; b != nullptr && i < b->map.domain.rank(); ++i) {
    inputs_[1].push_back(i < b->logical ? i : shares ? a.logical + i - b->logical : root_.rank());
    if (i < b->logical || shares) continue;
    root_.names.push_back(b->map.domain.names[i]);
    root_.extents.push_back(b->map.domain.extents[i]);
  }
  for (const BasicLayout<S>* layout : layouts_)
    for (std::size_t j = 0; layout != nullptr && layout->named && j < layout->physical.rank(); ++j) {
      charge(axes_.size() + 1);
      if (std::ranges::find(axes_, layout->physical.names[j]) == axes_.end())
        axes_.push_back(layout->physical.names[j]);
    }
}

// A box without points has no cell, and nothing to show.
template <class S>
void BasicGoals<S>::show(const StepsOf<S>& steps, const BasicRules<S>& rules) const {
  std::span<const BasicStep<S>> left = steps;
  if (!(root_.volume() == S(0))) left = replay(left, Cell<S>(root_, given_), rules);
  require(left.empty(), "a step after the last cell");
}

template <class S>
BasicRules<S> BasicGoals<S>::rules(std::size_t sides) const {
  BasicRules<S> out;
  out.sides = sides;
  out.run = [this](Cell<S>& cell, std::size_t side, Notes<S>& notes) {
    return carry(cell, layouts_[side]->map, inputs_[side], notes);
  };
  return out;
}

// Nothing is said of points without a slot.
template <class S>
BasicRules<S> BasicGoals<S>::rules_of_slots() const {
  BasicRules<S> out = rules(1);
  out.out = [this](std::size_t j) {
    const BasicSpace<S>& box = layouts_[0]->physical;
    return j < box.rank() ? box.extents[j] : S(1);
  };
  return out;
}

template <class S>
void BasicGoals<S>::in(const BasicSpace<S>& box, const StepsOf<S>& steps) const {
  const BasicLayout<S>& layout = *layouts_[0];
  BasicRules<S> asked = rules(1);
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
    require(step.name == "in" && lies_in(cell, cell.sides[0], box, step.notes), "a place that may be no slot");
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      Evaluator place(layout.map);
      sweep(cell, cost_of(layout.map),
            [&](const Point& p) { require(layout.is_slot(place(p), box), "an element without a slot"); });
    };
  show(steps, asked);
}

// The slots of a cell's points, with the element in front where only its own replicas count; sorted.
template <class S>
RangesOf<S> BasicGoals<S>::slots(const Cell<S>& cell, bool by_element, RangesOf<S>& image) const {
  const BasicLayout<S>& layout = *layouts_[0];
  const BasicRow<S> element = by_element ? layout.elements().number() : Row{};
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

template <class S>
void BasicGoals<S>::apart(bool replicas_only, const StepsOf<S>& steps) const {
  std::vector<RangesOf<S>> images;
  BasicRules<S> asked = rules_of_slots();
  asked.known = [&](const Cell<S>& cell) {
    std::vector<bool> out(cell.atoms(), false);
    for (const Group<S>& group : cell.groups)
      for (const std::size_t k : cell.atoms_of(group)) out[k] = replicas_only && group.first < layouts_[0]->logical;
    return out;
  };
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>* shown) {
    require(step.name == "apart" && step.notes.empty(), "a step that shows something else");
    for (const Group<S>& group : cell.groups) {
      const bool mixed = group.first < layouts_[0]->logical && group.first + group.dims > layouts_[0]->logical;
      require(!replicas_only || !mixed, "an element and a replica together");
      for (const std::size_t k : cell.atoms_of(group))
        require(shown->is_known(k), "two points may have the same place");
    }
    images.push_back(shown->ranges(cell.sides[0].size()));
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      RangesOf<S> image;
      const auto seen = slots(cell, replicas_only, image);
      require(std::ranges::adjacent_find(seen) == seen.end(), "two elements in one slot");
      if (!seen.empty()) images.push_back(std::move(image));
    };
  show(steps, asked);
  require_apart(images);
}

template <class S>
S BasicGoals<S>::occupied(const StepsOf<S>& steps) const {
  std::vector<RangesOf<S>> images;
  S out = 0;
  BasicRules<S> asked = rules_of_slots();
  asked.known = [](const Cell<S>& cell) { return unused(cell, cell.sides[0]); };
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>* shown) {
    const bool reaches = std::same_as<S, Wide> && step.name == "reach";
    require((reaches || step.name == "count") && lies_in(cell, cell.sides[0], layouts_[0]->physical, step.notes),
            "a place that may be no slot");
    if (!reaches) out = out + count(cell, *shown, unused(cell, cell.sides[0]));
    else if constexpr (std::same_as<S, Wide>) out = out + reach(cell, cell.sides[0]);
    images.push_back(shown->ranges(cell.sides[0].size()));
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      RangesOf<S> image;
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
template <class S>
void BasicGoals<S>::decode(const BasicStep<S>& step, Cell<S>& cell) const {
  const BasicLayout<S>& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  LinesOf<S> slot = cell.sides[0];
  slot.resize(layout.physical.rank());
  Notes<S> notes(step.notes);
  const LinesOf<S> back = carry(cell, layout.decode->stages, 0, std::move(slot), notes);
  notes.end();
  for (std::size_t j = root_.rank(); j < back.size(); ++j) require(back[j].is_zero(), "a guard that is not 0");
  for (const Group<S>& group : cell.groups) {
    Line<S> number;
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const Line<S> below = Line<S>{root_.extents[i] - S(1), {}}.plus(back[i], -1);
      require(group.dims == 1 || (cell.is_positive(back[i]) && cell.is_positive(below)),
              "a coordinate out of its range");
      number = Line<S>{}.plus(number, root_.extents[i]).add(back[i], 1);
    }
    require(number == group.number, "a place that does not decode to its element");
  }
}

template <class S>
void BasicGoals<S>::back(const StepsOf<S>& steps) const {
  const BasicLayout<S>& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  BasicRules<S> asked = rules_of_slots();
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
    require(step.name == "back", "a step that shows something else");
    decode(step, cell);
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
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

template <class S>
void BasicGoals<S>::identity(const StepsOf<S>& steps) const {
  const BasicLayout<S>& layout = *layouts_[0];
  require(layout.identity.has_value(), "no identity is stated");
  const BasicRow<S>& slot = layout.identity->first;  // no binding: clang 14 captures none
  const BasicRow<S>& element = layout.identity->second;
  BasicRules<S> asked = rules_of_slots();
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
    require(step.name == "id", "a step that shows something else");
    Notes<S> notes(step.notes);
    Line<S> difference = carry(cell, element, notes).plus(sum(slot, cell.sides[0]), -1);
    if (const Note<S>* note = notes.take(0, 0, true))
      difference = cell.with_equations(std::move(difference), note->below);
    notes.end();
    require(difference.is_zero(), "two sides of an identity that differ");
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      Evaluator place(layout.map);
      sweep(cell, cost_of(layout.map) + 8, [&](const Point& p) {
        const Point& at = place(p);
        require(!layout.is_slot(at, layout.physical) || Concrete::sum(slot, at) == Concrete::sum(element, p),
                "two sides of an identity that differ");
      });
    };
  show(steps, asked);
}

template <class S>
void BasicGoals<S>::defined(const StepsOf<S>& steps) const {
  const BasicMap<S>& map = layouts_[0]->map;
  BasicRules<S> asked = rules(1);
  asked.close = [](const BasicStep<S>& step, Cell<S>&, const Difference<S>*) {
    require(step.name == "defined" && step.notes.empty(), "a step that shows something else");
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      Evaluator place(map);
      sweep(cell, cost_of(map), [&](const Point& p) { static_cast<void>(place(p)); });
    };
  show(steps, asked);
}

template BasicGoals<Wide>::BasicGoals(const Layout&, const Layout*, std::vector<Wide>);
template void BasicGoals<Wide>::show(const Steps&, const BasicRules<Wide>&) const;
template BasicRules<Wide> BasicGoals<Wide>::rules(std::size_t) const;
template BasicRules<Wide> BasicGoals<Wide>::rules_of_slots() const;
template void BasicGoals<Wide>::in(const Space&, const Steps&) const;
template void BasicGoals<Wide>::apart(bool, const Steps&) const;
template Wide BasicGoals<Wide>::occupied(const Steps&) const;
template void BasicGoals<Wide>::back(const Steps&) const;
template void BasicGoals<Wide>::identity(const Steps&) const;
template void BasicGoals<Wide>::defined(const Steps&) const;
template BasicGoals<Polynomial>::BasicGoals(const BasicLayout<Polynomial>&, const BasicLayout<Polynomial>*,
                                            std::vector<Polynomial>);
template void BasicGoals<Polynomial>::show(const StepsOf<Polynomial>&, const BasicRules<Polynomial>&) const;
template BasicRules<Polynomial> BasicGoals<Polynomial>::rules(std::size_t) const;
template BasicRules<Polynomial> BasicGoals<Polynomial>::rules_of_slots() const;
template void BasicGoals<Polynomial>::in(const BasicSpace<Polynomial>&, const StepsOf<Polynomial>&) const;
template void BasicGoals<Polynomial>::apart(bool, const StepsOf<Polynomial>&) const;
template Polynomial BasicGoals<Polynomial>::occupied(const StepsOf<Polynomial>&) const;
template void BasicGoals<Polynomial>::back(const StepsOf<Polynomial>&) const;
template void BasicGoals<Polynomial>::identity(const StepsOf<Polynomial>&) const;
template void BasicGoals<Polynomial>::defined(const StepsOf<Polynomial>&) const;

}  // namespace vl::kernel
