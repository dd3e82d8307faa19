// compatible: an operation's operands satisfy every rule for it,
//   ∀ rule r of its shapes and of its family: have(r) = want(r),   and every element of every operand has a slot.
//
// The shapes come first: the scales must fit the tensors before a family can judge the layouts by them. The family's
// rules are about sticks; encodings/<family>/operation.h states them. Vacuous if the operation iterates over nothing.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

const use::Constraint* broken(const std::vector<use::Constraint>& constraints) {
  const auto found = std::ranges::find_if(
      constraints, [](const use::Constraint& constraint) { return constraint.rule.have != constraint.rule.want; });
  return found == constraints.end() ? nullptr : &*found;
}

Counterexample unkept(const use::Constraint& constraint, const std::vector<use::Constraint>& all) {
  const auto key = [](const use::Constraint& c) { return std::tuple(c.operand, c.rule.have, c.rule.want); };
  const bool least = std::ranges::none_of(
      all, [&](const use::Constraint& c) { return c.rule.have != c.rule.want && key(c) < key(constraint); });
  return {{{"operand", static_cast<Index>(constraint.operand)},
           {"have", constraint.rule.have},
           {"want", constraint.rule.want}},
          constraint.words,
          least};
}

// An element of operand i without a slot. Its field is not `a`, which is an element of the case's own layout.
Counterexample unplaced(const use::Operation& operation, std::size_t i, const map::Layout& layout, const Point& p) {
  Counterexample out = missing(layout, p);
  out.fields.front().first = "element";
  out.fields.insert(out.fields.begin(), {"operand", static_cast<Index>(i)});
  out.explanation = fmt::format("{}: {}", name_of(operation, i), out.explanation);
  return out;
}

Verdict compatible(const Operated& about, Inquiry& inquiry) {
  const use::Operation& operation = about.operation;
  const auto shapes = use::shape_constraints(operation);
  if (const use::Constraint* constraint = broken(shapes)) return inquiry.refuted(unkept(*constraint, shapes));
  if (operation.family->judge == nullptr) return unsupported("this family states no rules for operations");
  const use::Judgement judgement = operation.family->judge(operation);
  if (const use::Constraint* constraint = broken(judgement.constraints))
    return inquiry.refuted(unkept(*constraint, judgement.constraints));
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const map::Layout* places = use::places_of(operation, judgement, i);
    if (places == nullptr) return unsupported(operation.operands[i].reading.undecidable()->reason);
    const auto lost = [&](const Witness& w) { return unplaced(operation, i, *places, w.p); };
    if (auto no = inquiry.unless_none({Kind::Escapes, places, nullptr}, lost)) return std::move(*no);
  }
  if (!judgement.unsupported.empty()) return unsupported(judgement.unsupported);
  if (!judgement.out_of_reach.empty()) return inquiry.out_of_reach(judgement.out_of_reach);
  if (std::ranges::any_of(operation.dims, [](const use::OperationDim& dim) { return dim.extent == 0; }))
    return inquiry.vacuous("the operation iterates over nothing");
  return inquiry.proved();
}

}  // namespace

std::optional<Operated> Operated::bind(Offer& offer) {
  const use::Operation* operation = offer.take(offer.read_operation());
  return operation != nullptr ? std::optional(Operated{*operation}) : std::nullopt;
}

extern const Claim kCompatible = {
    .name = "compatible",
    .statement = "an operation can compute with these operands: the family's rules for it hold",
    .witness = "operand, have, want; or operand, element, physical",
    .keys = {"operation operands results scales dims reduce rule"},
    .decide = compatible,
    .proof = {Part::OperandsInBox},
    .needs_tensor = true};

}  // namespace vl::claims
