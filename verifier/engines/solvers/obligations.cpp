#include "verifier/engines/solvers/obligations.h"

#include <algorithm>

#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {
namespace {

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

// Two layouts in one buffer: p of the one and q of the other in one slot.
std::optional<Encoded> encode_overlap(const Question& question, Encoded out, const Terms& outputs) {
  if (question.other->domain().volume() == 0) return std::nullopt;
  const Terms q = out.obligation.point_of(question.other->domain());
  out.q = q.size();
  const Terms other = out.obligation.apply(question.other->map(), q);
  out.obligation.require(is_slot(*question.layout, outputs));
  out.obligation.require(is_slot(*question.other, other));  // whose guards are 0 too
  out.obligation.require(same(outputs, other));
  return out;
}

// Nothing where the question is not one existential obligation, or is over an empty space.
std::optional<Encoded> encode(const Question& question) {
  const map::Layout& layout = *question.layout;
  const std::size_t rank = layout.domain().rank();
  Encoded out;
  Obligation& obligation = out.obligation;
  if (question.kind == Kind::Count || (question.kind == Kind::Misses && !layout.decode())) return std::nullopt;
  if (question.kind == Kind::Misses ? layout.physical().volume() == 0 || layout.domain().volume() == 0
                                    : layout.domain().volume() == 0)
    return std::nullopt;
  if (question.kind == Kind::Misses) {
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
      if (question.other != nullptr) return encode_overlap(question, std::move(out), outputs);
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
    case Kind::Misses:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  VL_CHECK(false, "unknown kind of question");
}

Answer solve_one(const Solve& solve, const Encoded& encoded, const Options& options) {
  const Solved solved = solve(encoded.obligation, options.budget, encoded.theory);
  if (const auto* undecided = std::get_if<smt::Undecided>(&solved.outcome)) return abstained(*undecided);
  if (std::holds_alternative<smt::Unsatisfiable>(solved.outcome)) return None{};
  auto next = std::get<smt::Satisfiable>(solved.outcome).values.begin() + static_cast<std::ptrdiff_t>(encoded.first);
  const auto take = [&](std::size_t count) {
    const auto first = next;
    next += static_cast<std::ptrdiff_t>(count);
    return Point(first, next);
  };
  Witness witness;
  witness.p = take(encoded.p);
  witness.q = take(encoded.q);
  witness.slot = take(encoded.slot);
  return Found{std::move(witness), solved.smallest};
}

Answer decide_layouts(const Solve& solve, const Question& question, const Options& options);

// All of `kinds` have the answer None; otherwise why not.
std::optional<Abstained> unless_none(const Solve& solve, const Question& question, const Options& options,
                                     std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds) {
    const Answer answer = decide_layouts(solve, {kind, question.layout, nullptr}, options);
    if (const auto* abstained = std::get_if<Abstained>(&answer)) return *abstained;
    if (!std::holds_alternative<None>(answer))
      return abstain("only a count of injective layouts without missing elements is encoded");
  }
  return std::nullopt;
}

Answer decide_layouts(const Solve& solve, const Question& question, const Options& options) {
  if (auto answer = decide_empty(question)) return std::move(*answer);
  if (question.kind == Kind::Count) {
    if (auto why = unless_none(solve, question, options, {Kind::Escapes, Kind::Collides})) return *why;
    return Counted{question.layout->domain().volume()};
  }
  if (question.kind == Kind::Misses) {
    if (!question.layout->decode()) return abstain("coverage without a decode map is not encoded");
    if (auto why = unless_none(solve, question, options, {Kind::Misdecodes})) return *why;
  }
  const auto encoded = encode(question);
  if (!encoded) return abstain("not encoded: replicas of two layouts, or a number beyond 64 bits");
  Answer answer = solve_one(solve, *encoded, options);
  auto* found = std::get_if<Found>(&answer);
  const bool ordered = question.kind == Kind::Collides && question.other == nullptr;
  if (found != nullptr && ordered && found->witness.q < found->witness.p) std::swap(found->witness.p, found->witness.q);
  return answer;
}

Answer decide_lanes(const Solve& solve, const BankQuestion& question, const Options& options) {
  const auto encoded = encode_lanes(question);
  return encoded ? solve_one(solve, *encoded, options)
                 : Answer(abstain("not encoded: a count, or a limit other than 0"));
}

std::optional<Answer> empty_layouts(const Question& question) {
  const map::Layout& layout = *question.layout;
  const bool no_slots = layout.physical().volume() == 0;
  const bool no_points = layout.domain().volume() == 0;
  if (question.kind == Kind::Differs)  // the other one may have slots where this one has none
    return layout.logical().volume() == 0 ? std::optional(Answer(None{})) : std::nullopt;
  if (question.kind == Kind::Collides && question.other != nullptr && question.other->domain().volume() == 0)
    return None{};
  if (!no_points && !no_slots) return std::nullopt;
  if (question.kind == Kind::Misses && !no_slots) return Found{{{}, {}, Point(layout.physical().rank(), 0)}, true};
  if (question.kind == Kind::Count) return Counted{0};
  if (question.kind == Kind::Escapes && !no_points) return Found{{Point(layout.domain().rank(), 0), {}, {}}, true};
  return None{};
}

std::optional<Answer> empty_nests(const TransferQuestion& question) {
  const map::Layout& destination = question.destination->layout;
  const bool differs = question.kind == Kind::Differs;
  const bool serves = differs || question.kind == Kind::Misses;
  const bool no_pair = question.source->layout.domain().volume() == 0 || destination.domain().volume() == 0;
  const auto& nests = question.transfer->nests;
  const auto busy = std::ranges::find_if(
      nests, [](const use::Nest& nest) { return std::ranges::find(nest.extents, 0) == nest.extents.end(); });
  if (differs && no_pair && busy != nests.end()) {
    Point move(busy->extents.size() + 1, 0);
    move[0] = busy - nests.begin();
    return Found{{std::move(move), {}, {}}, true};
  }
  if (serves && destination.domain().volume() == 0) return None{};
  if (busy != nests.end()) return std::nullopt;
  if (serves) return Found{{{}, Point(destination.domain().rank(), 0), {}}, true};
  return None{};
}

}  // namespace

std::optional<Answer> decide_empty(const Query& query) {
  return std::visit(overloaded{[](const Question& asked) { return empty_layouts(asked); },
                               [](const TransferQuestion& asked) { return empty_nests(asked); },
                               [](const BankQuestion&) { return std::optional<Answer>(); }},
                    query.of);
}

Answer decide_by(const Solve& solve, const Query& query, const Options& options) {
  return std::visit(overloaded{[&](const Question& asked) { return decide_layouts(solve, asked, options); },
                               [&](const TransferQuestion& asked) { return decide_nests_by(solve, asked, options); },
                               [&](const BankQuestion& asked) { return decide_lanes(solve, asked, options); }},
                    query.of);
}

void write_obligations(const Write& write, const Query& query) {
  if (const auto* nests = std::get_if<TransferQuestion>(&query.of)) return write_nests(write, *nests);
  const auto* layouts = std::get_if<Question>(&query.of);
  const auto encoded = layouts != nullptr ? encode(*layouts) : encode_lanes(std::get<BankQuestion>(query.of));
  if (encoded) write(std::string(question::name(query.kind())), encoded->obligation, encoded->theory);
}

}  // namespace vl::engines
