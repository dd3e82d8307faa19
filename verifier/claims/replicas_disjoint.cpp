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

#include "verifier/claims/claim.h"
#include "verifier/engines/forms/digit_domain.h"

namespace vl::claims {
namespace {

// The layout of element 0 alone: the same map over a tensor of one element; in the box of all places if `anywhere`.
Result<map::Layout> of_first_element(const map::Layout& layout, bool anywhere) {
  std::vector<map::Dim> dims = layout.physical().dims();
  const auto& ranges = layout.map().ranges(layout.map().stages().size());
  map::Affine shift;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    shift.rows.push_back(map::pick(j));
    const auto low = checked_mul(ranges[j].low, -1);
    const auto most = low ? checked_add(ranges[j].high, *low) : std::nullopt;
    const auto extent = most ? checked_add(*most, 1) : std::nullopt;
    if (!extent) return Error{ErrorCode::Overflow, "coordinates beyond 64 bits"};
    if (ranges[j].low < 0) shift.rows[j].constant = *low;
    if (anywhere) dims[j].extent = ranges[j].low < 0 ? *extent : std::max<Index>(ranges[j].high + 1, 1);
  }
  auto space = map::Space::create(std::move(dims));
  if (!space) return space.error();
  map::LayoutParts parts = map::parts_in(layout, std::move(*space));
  auto first = map::Space::create(map::Space::dims("x", std::vector<Index>(layout.logical().rank(), 1)));
  if (!first) return first.error();
  parts.logical = std::move(*first);
  parts.host_offset = {};
  if (anywhere) parts.map.push_back(std::move(shift));
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
  map::Affine front{{map::dot(map::row_major_weights(layout.logical()))}};
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

Counterexample shared(const map::Layout& layout, const Point& element, const Point& p, const Point& q) {
  const auto replica = [&](const Point& point) {
    return Point(point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()), point.end());
  };
  const Point outputs = map::outputs_at(layout, element, replica(p));
  VL_CHECK(
      layout.is_slot(outputs) && outputs == map::outputs_at(layout, element, replica(q)) && replica(p) != replica(q),
      "two replicas that do not share a slot");
  const Point slot(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
  return {{{"a", element}, {"replica", replica(p)}, {"other_replica", replica(q)}, {"physical", slot}},
          fmt::format("replicas {} and {} of element {} are both in slot {}", show(replica(p)), show(replica(q)),
                      show(element), show(slot))};
}

Verdict replicas_disjoint(const OneLayout& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (layout.replicas().volume() <= 1) return inquiry.vacuous("each element has one replica only");
  const auto ask = [&](const map::Layout& asked) { return inquiry.ask(Kind::Collides, asked); };
  const auto digits = engines::DigitDomain::of(layout);
  if (layout.guards() == 0 && digits && digits->after() == map::Row{}) {
    const auto anywhere = of_first_element(layout, true);
    if (anywhere && std::holds_alternative<engines::None>(ask(*anywhere))) return inquiry.proved();
    const auto here = of_first_element(layout, false);
    const engines::Answer first = here ? ask(*here) : engines::Abstained{};
    if (const auto* found = std::get_if<engines::Found>(&first))
      return inquiry.refuted(shared(layout, Point(layout.logical().rank(), 0), found->witness.p, found->witness.q));
  }
  const auto all = tagged(layout);
  if (!all) return inquiry.unknown({Reason::OutOfReach, all.error().message});
  const engines::Answer answer = ask(*all);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(shared(layout, element_of(layout, found->witness.p), found->witness.p, found->witness.q));
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  // All replicas of all elements may be without a slot; then nothing was compared.
  const engines::Answer landing = inquiry.some_slot(layout);
  if (std::holds_alternative<engines::None>(landing)) return inquiry.vacuous("no element has a slot");
  if (const auto* abstained = std::get_if<engines::Abstained>(&landing)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kReplicasDisjoint = {.name = "replicas-disjoint",
                                        .statement = "no element has two replicas in one slot",
                                        .witness = "a, replica, other_replica, physical",
                                        .decide = replicas_disjoint,
                                        .proof = {Part::ReplicasApart}};

}  // namespace vl::claims
