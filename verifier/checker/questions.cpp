#include "verifier/checker/questions.h"

#include <algorithm>
#include <array>

#include "verifier/checker/linear.h"

namespace vl::checker {
namespace {

// A point in a list: the vector, and its numbers where they lie.
std::size_t point_bytes(std::size_t rank) { return sizeof(Point) + 16 + rank * sizeof(Wide); }

}  // namespace

void walk(const Space& box, const Map& map, const std::function<void(const Point&)>& visit) {
  long long terms = static_cast<long long>(box.rank()) + 1;
  for (const Stage& stage : map.stages) {
    for (const Row& row : stage.rows) terms += static_cast<long long>(row.terms.size()) + 1;
    terms += 4 * static_cast<long long>(stage.weights.size());
  }
  if (box.volume() * terms > work_left()) needs_more_work();  // before anything is done
  if (box.volume() > 0) for_each(box, visit);
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

Questions::Questions(const Layout& a, const Layout* b, Evidence& evidence)
    : layouts_{&a, b}, evidence_(&evidence), goals_(a, b) {}

Forms& Questions::forms() {
  if (forms_) return *forms_;
  std::vector<Group> groups = take(evidence_->digits);
  std::size_t first = 0;
  for (const Group& group : groups) {
    for (const std::size_t boundary : {layouts_[0]->logical, layouts_[0]->map.domain.rank()})
      require(first >= boundary || group.dims <= boundary - first, "digits of an element and a replica together");
    first += group.dims;
  }
  return forms_.emplace(box(), std::move(groups));
}

const std::vector<Form>& Questions::outputs(std::size_t side) {
  if (!outputs_[side]) outputs_[side] = forms().outputs(layouts_[side]->map, goals_.inputs(side));
  return *outputs_[side];
}

void Questions::takes_back() {
  require(layouts_[1] != nullptr, "a second layout that is missing");
  const Layout& b = *layouts_[1];
  goals_.returns(b.filled ? *b.filled : b.physical, take(evidence_->differs));
}

std::vector<Form> Questions::by_axis(std::size_t side, const std::vector<Form>& values) const {
  std::vector<Form> out(goals_.axes().size());
  charge(goals_.axes().size() * (values.size() + 1));
  for (std::size_t j = 0; j < values.size(); ++j)
    out[static_cast<std::size_t>(std::ranges::find(goals_.axes(), layouts_[side]->physical.names[j]) -
                                 goals_.axes().begin())] = values[j];
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
    const bool memory = !layouts_[0]->named || goals_.axes()[i] == "m";
    out.right.push_back(at_axes[1][i].constant - at_axes[0][i].constant + (memory ? at : Wide(0)));
    out.rows.emplace_back();
    charge(2 * forms().atoms()), hold(forms().atoms() * sizeof(Wide));
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
      charge(layout.named ? goals_.axes().size() * (outputs.size() + 1) : layout.physical.rank());
      Point place(layout.named ? goals_.axes().size() : 1, 0);
      if (!layout.named) place[0] = layout.number(outputs) + (side == 1 ? at : Wide(0));
      for (std::size_t j = 0; layout.named && j < outputs.size(); ++j) {
        const auto axis = std::ranges::find(goals_.axes(), layout.physical.names[j]) - goals_.axes().begin();
        place[static_cast<std::size_t>(axis)] = outputs[j];
      }
      const std::size_t bytes = point_bytes(place.size());
      keep(own, std::move(place), bytes);
    });
    for (Point& place : own)
      for (std::size_t k = 0; layout.named && side == 1 && k < goals_.axes().size(); ++k)
        if (goals_.axes()[k] == "m") place[k] += at;
    charge_sorting(own.size());
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (Point& place : own) {
      const std::size_t bytes = point_bytes(place.size());
      keep(places, std::move(place), bytes);
    }
  }
  charge_sorting(places.size());
  std::ranges::sort(places);
  require(std::ranges::adjacent_find(places) == places.end(), "two elements in one place");
}

void Questions::some_slot(std::size_t side, std::optional<Point> Evidence::*field) {
  const Point p = take(evidence_->*field);
  const Layout& layout = *layouts_[side];
  require(p.size() == layout.map.domain.rank() && layout.map.domain.contains(p) &&
              layout.is_slot(evaluate(layout.map, p), layout.physical),
          "the claim says nothing: no element is shown to have a slot");
}

}  // namespace vl::checker
