#include "verifier/checker/questions.h"

#include <algorithm>
#include <array>

#include "verifier/checker/linear.h"
#include "verifier/checker/propositional.h"

namespace vl::checker {
namespace {

constexpr long long kWalk = 1 << 22;  // some 200 MB of places
constexpr long long kCost = 1 << 29;  // a few seconds

Space part(const Space& space, std::size_t first, std::size_t end) {
  Space out;
  out.names.assign(space.names.begin() + static_cast<std::ptrdiff_t>(first),
                   space.names.begin() + static_cast<std::ptrdiff_t>(end));
  out.extents.assign(space.extents.begin() + static_cast<std::ptrdiff_t>(first),
                     space.extents.begin() + static_cast<std::ptrdiff_t>(end));
  return out;
}

template <class Visit>
void walk(const Space& box, const Map& map, Visit visit) {
  require(box.volume() <= kWalk && box.volume() * map.size <= kCost, "too many points to walk over");
  if (box.volume() > 0) for_each(box, visit);
}

}  // namespace

Space Layout::elements() const { return part(map.domain, 0, logical); }
Space Layout::replicas() const { return part(map.domain, logical, map.domain.rank()); }

bool Layout::is_slot(const Point& outputs, const Space& box) const {
  return box.contains(outputs) && std::all_of(outputs.begin() + static_cast<std::ptrdiff_t>(box.rank()), outputs.end(),
                                              [](Wide guard) { return guard == 0; });
}

Wide Layout::number(const Point& outputs) const {
  Wide out = 0;
  for (std::size_t i = 0; i < physical.rank(); ++i) out = out * physical.extents[i] + outputs[i];
  return out;
}

Layout parse_layout(const LayoutText& text) {
  Layout out;
  out.map = parse_map(text.map);
  out.logical = text.logical;
  out.physical = parse_space(text.physical);
  out.named = text.named.value_or(false);
  require(out.logical <= out.map.domain.rank() && out.physical.rank() <= out.map.outputs,
          "a layout whose parts do not fit");
  require(!out.named || out.physical.rank() == out.map.outputs, "named axes and guards");
  if (text.decode) out.decode = parse_map(*text.decode);
  require(!out.decode ||
              (out.decode->domain.extents == out.physical.extents && out.decode->outputs >= out.map.domain.rank()),
          "a decode map of other slots");
  if (text.filled) out.filled = parse_space(*text.filled);
  require(!out.filled || out.filled->rank() == out.physical.rank(), "filled slots of another rank");
  if (text.identity)
    out.identity = {parse_row(text.identity->first, out.physical.rank()),
                    parse_row(text.identity->second, out.logical)};
  return out;
}

Questions::Questions(const Layout& a, const Layout* b, Evidence& evidence) : layouts_{&a, b}, evidence_(&evidence) {
  box_ = a.map.domain;
  for (std::size_t i = 0; i < box_.rank(); ++i) inputs_[0].push_back(i);
  for (std::size_t i = 0; i < a.logical; ++i) inputs_[1].push_back(i);
  for (std::size_t i = b == nullptr ? 0 : b->logical; b != nullptr && i < b->map.domain.rank(); ++i) {
    inputs_[1].push_back(box_.rank());
    box_.names.push_back(b->map.domain.names[i]);
    box_.extents.push_back(b->map.domain.extents[i]);
  }
  for (const Layout* layout : layouts_)
    for (std::size_t j = 0; layout != nullptr && layout->named && j < layout->physical.rank(); ++j)
      if (std::ranges::find(axes_, layout->physical.names[j]) == axes_.end())
        axes_.push_back(layout->physical.names[j]);
}

Forms& Questions::forms() {
  if (forms_) return *forms_;
  std::vector<Group> groups = take(evidence_->digits);
  std::size_t first = 0;
  for (const Group& group : groups) {
    for (const std::size_t boundary : {layouts_[0]->logical, layouts_[0]->map.domain.rank()})
      require(first >= boundary || group.dims <= boundary - first, "digits of an element and a replica together");
    first += group.dims;
  }
  return forms_.emplace(box_, std::move(groups));
}

const std::vector<Form>& Questions::outputs(std::size_t side) {
  if (!outputs_[side]) outputs_[side] = forms().outputs(layouts_[side]->map, inputs_[side]);
  return *outputs_[side];
}

bool Questions::land(std::size_t side, const Space& box) {
  const std::vector<Form>& values = outputs(side);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Interval span = forms().range(values[j]);
    if (span.low < 0 || span.high > (j < box.rank() ? box.extents[j] - 1 : Wide(0))) return false;
  }
  return true;
}

// A statement about single points: by linear forms, by its clauses, or at every point.
template <class ByForms, class AtPoint>
void Questions::for_all(std::optional<Proof> Evidence::*field, const Space& points, const Obligation& obligation,
                        ByForms by_forms, AtPoint at_point) {
  const Proof proof = take(evidence_->*field);
  if (std::holds_alternative<ByDigits>(proof)) return by_forms();
  if (const auto* clauses = std::get_if<ByClauses>(&proof)) return check_propositional(obligation, *clauses);
  require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
  walk(points, layouts_[0]->map, at_point);
}

void Questions::all_land(const Space& box, std::optional<Proof> Evidence::*field) {
  const Layout& layout = *layouts_[0];
  for_all(
      field, layout.map.domain, {Obligation::Escapes, &layout, nullptr, &box},
      [&] { require(land(0, box), "a place that may be no slot"); },
      [&](const Point& p) { require(layout.is_slot(evaluate(layout.map, p), box), "an element without a slot"); });
}

void Questions::all_decode() {
  const Layout& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  for_all(
      &Evidence::misdecodes, layout.map.domain, {Obligation::Misdecodes, &layout, nullptr, &layout.physical},
      [&] {
        std::vector<Form> slot = outputs(0);
        slot.resize(layout.physical.rank());
        const std::vector<Form> back = run(layout.decode->stages, std::move(slot), forms());
        for (std::size_t i = 0; i < back.size(); ++i)
          require(back[i] == (i < box_.rank() ? forms().of({0, {{i, 1}}}) : Form{}),
                  "a place that does not decode to its element");
      },
      [&](const Point& p) {
        Point slot = evaluate(layout.map, p), want = p;
        if (!layout.is_slot(slot, layout.physical)) return;
        slot.resize(layout.physical.rank());
        want.resize(layout.decode->outputs, 0);
        require(evaluate(*layout.decode, slot) == want, "a place that does not decode to its element");
      });
}

void Questions::identity_holds() {
  const Layout& layout = *layouts_[0];
  require(layout.identity.has_value(), "no identity is stated");
  const Row& slot = layout.identity->first;  // no binding: clang 14 captures none
  const Row& element = layout.identity->second;
  for_all(
      &Evidence::breaks, layout.map.domain, {Obligation::Breaks, &layout, nullptr, &layout.physical},
      [&] { require(forms().sum(slot, outputs(0)) == forms().of(element), "two sides of an identity that differ"); },
      [&](const Point& p) {
        const Point place = evaluate(layout.map, p);
        require(!layout.is_slot(place, layout.physical) || Concrete::sum(slot, place) == Concrete::sum(element, p),
                "two sides of an identity that differ");
      });
}

void Questions::none_collide(bool replicas_only) {
  const Proof proof = take(evidence_->collides);
  const Layout& layout = *layouts_[0];
  if (const auto* strided = std::get_if<BySteps>(&proof)) {
    const std::vector<Form>& rows = outputs(0);  // makes the opaque atoms
    std::vector<bool> known(forms().atoms(), false);
    if (replicas_only) std::fill_n(known.begin(), forms().atoms_of(layout.logical), true);
    check_peel(forms(), rows, std::move(known), strided->steps);
  } else if (const auto* linear = std::get_if<ByEquations>(&proof); linear != nullptr && !replicas_only) {
    const Equations made = telling();
    check_one_to_one(made.rows, made.extents, linear->proof);
  } else if (const auto* inverse = std::get_if<ByLeftInverse>(&proof)) {
    Columns columns(layout.map.domain);
    check_left_inverse(run(layout.map.stages, columns.inputs(), columns), columns.bits(), inverse->left);
  } else if (const auto* clauses = std::get_if<ByClauses>(&proof); clauses != nullptr && !replicas_only) {
    check_propositional({Obligation::Collides, &layout, nullptr, &layout.physical}, *clauses);
  } else {
    require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
    std::vector<std::pair<Wide, Wide>> seen;  // element, where only its own replicas count; place
    const Row element = replicas_only ? layout.elements().number() : Row{};
    walk(layout.map.domain, layout.map, [&](const Point& p) {
      const Point place = evaluate(layout.map, p);
      if (layout.is_slot(place, layout.physical)) seen.emplace_back(Concrete::sum(element, p), layout.number(place));
    });
    std::ranges::sort(seen);
    require(std::ranges::adjacent_find(seen) == seen.end(), "two elements in one slot");
  }
}

std::vector<Form> Questions::by_axis(std::size_t side, const std::vector<Form>& values) const {
  std::vector<Form> out(axes_.size());
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
  for_each(layout.replicas(), [&](const Point& replica) {
    Point p = element;
    p.insert(p.end(), replica.begin(), replica.end());
    const Point place = evaluate(layout.map, std::move(p));
    if (layout.named) {
      Point named(axes_.size(), 0);
      for (std::size_t j = 0; j < place.size(); ++j)
        named[static_cast<std::size_t>(std::ranges::find(axes_, layout.physical.names[j]) - axes_.begin())] = place[j];
      out.push_back(std::move(named));
    } else if (layout.is_slot(place, layout.physical)) {
      out.push_back({layout.number(place)});
    }
  });
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Of values that are sums of what depends on the element and of what depends on the replica, the latter become 0, and
// the values of element 0 decide the rest. One swizzle of both sides is a bijection of both and is taken off first.
void Questions::unmixed(std::vector<Form>& a, std::vector<Form>& b) {
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
      [&](const Point& x) {
        require(box_.volume() <= kWalk, "too many replicas to walk over");
        require(places_at(0, x) == places_at(1, x), "an element with different places");
      });
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
      });
}

Wide Questions::occupied() {
  const Proof proof = take(evidence_->occupied);
  const Layout& layout = *layouts_[0];
  if (const auto* count = std::get_if<ByCount>(&proof)) {
    require(land(0, layout.physical), "a place that may be no slot");
    std::vector<bool> known = forms().unused(outputs(0));
    check_peel(forms(), outputs(0), known, count->steps);
    known.flip();
    return forms().projections(known);
  }
  require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
  std::vector<Wide> seen;
  walk(layout.map.domain, layout.map, [&](const Point& p) {
    const Point place = evaluate(layout.map, p);
    if (layout.is_slot(place, layout.physical)) seen.push_back(layout.number(place));
  });
  std::ranges::sort(seen);
  return static_cast<long long>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

Questions::Equations Questions::telling() {
  Equations out;
  for (const Form& value : outputs(0)) out.rows.push_back(value.terms);
  for (std::vector<Wide>& row : out.rows) row.resize(forms().digits(), 0);
  require(forms().atoms() == forms().digits(), "a swizzle is not a linear equation");
  for (std::size_t k = 0; k < forms().digits(); ++k) out.extents.push_back(forms().extent(k));
  return out;
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
    for (std::size_t k = 0; k < forms().atoms(); ++k)
      out.rows.back().push_back(at_axes[0][i].at(k) - at_axes[1][i].at(k));
  }
  for (std::size_t k = 0; k < forms().atoms(); ++k) out.extents.push_back(forms().extent(k));
  return out;
}

// Elements without a slot have no place; what is shown of all outcomes holds of those that are slots. Opaque atoms are
// taken for free coordinates, which makes it no easier.
void Questions::never_meet(Wide at) {
  const auto proof = take(evidence_->overlaps);
  require(layouts_[0]->named == layouts_[1]->named, "places with names and places without");
  const Equations made = meeting(at);
  check_no_solution(made.rows, made.right, made.extents, std::get<ByNoSolution>(proof).proof);
}

void Questions::some_slot(std::size_t side, std::optional<Point> Evidence::*field) {
  const Point p = take(evidence_->*field);
  const Layout& layout = *layouts_[side];
  require(p.size() == layout.map.domain.rank() && layout.map.domain.contains(p) &&
              layout.is_slot(evaluate(layout.map, p), layout.physical),
          "the claim says nothing: no element is shown to have a slot");
}

}  // namespace vl::checker
