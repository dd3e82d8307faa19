#include "verifier/engines/solvers/obligations.h"

#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {
namespace {

using question::Kind;
using smt::Formula;
using smt::Linear;
using smt::Obligation;

Linear linear(const map::Row& row, const Terms& terms) {
  Linear out{row.constant, {}};
  for (const map::Term& term : row.terms) out.terms.emplace_back(terms[term.input], term.coefficient);
  return out;
}

// The slot `slot` is not valid: decode leaves the domain, or its guards are not 0, or the decoded point lives
// elsewhere.
Formula invalid(Obligation& obligation, const map::Layout& layout, const Terms& slot) {
  const Decoding decoding = decode(obligation, layout, slot);
  return smt::any_of(
      {smt::negate(decoding.in_domain), smt::all_of({decoding.is_point, smt::negate(decoding.lives_here)})});
}

// The slots of the two layouts differ at one element without replicas.
Formula differ(const Question& question, const Terms& a, const Terms& b) {
  const Formula slot_a = is_slot(*question.layout, a);
  const Formula slot_b = is_slot(*question.other, b);
  Linear difference = row_major(question.layout->physical(), a);
  for (const auto& [term, weight] : row_major(question.other->physical(), b).terms)
    difference.terms.emplace_back(term, -weight);
  return smt::any_of({smt::all_of({slot_a, smt::negate(slot_b)}), smt::all_of({slot_b, smt::negate(slot_a)}),
                      smt::all_of({slot_a, slot_b, smt::negate(smt::is_zero(std::move(difference)))})});
}

}  // namespace

std::optional<Encoded> encode(const Question& question) {
  const map::Layout& layout = *question.layout;
  const std::size_t rank = layout.domain().rank();
  Encoded out;
  Obligation& obligation = out.obligation;
  if (question.kind == Kind::Occupied || (question.kind == Kind::Unhit && !layout.decode())) return std::nullopt;
  if (question.kind == Kind::Unhit ? layout.physical().volume() == 0 || layout.domain().volume() == 0
                                   : layout.domain().volume() == 0)
    return std::nullopt;
  if (question.kind == Kind::Unhit) {
    const Terms slot = obligation.point_of(layout.physical());
    out.slot = slot.size();
    obligation.require(invalid(obligation, layout, slot));
    return out;
  }
  const Terms p = obligation.point_of(layout.domain());
  const Terms outputs = obligation.apply(layout.map(), p);
  out.p = rank;
  switch (question.kind) {
    case Kind::Escapes: obligation.require(smt::negate(is_slot(layout, outputs))); return out;
    case Kind::Lands: obligation.require(is_slot(layout, outputs)); return out;
    case Kind::Collides: {
      const Terms q = obligation.point_of(layout.domain());
      out.q = rank;
      obligation.require(is_slot(layout, outputs));
      obligation.require(same(outputs, obligation.apply(layout.map(), q)));
      obligation.require(smt::negate(same(p, q)));
      return out;
    }
    case Kind::Misdecodes: {
      if (layout.physical().volume() == 0) return std::nullopt;
      const Terms slot = obligation.point_of(layout.physical());
      obligation.require(is_slot(layout, outputs));
      obligation.require(same(slot, outputs));
      obligation.require(invalid(obligation, layout, slot));
      return out;
    }
    case Kind::Breaks: {
      obligation.require(is_slot(layout, outputs));
      Linear difference = linear(layout.identity()->slot, outputs);
      const Linear element = linear(layout.identity()->element, p);
      const auto constant = checked_add(difference.constant, -element.constant);
      if (!constant) return std::nullopt;
      difference.constant = *constant;
      for (const auto& [term, coefficient] : element.terms) difference.terms.emplace_back(term, -coefficient);
      obligation.require(smt::negate(smt::is_zero(std::move(difference))));
      return out;
    }
    case Kind::Differs: {
      if (layout.replicas().rank() > 0 || question.other->replicas().rank() > 0) return std::nullopt;
      obligation.require(differ(question, outputs, obligation.apply(question.other->map(), p)));
      return out;
    }
    case Kind::Overlaps: {
      if (question.other->domain().volume() == 0) return std::nullopt;
      const Terms q = obligation.point_of(question.other->domain());
      out.q = q.size();
      const Terms other = obligation.apply(question.other->map(), q);
      obligation.require(is_slot(layout, outputs));
      obligation.require(is_slot(*question.other, other));  // whose guards are 0 too
      obligation.require(same(outputs, other));
      return out;
    }
    case Kind::Unhit:
    case Kind::Occupied: break;
  }
  VL_CHECK(false, "unknown kind of question");
}

namespace {

Answer solve_one(const Solve& solve, const Encoded& encoded, bool ordered) {
  const Solved solved = solve(encoded.obligation);
  if (const auto* undecided = std::get_if<smt::Undecided>(&solved.outcome)) return abstained(*undecided);
  if (std::holds_alternative<smt::Unsatisfiable>(solved.outcome)) return None{};
  const std::vector<Index>& values = std::get<smt::Satisfiable>(solved.outcome).values;
  const auto take = [&](std::size_t from, std::size_t count) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    return Point(first, first + static_cast<std::ptrdiff_t>(count));
  };
  Witness witness{take(0, encoded.p), take(encoded.p, encoded.q), take(0, encoded.slot)};
  if (ordered && witness.q < witness.p) std::swap(witness.p, witness.q);
  return Found{std::move(witness), solved.smallest};
}

// All of `kinds` have the answer None; otherwise why not.
std::optional<Abstained> unless_none(const Solve& solve, const Question& question, std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds) {
    const Answer answer = decide_by(solve, {kind, question.layout, nullptr});
    if (const auto* abstained = std::get_if<Abstained>(&answer)) return *abstained;
    if (!std::holds_alternative<None>(answer))
      return Abstained{Reason::OutOfReach, "only a count of injective layouts without missing elements is encoded"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Answer> decide_empty(const Question& question) {
  const map::Layout& layout = *question.layout;
  const bool no_slots = layout.physical().volume() == 0;
  if (layout.domain().volume() != 0 && !no_slots) return std::nullopt;
  switch (question.kind) {
    case Kind::Unhit:
      return no_slots ? Answer(None{}) : Answer(Found{{{}, {}, Point(layout.physical().rank(), 0)}, true});
    case Kind::Occupied: return Answer(Counted{0});
    case Kind::Escapes:
      if (layout.domain().volume() == 0) return Answer(None{});
      return Answer(Found{{Point(layout.domain().rank(), 0), {}, {}}, true});
    case Kind::Lands:
    case Kind::Collides:
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Overlaps: return Answer(None{});
    case Kind::Differs: break;
  }
  // Of two layouts, the other one may have slots where this one has none.
  return layout.logical().volume() == 0 ? std::optional(Answer(None{})) : std::nullopt;
}

Answer decide_by(const Solve& solve, const Question& question) {
  if (auto answer = decide_empty(question)) return std::move(*answer);
  if (question.kind == Kind::Overlaps && question.other->domain().volume() == 0) return None{};
  if (question.kind == Kind::Occupied) {
    if (auto why = unless_none(solve, question, {Kind::Escapes, Kind::Collides})) return *why;
    return Counted{question.layout->domain().volume()};
  }
  if (question.kind == Kind::Unhit) {
    if (!question.layout->decode())
      return Abstained{Reason::OutOfReach, "coverage without a decode map is not encoded"};
    if (auto why = unless_none(solve, question, {Kind::Misdecodes})) return *why;
  }
  const auto encoded = encode(question);
  if (!encoded)
    return Abstained{Reason::OutOfReach, "not encoded: replicas of two layouts, or a number beyond 64 bits"};
  return solve_one(solve, *encoded, question.kind == Kind::Collides);
}

}  // namespace vl::engines
