#include "verifier/engines/solvers/obligations.h"

namespace vl::engines {
namespace {

using smt::Formula;
using smt::Obligation;

// The slots of the two layouts differ at one element without replicas.
Formula differ(Encoded& out, const Question& question, const Terms& a, const Terms& b) {
  const Formula slot_a = is_slot(*question.layout, a);
  const Formula slot_b = is_slot(*question.other, b);
  Formula same = out.equal(row_major(question.layout->physical(), a), row_major(question.other->physical(), b));
  return smt::any_of({smt::all_of({slot_a, smt::negate(slot_b)}), smt::all_of({slot_b, smt::negate(slot_a)}),
                      smt::all_of({slot_a, slot_b, smt::negate(std::move(same))})});
}

// Two points in one slot: of one layout, where they are different, or of two in one buffer.
void require_shared(Encoded& out, const Question& question, const Located& at) {
  Obligation& obligation = out.obligation;
  const map::Layout& other = question.other != nullptr ? *question.other : *question.layout;
  const Located also = located(obligation, other);
  out.q = also.point.size();
  out.either_way = question.other == nullptr;
  obligation.require(is_slot(*question.layout, at.outputs));
  if (question.other != nullptr) obligation.require(is_slot(other, also.outputs));  // whose guards are 0 too
  obligation.require(same(at.outputs, also.outputs));
  if (question.other == nullptr) obligation.require(smt::negate(same(at.point, also.point)));
}

// A slot that is not valid: decode leaves the domain, or its guards are not 0, or the decoded point lives elsewhere.
void require_invalid(Encoded& out, const map::Layout& layout, const Terms& slot) {
  const Decoding decoding = decode(out.obligation, layout, slot);
  out.obligation.require(decoding.unless(decoding.lives_here));
}

// Nothing where the question is not one existential obligation.
std::optional<Encoded> encode(const Question& question) {
  const map::Layout& layout = *question.layout;
  Encoded out;
  Obligation& obligation = out.obligation;
  if (question.kind == Kind::Misses && layout.decode()) {
    const Terms slot = obligation.point_of(layout.physical());
    out.slot = slot.size();
    require_invalid(out, layout, slot);
    return out;
  }
  const Located at = located(obligation, layout);
  out.p = at.point.size();
  switch (question.kind) {
    case Kind::Escapes: obligation.require(smt::negate(is_slot(layout, at.outputs))); return out;
    case Kind::Lands: obligation.require(is_slot(layout, at.outputs)); return out;
    case Kind::Collides: require_shared(out, question, at); return out;
    case Kind::Misdecodes: {
      const Terms slot = obligation.point_of(layout.physical());
      obligation.require(is_slot(layout, at.outputs));
      obligation.require(same(slot, at.outputs));
      require_invalid(out, layout, slot);
      return out;
    }
    case Kind::Breaks: {
      obligation.require(is_slot(layout, at.outputs));
      obligation.require(smt::negate(
          out.equal(linear(layout.identity()->slot, at.outputs), linear(layout.identity()->element, at.point))));
      return out;
    }
    case Kind::Differs: {
      if (layout.replicas().rank() > 0 || question.other->replicas().rank() > 0) return std::nullopt;
      obligation.require(differ(out, question, at.outputs, obligation.apply(question.other->map(), at.point)));
      return out;
    }
    case Kind::Misses:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  return std::nullopt;
}

// All of `kinds` have the answer None; otherwise why not.
std::optional<Abstained> unless_none(const Solve& solve, const Question& question, const Options& options,
                                     std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds) {
    const Answer answer = solve_one(solve, *encode({kind, question.layout, nullptr}), options.budget);
    if (const auto* abstained = std::get_if<Abstained>(&answer)) return *abstained;
    if (!std::holds_alternative<None>(answer))
      return abstain("only a count of injective layouts without missing elements is encoded");
  }
  return std::nullopt;
}

Answer decide_layouts(const Solve& solve, const Question& question, const Options& options) {
  if (question.kind == Kind::Count) {
    if (auto why = unless_none(solve, question, options, {Kind::Escapes, Kind::Collides})) return *why;
    return Counted{question.layout->domain().volume()};
  }
  if (question.kind == Kind::Misses) {
    if (!question.layout->decode()) return abstain("coverage without a decode map is not encoded");
    if (auto why = unless_none(solve, question, options, {Kind::Misdecodes})) return *why;
  }
  const auto encoded = encode(question);
  return encoded ? solve_one(solve, *encoded, options.budget) : Answer(abstain("not encoded: replicas of two layouts"));
}

}  // namespace

Answer solve_one(const Solve& solve, const Encoded& encoded, const Budget& left) {
  if (!encoded.fits) return abstain("not encoded: a number beyond 64 bits");
  const Solved solved = solve(encoded.obligation, left, encoded.theory);
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
  for (std::size_t k = 0; k < encoded.nests.size(); ++k) {
    Point& move = k == 0 ? witness.p : witness.q;
    move.insert(move.begin(), encoded.nests[k]);
  }
  if (encoded.either_way && witness.q < witness.p) std::swap(witness.p, witness.q);
  return Found{std::move(witness), solved.smallest};
}

Answer decide_by(const Solve& solve, const Query& query, const Options& options) {
  return std::visit(overloaded{[&](const Question& asked) { return decide_layouts(solve, asked, options); },
                               [&](const TransferQuestion& asked) { return decide_nests_by(solve, asked, options); },
                               [&](const BankQuestion& asked) {
                                 const auto encoded = encode_lanes(asked);
                                 return encoded ? solve_one(solve, *encoded, options.budget)
                                                : Answer(abstain("not encoded: a count, or a limit other than 0"));
                               }},
                    query.of);
}

void write_obligations(const Write& write, const Query& query) {
  if (const auto* nests = std::get_if<TransferQuestion>(&query.of)) return write_nests(write, *nests);
  const auto* layouts = std::get_if<Question>(&query.of);
  const auto encoded = layouts != nullptr ? encode(*layouts) : encode_lanes(std::get<BankQuestion>(query.of));
  if (encoded && encoded->fits) write(std::string(question::name(query.kind())), encoded->obligation, encoded->theory);
}

}  // namespace vl::engines
