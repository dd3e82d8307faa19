// replicas-disjoint: ∀ x, ∀ r ≠ r' such that (x, r) and (x, r') have slots: map(x, r) ≠ map(x, r').
//
// A layout's places are a set, so two replicas in one slot are one copy fewer than stated: R[(2,2):(1,1)] names four
// and has three. If replicas are added to the element's place (engines/forms/digit_domain.h shows it), map(x, r) -
// map(x, r') does not depend on x, and element 0 decides for all, in the box of all its coordinates; a swizzle at the
// end is a bijection and changes nothing. Otherwise the element's number becomes one more coordinate: then two points
// collide iff they are replicas of one element in one slot.
//
// Vacuous if there is no element, or at most one replica. If no element has a slot, but the replicas differ, the claim
// is proved.
#include <fmt/format.h>

#include "verifier/claims/frame.h"
#include "verifier/engines/forms/digit_domain.h"

namespace vl::claims {
namespace {

// The layout of element 0 alone: the same map over a tensor of one element.
Result<map::Layout> of_first_element(const map::Layout& layout) {
  map::LayoutParts parts = map::parts_in(layout, layout.physical());
  auto first = map::Space::create(map::Space::dims("x", std::vector<Index>(layout.logical().rank(), 1)));
  if (!first) return first.error();
  parts.logical = std::move(*first);
  parts.host_offset = {};
  return map::Layout::create(std::move(parts));
}

// The element's number, then the layout's outputs.
Result<map::Layout> tagged(const map::Layout& layout) {
  std::vector<map::Dim> dims{{"element_", layout.logical().volume(), map::Unit::Element}};
  dims.insert(dims.end(), layout.physical().dims().begin(), layout.physical().dims().end());
  auto space = map::Space::create(std::move(dims));
  if (!space) return space.error();
  map::LayoutParts parts = map::parts_in(layout, std::move(*space));
  // The number comes before all values: each stage has one more input.
  map::Affine front{{map::row_major_number(layout.logical())}};
  for (std::size_t i = 0; i < layout.domain().rank(); ++i) front.rows.push_back(map::pick(i));
  std::vector<map::Stage> stages{std::move(front)};
  for (map::Stage stage : layout.map().stages()) {
    if (auto* affine = std::get_if<map::Affine>(&stage)) {
      for (map::Row& row : affine->rows)
        for (map::Term& term : row.terms) ++term.input;
      affine->rows.insert(affine->rows.begin(), map::pick(0));
    } else if (auto* split = std::get_if<map::Split>(&stage)) {
      ++split->input;
    } else {
      ++std::get<map::Swizzle>(stage).input;
    }
    stages.push_back(std::move(stage));
  }
  parts.map = std::move(stages);
  return map::Layout::create(std::move(parts));
}

Counterexample shared(const map::Layout& layout, const Point& p, const Point& q) {
  const Spot at = spot_of(layout, p);
  const Spot other = spot_of(layout, q);
  VL_CHECK(layout.is_slot(at.outputs) && at.outputs == other.outputs && at.element == other.element &&
               at.replica != other.replica,
           "two replicas that do not share a slot");
  return {{{"a", at.element}, {"replica", at.replica}, {"other_replica", other.replica}, {"physical", at.slot}},
          fmt::format("replicas {} and {} of element {} are both in slot {}", show(at.replica), show(other.replica),
                      show(at.element), show(at.slot))};
}

Verdict replicas_disjoint(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (layout.replicas().volume() <= 1) return inquiry.vacuous("each element has one replica only");
  const auto digits = engines::DigitDomain::of(layout);
  if (const auto first = of_first_element(layout); first && digits && digits->after() == map::Row{}) {
    const auto anywhere = frame(*first, *first);  // an error where there are guards
    if (anywhere && std::holds_alternative<engines::None>(inquiry.ask({Kind::Collides, &anywhere->a, nullptr}))) {
      if (auto empty = inquiry.unless_lands(layout, "no element has a slot")) return std::move(*empty);
      return inquiry.conclude();
    }
    const engines::Answer here = anywhere ? inquiry.ask({Kind::Collides, &*first, nullptr}) : engines::Abstained{};
    if (const auto* found = std::get_if<engines::Found>(&here)) {  // no element comes before the first
      Counterexample out = shared(layout, found->witness.p, found->witness.q);
      out.minimal = found->minimal;
      return inquiry.refuted(std::move(out));
    }
  }
  const auto all = tagged(layout);
  if (!all) return inquiry.out_of_reach(all.error().message);
  const auto alike = [&](const Witness& w) { return shared(layout, w.p, w.q); };
  if (auto no = inquiry.unless_none({Kind::Collides, &*all, nullptr}, alike)) return std::move(*no);
  // All replicas of all elements may be without a slot; then nothing was compared.
  if (auto empty = inquiry.unless_lands(layout, "no element has a slot")) return std::move(*empty);
  return inquiry.conclude();
}

}  // namespace

extern const Claim kReplicasDisjoint = {.name = "replicas-disjoint",
                                        .statement = "no element has two replicas in one slot",
                                        .witness = "a, replica, other_replica, physical",
                                        .decide = replicas_disjoint,
                                        .proof = {Part::Landing, Part::ReplicasApart}};

}  // namespace vl::claims
