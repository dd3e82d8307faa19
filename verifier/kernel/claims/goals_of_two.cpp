// Goals about two layouts over the same elements.
#include <algorithm>

#include "verifier/kernel/claims/goals.h"
#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {
// Whether every point has a slot in both, without names for axes.
template <class S>
bool BasicGoals<S>::have_slots(const Cell<S>& cell, Notes<S>& notes) const {
  return !layouts_[0]->named && lies_in(cell, cell.sides[0], layouts_[0]->physical, notes) &&
         lies_in(cell, cell.sides[1], layouts_[1]->physical, notes);
}

// What two layouts are compared by: coordinates by axis, without guards; else the slot's number where everything has a
// slot, else all outputs.
template <class S>
LinesOf<S> BasicGoals<S>::places(const Cell<S>& cell, std::size_t side, bool slots) const {
  const BasicLayout<S>& layout = *layouts_[side];
  const LinesOf<S>& values = cell.sides[side];
  if (layout.named) {
    LinesOf<S> out(axes_.size());
    charge(axes_.size() * (values.size() + 1));
    for (std::size_t j = 0; j < values.size(); ++j) {
      require(j < layout.physical.rank() || values[j].is_zero(), "a guard that is not 0");
      if (j < layout.physical.rank())
        out[static_cast<std::size_t>(std::ranges::find(axes_, layout.physical.names[j]) - axes_.begin())] = values[j];
    }
    return out;
  }
  if (slots) return {sum(layout.physical.number(), values)};
  require(
      layouts_[0]->physical.extents == layouts_[1]->physical.extents && cell.sides[0].size() == cell.sides[1].size(),
      "slots that cannot be compared");
  return values;
}

template <class S>
std::vector<Point> BasicGoals<S>::places_at(std::size_t side, const Point& element, bool slots) const {
  const BasicLayout<S>& layout = *layouts_[side];
  std::vector<Point> out;
  const long long held = work_of_thread.bytes;
  charge(4 * (layout.map.domain.rank() + 1));
  for_each(layout.replicas(), [&](const Point& replica) {
    Point p(element.begin(), element.begin() + static_cast<std::ptrdiff_t>(layout.logical));
    p.insert(p.end(), replica.begin(), replica.end());
    const Point place = evaluate(layout.map, std::move(p));
    charge((axes_.size() + 1) * (place.size() + 1));
    if (slots && !layout.is_slot(place, layout.physical)) return;
    if (layout.named) {
      Point named(axes_.size(), 0);
      for (std::size_t j = 0; j < place.size(); ++j)
        named[static_cast<std::size_t>(std::ranges::find(axes_, layout.physical.names[j]) - axes_.begin())] = place[j];
      keep(out, std::move(named), sizeof(Point) + 16 + axes_.size() * sizeof(Wide));
    } else if (layout.is_slot(place, layout.physical)) {
      keep(out, Point{layout.number(place)}, sizeof(Point) + 16 + sizeof(Wide));
    }
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  release(held - work_of_thread.bytes);  // whoever asked compares them, and keeps none
  return out;
}

// The atoms of groups of replicas; records are of neither.
template <class S>
std::vector<bool> BasicGoals<S>::atoms_of_replicas(const Cell<S>& cell) const {
  std::vector<bool> out(cell.atoms(), true);
  for (const Group<S>& group : cell.groups)
    if (group.first < layouts_[0]->logical)
      for (const std::size_t k : cell.atoms_of(group)) out[k] = false;
  for (const Record<S>& one : cell.records) {
    out[one.atom] = false;
    if (one.divides()) out[one.atom + 1] = false;
  }
  return out;
}

// Of values that are sums of what depends on the element and of what depends on the replica, the first parts are equal
// as lines, and the places of element 0 decide the rest. One swizzle of both sides is a bijection of both and is taken
// off first.
template <class S>
void BasicGoals<S>::sets(Cell<S>& cell) const {
  const BasicLayout<S>&a = *layouts_[0], &b = *layouts_[1];
  for (const Group<S>& group : cell.groups)
    require(cell.is_whole(group) && (group.first >= a.logical || group.first + group.dims <= a.logical),
            "elements of a part, or with replicas");
  require(a.named || (lies_in(cell, cell.sides[0], a.physical, {}) && lies_in(cell, cell.sides[1], b.physical, {})),
          "replicas without slots");
  LinesOf<S> of_a = places(cell, 0, !a.named), of_b = places(cell, 1, !a.named);
  const std::vector<bool> of_replicas = atoms_of_replicas(cell);
  const auto swizzled = [&](const Line<S>& line) {
    return std::ranges::find_if(cell.records, [&](const Record<S>& one) {
      return !one.divides() && line == Line<S>{one.from, {}}.plus(cell.value(one.atom));
    });
  };
  const auto same = [&](const Line<S>& x, const Line<S>& y) {
    Line<S> difference = x.plus(y, -1);
    difference.constant = 0;
    for (std::size_t k = 0; k < difference.terms.size(); ++k)
      if (of_replicas[k]) difference.terms[k] = 0;
    return difference.is_zero();
  };
  const auto plain = [&](const Line<S>& line) {
    return std::ranges::all_of(cell.records, [&](const Record<S>& one) {
      return line.at(one.atom) == 0 && (!one.divides() || line.at(one.atom + 1) == 0);
    });
  };
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto in_a = swizzled(of_a[i]), in_b = swizzled(of_b[i]);
    if (in_a != cell.records.end() && in_b != cell.records.end() && in_a->swizzle.same_swizzle(in_b->swizzle)) {
      const Line<S> inner = in_b->inner;
      of_a[i] = in_a->inner, of_b[i] = inner;
    }
    require(plain(of_a[i]) && plain(of_b[i]), "a value without a form, of element and replica together");
    require(same(of_a[i], of_b[i]), "an element with different places");
  }
  const Point zero(a.logical, 0);
  for (const BasicLayout<S>* layout : layouts_)
    require(layout->replicas().volume() <= 1 << 16, "too many replicas to list");
  require(places_at(0, zero) == places_at(1, zero), "the first element has different places");
}

template <class S>
void BasicGoals<S>::equal(const StepsOf<S>& steps) const {
  const BasicLayout<S>& a = *layouts_[0];
  require(layouts_[1] != nullptr, "nothing to compare with");
  const BasicLayout<S>& b = *layouts_[1];
  require(a.elements().extents == b.elements().extents && a.named == b.named, "two layouts of different tensors");
  require(is_shown(root_.volume() - S(1)), "nothing to compare");
  BasicRules<S> asked = rules(2);
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
    if constexpr (std::same_as<S, Wide>)
      if (step.name == "sets") return require(step.notes.empty(), "a step with another list"), sets(cell);
    require(step.name == "eq", "a step that shows something else");
    Notes<S> notes(step.notes);
    const bool slots = have_slots(cell, notes);
    const LinesOf<S> of_a = places(cell, 0, slots), of_b = places(cell, 1, slots);
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      Line<S> difference = of_a[i].plus(of_b[i], -1);
      if (const Note<S>* note = notes.take(i, 0, true))
        difference = cell.with_equations(std::move(difference), note->below);
      require(difference.is_zero(), "an element with different places");
    }
    notes.end();
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      for (const Group<S>& group : cell.groups)
        require(group.first < a.logical ? group.first + group.dims <= a.logical : cell.is_whole(group),
                "replicas of a part");
      const Wide cost = a.replicas().volume() * cost_of(a.map) + b.replicas().volume() * cost_of(b.map);
      sweep(cell, cost, [&](const Point& p) {
        if (std::any_of(p.begin() + static_cast<std::ptrdiff_t>(a.logical), p.end(), [](Wide r) { return r != 0; }))
          return;
        require(places_at(0, p) == places_at(1, p), "an element with different places");
      });
    };
  show(steps, asked);
}

template <class S>
void BasicGoals<S>::returns(const BasicSpace<S>& box, const StepsOf<S>& steps) const {
  const BasicLayout<S>& a = *layouts_[0];
  require(layouts_[1] != nullptr, "nothing to return with");
  const BasicLayout<S>& b = *layouts_[1];
  require(a.replicas().volume() == S(1) && a.map.outputs == b.logical && b.map.outputs == box.rank() &&
              is_shown(root_.volume() - S(1)),
          "a second layout that does not read the first one's places");
  const BasicRow<S> number = a.elements().number(), slot = box.number();
  const std::size_t rank = a.map.domain.rank();
  BasicRules<S> asked = rules(1);
  asked.close = [&](const BasicStep<S>& step, Cell<S>& cell, const Difference<S>*) {
    require(step.name == "returns", "a step that shows something else");
    LinesOf<S> values = cell.sides[0];
    require(lies_in(cell, values, b.elements(), {}), "a place outside the second layout's tensor");
    Notes<S> notes(step.notes);
    for (std::size_t i = rank; i < root_.rank(); ++i) values.push_back(carry(cell, Row{0, {{i, 1}}}, notes));
    values = carry(cell, b.map.stages, 0, std::move(values), notes);
    require(lies_in(cell, values, box, {}), "a number that may be no slot");
    Line<S> difference = sum(slot, values).plus(carry(cell, number, notes), -1);
    if (const Note<S>* note = notes.take(b.map.stages.size(), 0, true))
      difference = cell.with_equations(std::move(difference), note->below);
    notes.end();
    require(difference.is_zero(), "an element that is not taken back");
  };
  if constexpr (std::same_as<S, Wide>)
    asked.swept = [&](const Cell<S>& cell) {
      sweep(cell, cost_of(a.map) + cost_of(b.map), [&](const Point& p) {
        const auto replica = p.begin() + static_cast<std::ptrdiff_t>(rank);
        Point place = evaluate(a.map, Point(p.begin(), replica));
        require(b.elements().contains(place), "a place outside the second layout's tensor");
        place.insert(place.end(), replica, p.end());
        place = evaluate(b.map, std::move(place));
        require(box.contains(place) && Concrete::sum(slot, place) == Concrete::sum(number, p),
                "an element that is not taken back");
      });
    };
  show(steps, asked);
}

template std::vector<Point> Goals::places_at(std::size_t, const Point&, bool) const;
template Lines Goals::places(const Cell<Wide>&, std::size_t, bool) const;
template void Goals::equal(const Steps&) const;
template void Goals::returns(const Space&, const Steps&) const;
template void BasicGoals<Polynomial>::equal(const StepsOf<Polynomial>&) const;

}  // namespace vl::kernel
