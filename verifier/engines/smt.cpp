// The smt engine: each question as one obligation over the layout's maps, given to Z3.
#include <optional>

#include "verifier/engines/smt_terms.h"

namespace vl::engines {
namespace {

using certificate::Kind;
using smt::Formula;
using smt::Linear;
using smt::Obligation;

Linear linear(const map::Row& row, const Terms& terms) {
  Linear out{row.constant, {}};
  for (const map::Term& term : row.terms) out.terms.emplace_back(terms[term.input], term.coefficient);
  return out;
}

// The slot `slot` is not valid: decode leaves the domain, or its guards are not 0, or the decoded point lives elsewhere.
Formula invalid(Obligation& obligation, const map::Layout& layout, const Terms& slot) {
  const Decoding decoding = decode(obligation, layout, slot);
  return smt::any_of({smt::negate(decoding.in_domain),
                      smt::all_of({decoding.is_point, smt::negate(decoding.lives_here)})});
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

struct Encoded {
  Obligation obligation;
  // How many of the first variables are the witness's p, q and slot.
  std::size_t p = 0;
  std::size_t q = 0;
  std::size_t slot = 0;
};

// Nothing where the question is not one existential obligation, or is over an empty space.
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
    case Kind::Unhit:
    case Kind::Occupied: break;
  }
  VL_CHECK(false, "unknown kind of question");
}

Answer solve(const Encoded& encoded, const Options& options, smt::Solve& solver) {
  const smt::Outcome outcome = solver(encoded.obligation, options.budget, smt::Theory::Automatic);
  if (const auto* undecided = std::get_if<smt::Undecided>(&outcome))
    return abstained(*undecided);
  if (std::holds_alternative<smt::Unsatisfiable>(outcome)) return None{};
  const std::vector<Index>& values = std::get<smt::Satisfiable>(outcome).values;
  const auto take = [&](std::size_t from, std::size_t count) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    return Point(first, first + static_cast<std::ptrdiff_t>(count));
  };
  Witness witness{take(0, encoded.p), take(encoded.p, encoded.q), take(0, encoded.slot)};
  if (encoded.q > 0 && witness.q < witness.p) std::swap(witness.p, witness.q);
  return Found{std::move(witness), false};
}

Answer decide_by(const Question& question, const Options& options, smt::Solve& solver);

// All of `kinds` have the answer None; otherwise why not.
std::optional<Abstained> unless_none(const Question& question, const Options& options, smt::Solve& solver,
                                     std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds) {
    const Answer answer = decide_by({kind, question.layout, nullptr}, options, solver);
    if (const auto* abstained = std::get_if<Abstained>(&answer)) return *abstained;
    if (!std::holds_alternative<None>(answer))
      return Abstained{Reason::OutOfReach, "only a count of injective layouts without missing elements is encoded"};
  }
  return std::nullopt;
}

Answer decide_by(const Question& question, const Options& options, smt::Solve& solver) {
  const map::Layout& layout = *question.layout;
  const bool empty = layout.domain().volume() == 0;
  switch (question.kind) {
    case Kind::Occupied:
      if (empty) return Counted{0};
      if (auto why = unless_none(question, options, solver, {Kind::Escapes, Kind::Collides})) return *why;
      return Counted{layout.domain().volume()};
    case Kind::Unhit:
      if (layout.physical().volume() == 0) return None{};
      if (empty) return Found{{{}, {}, Point(layout.physical().rank(), 0)}, true};
      if (!layout.decode()) return Abstained{Reason::OutOfReach, "coverage without a decode map is not encoded"};
      // A slot that is not valid is not hit, provided that every slot that is hit is valid.
      if (auto why = unless_none(question, options, solver, {Kind::Misdecodes})) return *why;
      break;
    case Kind::Misdecodes:
      if (layout.physical().volume() == 0) return None{};
      break;
    case Kind::Escapes:
    case Kind::Lands:
    case Kind::Collides:
    case Kind::Breaks:
    case Kind::Differs: break;
  }
  if (empty) return None{};
  const auto encoded = encode(question);
  if (!encoded) return Abstained{Reason::OutOfReach, "not encoded: replicas of two layouts, or a number beyond 64 bits"};
  return solve(*encoded, options, solver);
}

}  // namespace

Answer decide_smt(const Question& question, const Options& options) { return decide_by(question, options, smt::solve); }

Answer decide_smt_2(const Question& question, const Options& options) {
  return decide_by(question, options, smt::solve_otherwise);
}

Answer decide_cvc5(const Question& question, const Options& options) {
  return decide_by(question, options, smt::solve_with_cvc5);
}

std::string smtlib_of(const Question& question) {
  const auto encoded = encode(question);
  return encoded ? smt::to_smtlib(encoded->obligation) : std::string{};
}

std::string smtlib_2_of(const Question& question) {
  const auto encoded = encode(question);
  return encoded ? smt::second_smtlib(encoded->obligation) : std::string{};
}

}  // namespace vl::engines
