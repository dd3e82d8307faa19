// Questions about two layouts over the same elements, or in one buffer.
#include <algorithm>
#include <array>

#include "verifier/checker/kernel.h"
#include "verifier/checker/linear.h"
#include "verifier/checker/propositional.h"
#include "verifier/checker/questions.h"

namespace vl::checker {
namespace {

// A point in a list: the vector, and its numbers where they lie.
long long point_bytes(std::size_t rank) { return static_cast<long long>(sizeof(Point) + 16 + rank * sizeof(Wide)); }

}  // namespace

std::vector<Form> Questions::by_axis(std::size_t side, const std::vector<Form>& values) const {
  std::vector<Form> out(axes_.size());
  charge(axes_.size() * (values.size() + 1));
  for (std::size_t j = 0; j < values.size(); ++j)
    out[static_cast<std::size_t>(std::ranges::find(axes_, layouts_[side]->physical.names[j]) - axes_.begin())] =
        values[j];
  return out;
}

// What two layouts are compared by: coordinates by axis; else the slot's number where everything has a slot, else all
// outputs.
std::vector<Form> Questions::places(std::size_t side) {
  const Layout& layout = *layouts_[side];
  const std::vector<Form>& values = outputs(side);
  if (layout.named) return by_axis(side, values);
  if (!land(0, layouts_[0]->physical) || !land(1, layouts_[1]->physical)) {
    require(layouts_[0]->physical.extents == layouts_[1]->physical.extents && outputs(0).size() == outputs(1).size(),
            "slots that cannot be compared");
    return values;
  }
  return {forms().sum(layout.physical.number(), values)};
}

std::vector<Point> Questions::places_at(std::size_t side, const Point& element) const {
  const Layout& layout = *layouts_[side];
  std::vector<Point> out;
  const long long held = work_of_thread.bytes;
  charge(4 * (layout.map.domain.rank() + 1));  // a box of the replicas
  for_each(layout.replicas(), [&](const Point& replica) {
    Point p = element;
    p.insert(p.end(), replica.begin(), replica.end());
    const Point place = evaluate(layout.map, std::move(p));
    if (layout.named) {
      charge(axes_.size() * (place.size() + 1));
      Point named(axes_.size(), 0);
      for (std::size_t j = 0; j < place.size(); ++j)
        named[static_cast<std::size_t>(std::ranges::find(axes_, layout.physical.names[j]) - axes_.begin())] = place[j];
      keep(out, std::move(named), point_bytes(axes_.size()));
    } else if (layout.is_slot(place, layout.physical)) {
      keep(out, Point{layout.number(place)}, point_bytes(1));
    }
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  release(held - work_of_thread.bytes);  // whoever asked compares them, and keeps none
  return out;
}

// Of values that are sums of what depends on the element and of what depends on the replica, the latter become 0, and
// the values of element 0 decide the rest. One swizzle of both sides is a bijection of both and is taken off first.
void Questions::unmixed(std::vector<Form>& a, std::vector<Form>& b) {
  require(cell_.empty(), "replicas in pieces, the first of which lacks the first element");
  const auto alone = [&](const Form& form) -> std::optional<std::size_t> {
    std::optional<std::size_t> out;
    for (std::size_t k = 0; k < form.terms.size(); ++k)
      if (form.terms[k] != 0) {
        if (out || k < forms().digits() || form.terms[k] != 1) return {};
        out = k;
      }
    return out;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto in_a = alone(a[i]), in_b = alone(b[i]);
    if (!in_a || !in_b || !forms().swizzle_of(*in_a).same_swizzle(forms().swizzle_of(*in_b))) continue;
    require(a[i].constant - forms().low(*in_a) == b[i].constant - forms().low(*in_b),
            "swizzled values that are moved apart");
    a[i] = *forms().inside(*in_a);
    b[i] = *forms().inside(*in_b);
  }
  const std::size_t elements = forms().atoms_of(layouts_[0]->logical);
  for (std::vector<Form>* side : {&a, &b})
    for (Form& form : *side)
      for (std::size_t k = elements; k < form.terms.size(); ++k) {
        require(k < forms().digits() || form.terms[k] == 0, "a swizzle of element and replica together");
        form.terms[k] = 0;
      }
  for (std::size_t i = 0; i < a.size(); ++i) a[i].constant = b[i].constant = 0;  // compared in the places of element 0
  const Point zero(layouts_[0]->logical, 0);
  for (const Layout* layout : layouts_) require(layout->replicas().volume() <= 1 << 16, "too many replicas to list");
  require(places_at(0, zero) == places_at(1, zero), "the first element has different places");
}

void Questions::same_places() {
  const Layout& a = *layouts_[0];
  const Layout& b = *layouts_[1];
  require(a.elements().extents == b.elements().extents && a.named == b.named, "two layouts of different tensors");
  require(box_.volume() > 0, "nothing to compare");
  for_all(
      &Evidence::differs, a.elements(), {Obligation::Differs, &a, &b, &a.physical},
      [&] {
        std::vector<Form> in_a = places(0), in_b = places(1);
        if (in_a == in_b) return;  // the replicas are none, or all in one place
        require(a.named || (land(0, a.physical) && land(1, b.physical)), "replicas without slots");
        unmixed(in_a, in_b);
        require(in_a == in_b, "an element with different places");
      },
      [&](const Point& x) { require(places_at(0, x) == places_at(1, x), "an element with different places"); },
      [](Questions& piece) { piece.same_places(); });
}

void Questions::takes_back() {
  const Layout& a = *layouts_[0];
  const Layout& b = *layouts_[1];
  const Space& box = b.filled ? *b.filled : b.physical;
  require(a.replicas().volume() == 1 && a.map.outputs == b.logical && b.map.outputs == box.rank() && box_.volume() > 0,
          "a second layout that does not read the first one's places");
  const Row number = a.elements().number(), slot = box.number();
  for_all(
      &Evidence::differs, box_, {Obligation::Differs, nullptr, nullptr, nullptr},
      [&] {
        std::vector<Form> values = outputs(0);
        require(land(0, b.elements()), "a place outside the second layout's tensor");
        for (std::size_t i = a.map.domain.rank(); i < box_.rank(); ++i) values.push_back(forms().of({0, {{i, 1}}}));
        values = run(b.map.stages, std::move(values), forms());
        for (std::size_t j = 0; j < values.size(); ++j)
          require(forms().range(values[j]).low >= 0 && forms().range(values[j]).high < box.extents[j],
                  "a number that may be no slot");
        require(forms().sum(slot, values) == forms().of(number), "an element that is not taken back");
      },
      [&](const Point& p) {
        const auto replica = p.begin() + static_cast<std::ptrdiff_t>(a.map.domain.rank());
        Point place = evaluate(a.map, Point(p.begin(), replica));
        require(b.elements().contains(place), "a place outside the second layout's tensor");
        place.insert(place.end(), replica, p.end());
        place = evaluate(b.map, std::move(place));
        require(box.contains(place) && Concrete::sum(slot, place) == Concrete::sum(number, p),
                "an element that is not taken back");
      },
      [](Questions& piece) { piece.takes_back(); });
}

Questions::Equations Questions::meeting(Wide at) {
  std::array<std::vector<Form>, 2> at_axes;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<Form> values = outputs(side);
    at_axes[side] = layouts_[side]->named ? by_axis(side, values)
                                          : std::vector{forms().sum(layouts_[side]->physical.number(), values)};
  }
  Equations out;
  for (std::size_t i = 0; i < at_axes[0].size(); ++i) {
    const bool memory = !layouts_[0]->named || axes_[i] == "m";
    out.right.push_back(at_axes[1][i].constant - at_axes[0][i].constant + (memory ? at : Wide(0)));
    out.rows.emplace_back();
    charge(2 * forms().atoms()), hold(static_cast<long long>(forms().atoms() * sizeof(Wide)));
    for (std::size_t k = 0; k < forms().atoms(); ++k)
      out.rows.back().push_back(at_axes[0][i].at(k) - at_axes[1][i].at(k));
  }
  for (std::size_t k = 0; k < forms().atoms(); ++k) out.extents.push_back(forms().extent(k));
  return out;
}

// Elements without a slot have no place; what is shown of all outcomes holds of those that are slots. Opaque atoms are
// taken for free coordinates, which makes it no easier. The walk is over each layout's own points.
void Questions::never_meet(Wide at) {
  const auto proof = take(evidence_->overlaps);
  require(layouts_[0]->named == layouts_[1]->named, "places with names and places without");
  if (const auto* equations = std::get_if<ByNoSolution>(&proof)) {
    const Equations made = meeting(at);
    return check_no_solution(made.rows, made.right, made.extents, equations->proof);
  }
  std::vector<Point> places;
  for (std::size_t side = 0; side < 2; ++side) {
    const Layout& layout = *layouts_[side];
    Evaluator evaluate(layout.map);
    std::vector<Point> own;
    walk(layout.map.domain, layout.map, [&](const Point& p) {
      const Point& outputs = evaluate(p);
      if (!layout.is_slot(outputs, layout.physical)) return;
      charge(layout.named ? axes_.size() * (outputs.size() + 1) : layout.physical.rank());
      Point place(layout.named ? axes_.size() : 1, 0);
      if (!layout.named) place[0] = layout.number(outputs) + (side == 1 ? at : Wide(0));
      for (std::size_t j = 0; layout.named && j < outputs.size(); ++j) {
        const auto axis = std::ranges::find(axes_, layout.physical.names[j]) - axes_.begin();
        place[static_cast<std::size_t>(axis)] = outputs[j];
      }
      const long long bytes = point_bytes(place.size());
      keep(own, std::move(place), bytes);
    });
    for (Point& place : own)
      for (std::size_t k = 0; layout.named && side == 1 && k < axes_.size(); ++k)
        if (axes_[k] == "m") place[k] += at;
    charge_sorting(own.size());
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (Point& place : own) {
      const long long bytes = point_bytes(place.size());
      keep(places, std::move(place), bytes);
    }
  }
  charge_sorting(places.size());
  std::ranges::sort(places);
  require(std::ranges::adjacent_find(places) == places.end(), "two elements in one place");
}

}  // namespace vl::checker
