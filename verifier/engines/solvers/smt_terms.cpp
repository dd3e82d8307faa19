#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {
namespace {

Reason reason_of(smt::Undecided::Why why) {
  switch (why) {
    case smt::Undecided::Why::Timeout: return Reason::Timeout;
    case smt::Undecided::Why::ResourceLimit: return Reason::ResourceLimit;
    case smt::Undecided::Why::Memory: return Reason::Memory;
    case smt::Undecided::Why::Incomplete: return Reason::Incomplete;
    case smt::Undecided::Why::SolverFault: return Reason::SolverFault;
    case smt::Undecided::Why::NotInstalled: return Reason::NotInstalled;
    case smt::Undecided::Why::Interrupted: return Reason::Interrupted;
  }
  VL_CHECK(false, "unknown outcome of the solver");
}

}  // namespace

smt::Formula in_bounds(const Terms& values, const std::vector<Index>& bounds) {
  std::vector<smt::Formula> parts;
  for (std::size_t j = 0; j < values.size(); ++j)
    parts.push_back(bounds[j] == 0 ? smt::any_of({}) : smt::within(values[j], 0, bounds[j] - 1));
  return smt::all_of(std::move(parts));
}

smt::Formula is_slot(const map::Layout& layout, const Terms& outputs) {
  return in_bounds(outputs, map::bounds_of(layout.physical(), outputs.size()));
}

smt::Formula same(const Terms& a, const Terms& b) {
  std::vector<smt::Formula> parts;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) parts.push_back(smt::equals(a[i], b[i]));
  return smt::all_of(std::move(parts));
}

smt::Linear linear(const map::Row& row, const Terms& terms) {
  smt::Linear out{row.constant, {}};
  for (const map::Term& term : row.terms) out.terms.emplace_back(terms[term.input], term.coefficient);
  return out;
}

smt::Linear row_major(const map::Space& physical, const Terms& outputs) {
  smt::Linear out;
  Index weight = 1;
  for (std::size_t j = physical.rank(); j-- > 0;) {
    out.terms.emplace_back(outputs[j], weight);
    weight = checked_mul(weight, physical.extent(j)).value_or(0);
  }
  return out;
}

smt::Linear Encoded::minus(smt::Linear a, const smt::Linear& b) {
  fits = accumulate(a.constant, b.constant, -1) && fits;
  for (const auto& [term, coefficient] : b.terms) {
    const auto negated = checked_mul(coefficient, -1);
    fits = fits && negated;
    a.terms.emplace_back(term, negated.value_or(0));
  }
  return a;
}

Located located(smt::Obligation& obligation, const map::Layout& layout) {
  Terms point = obligation.point_of(layout.domain());
  Terms outputs = obligation.apply(layout.map(), point);
  return {std::move(point), std::move(outputs)};
}

Located landed(smt::Obligation& obligation, const map::Layout& layout) {
  Located at = located(obligation, layout);
  obligation.require(is_slot(layout, at.outputs));
  return at;
}

smt::Formula Decoding::unless(smt::Formula holds) const {
  return smt::any_of({smt::negate(in_domain), smt::all_of({is_point, smt::negate(std::move(holds))})});
}

Decoding decode(smt::Obligation& obligation, const map::Layout& layout, const Terms& slot) {
  const Terms decoded = obligation.apply(*layout.decode(), slot);
  Decoding out;
  out.in_domain = in_bounds(decoded, map::bounds_of(layout.domain(), decoded.size()));
  out.point = obligation.point_of(layout.domain());
  out.is_point = smt::all_of({out.in_domain, same(out.point, decoded)});
  const Terms outputs = obligation.apply(layout.map(), out.point);
  std::vector<smt::Formula> lives_here{same(slot, outputs)};
  for (std::size_t g = slot.size(); g < outputs.size(); ++g) lives_here.push_back(smt::equals_constant(outputs[g], 0));
  out.lives_here = smt::all_of(std::move(lives_here));
  return out;
}

Abstained abstained(const smt::Undecided& undecided) { return {reason_of(undecided.why), undecided.detail}; }

}  // namespace vl::engines
