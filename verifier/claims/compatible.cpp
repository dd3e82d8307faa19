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

Verdict refute(const use::Constraint& constraint, const Inquiry& inquiry) {
  return inquiry.refuted({{{"operand", static_cast<Index>(constraint.operand)},
                           {"have", constraint.rule.have},
                           {"want", constraint.rule.want}},
                          constraint.words});
}

// An element of operand i without a slot. Its field is not `a`, which is an element of the case's own layout.
Verdict refute(const use::Operation& operation, std::size_t i, const map::Layout& layout, const Point& p,
               const Inquiry& inquiry) {
  Counterexample counterexample = missing(layout, p);
  counterexample.fields.front().first = "element";
  counterexample.fields.insert(counterexample.fields.begin(), {"operand", static_cast<Index>(i)});
  counterexample.explanation = fmt::format("{}: {}", name_of(operation, i), counterexample.explanation);
  return inquiry.refuted(std::move(counterexample));
}

Verdict compatible(const Operated& about, Inquiry& inquiry) {
  const use::Operation& operation = about.operation;
  const auto shapes = use::shape_constraints(operation);
  if (const use::Constraint* constraint = broken(shapes)) return refute(*constraint, inquiry);
  if (operation.family->judge == nullptr)
    return Unknown{Reason::Unsupported, "this family states no rules for operations", inquiry.engine()};
  const use::Judgement judgement = operation.family->judge(operation);
  if (const use::Constraint* constraint = broken(judgement.constraints)) return refute(*constraint, inquiry);
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const map::Layout* places = use::places_of(operation, judgement, i);
    if (places == nullptr)
      return Unknown{Reason::Unsupported, operation.operands[i].reading.undecidable()->reason, inquiry.engine()};
    const engines::Answer answer = inquiry.ask(Kind::Escapes, *places);
    if (const auto* found = std::get_if<engines::Found>(&answer))
      return refute(operation, i, *places, found->witness.p, inquiry);
    if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  }
  if (!judgement.unsupported.empty()) return Unknown{Reason::Unsupported, judgement.unsupported, inquiry.engine()};
  if (!judgement.out_of_reach.empty()) return Unknown{Reason::OutOfReach, judgement.out_of_reach, inquiry.engine()};
  if (std::ranges::any_of(operation.dims, [](const use::OperationDim& dim) { return dim.extent == 0; }))
    return inquiry.vacuous("the operation iterates over nothing");
  return inquiry.proved();
}

}  // namespace

extern const Claim kCompatible = {
    .name = "compatible",
    .statement = "an operation can compute with these operands: the family's rules for it hold",
    .witness = "operand, have, want; or operand, element, physical",
    .keys = {"operation operands results scales dims reduce rule"},
    .decide = compatible,
    .proof = {Part::OperandsInBox}};

}  // namespace vl::claims
