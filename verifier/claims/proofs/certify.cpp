#include "verifier/claims/proofs/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/proofs/evidence.h"
#include "verifier/engines/linear/linear_equations.h"
#include "verifier/engines/solvers/propositional.h"

namespace vl::claims {
namespace {

using checker::ByDigits;
using checker::ByWalking;
using checker::Certificate;
using checker::Evidence;
using checker::Form;
using checker::Forms;
using checker::Layout;
using checker::Proof;
using checker::Questions;
using checker::Row;
using checker::Statement;
using Candidate = std::optional<Proof>;
using Field = Candidate Evidence::*;

constexpr long long kWalk = 1 << 20;  // points that are walked over where no other form shows a statement

// A counterexample's elements, where the checker knows how to look at them.
std::optional<checker::Showing> witness_of(const Counterexample& counterexample, bool pairs) {
  std::optional<checker::Point> a, b;
  for (const auto& [name, value] : counterexample.fields) {
    const auto* point = std::get_if<Point>(&value);
    if (point != nullptr && name == "a") a.emplace(point->begin(), point->end());
    if (point != nullptr && name == "b" && pairs) b.emplace(point->begin(), point->end());
  }
  return a ? std::optional(checker::Showing{*a, b}) : std::nullopt;
}

// The parts of one certificate's evidence, found one after the other.
class Maker {
 public:
  Maker(const Layout& a, const Layout* b) : a_(a), b_(b) {
    Evidence none;
    box_ = Questions(a, b, none).box();
  }

  // What is asked over these digits.
  template <class Work>
  auto over(const Groups& groups, const Work& work) const {
    Evidence alone;
    alone.digits = groups;
    Questions asked(a_, b_, alone);
    return work(asked);
  }
  // Digits over which all that `look` does has a form.
  void find_digits(const std::function<void(Questions&)>& look) {
    const std::vector<std::size_t> parts{a_.logical, a_.map.domain.rank() - a_.logical,
                                         box_.rank() - a_.map.domain.rank()};
    digits_ = digits_for(box_, parts, [&](const Groups& groups) { over(groups, look); });
  }

  // The first of the candidates for a field that shows it. Those over digits are out where there are none.
  bool settle(Field field, std::vector<Candidate> candidates, const std::function<void(Questions&)>& show) {
    for (Candidate& candidate : candidates) {
      if (!candidate || (is_over_digits(*candidate) && !digits_)) continue;
      const auto digits = is_over_digits(*candidate) ? digits_ : evidence_.digits;
      const bool shows = std::holds_alternative<ByWalking>(*candidate) || unless_rejected([&] {
                           Evidence alone;
                           alone.*field = candidate, alone.digits = digits;
                           Questions questions(a_, b_, alone);
                           return show(questions), true;
                         });  // one walk is enough: the whole is checked in the end
      if (!shows) continue;
      evidence_.*field = std::move(candidate), evidence_.digits = digits;
      return true;
    }
    return false;
  }
  // The same by a refutation of the obligation's clauses, which is looked for last.
  bool settle_by_clauses(Field field, checker::Obligation::Kind kind, const checker::Space& box,
                         const std::function<void(Questions&)>& show) {
    auto found = engines::solve_propositional({kind, &a_, b_, &box}, {});
    if (found.outcome != engines::PropositionalAnswer::Outcome::None) return false;
    return settle(field, {checker::ByClauses{found.variables, found.clauses, std::move(found.drat)}}, show);
  }
  // The digits alone are the evidence.
  bool take_digits() { return (evidence_.digits = digits_).has_value(); }
  // Steps over the digits, where there are some.
  template <class Steps>
  Candidate steps(const std::function<std::vector<bool>(Forms&, const std::vector<Form>&)>& known) const {
    if (!digits_) return {};
    return over(*digits_, [&](Questions& asked) -> Candidate {
      const std::vector<Form> rows = asked.outputs(0);
      return Steps{peel_steps(asked.forms(), rows, known(asked.forms(), rows))};
    });
  }
  [[nodiscard]] Candidate walk() const { return box_.volume() <= kWalk ? Candidate(ByWalking{}) : std::nullopt; }

  // Why the equations that a place in common would solve have no solution.
  bool show_no_meeting(std::int64_t at) {
    return take_digits() && unless_rejected([&] {
             const auto made = over(*digits_, [&](Questions& asked) { return asked.meeting(at); });
             engines::LinearEffort effort;
             const auto answer =
                 engines::solve({narrowed(made.rows), narrowed(made.right), narrowed(made.extents)}, effort);
             const auto* none = std::get_if<engines::Unsolvable>(&answer);
             if (none != nullptr) evidence_.overlaps = checker::ByNoSolution{none->proof};
             return none != nullptr;
           });
  }
  // The steps of the points of one map, where peeling leaves some: linear equations of their differences.
  Candidate one_to_one() const {
    if (!digits_) return {};
    return unless_rejected([&]() -> Candidate {
      const auto made = over(*digits_, [](Questions& asked) { return asked.telling(); });
      engines::LinearEffort effort;
      engines::OneToOne proved = engines::one_to_one(narrowed(made.rows), narrowed(made.extents), effort);
      if (!std::holds_alternative<engines::Unsolvable>(proved.answer)) return {};
      return checker::ByEquations{{std::move(proved.order), std::move(proved.first)}};
    });
  }

  Evidence evidence_;

 private:
  static std::vector<Index> narrowed(const std::vector<checker::Wide>& row) {
    std::vector<Index> out;
    out.reserve(row.size());
    for (const checker::Wide& number : row) out.push_back(number.narrow());
    return out;
  }
  static std::vector<std::vector<Index>> narrowed(const std::vector<std::vector<checker::Wide>>& rows) {
    std::vector<std::vector<Index>> out;
    out.reserve(rows.size());
    for (const auto& row : rows) out.push_back(narrowed(row));
    return out;
  }
  static bool is_over_digits(const Proof& proof) {
    return !std::holds_alternative<ByWalking>(proof) && !std::holds_alternative<checker::ByLeftInverse>(proof) &&
           !std::holds_alternative<checker::ByClauses>(proof);
  }

  const Layout& a_;
  const Layout* b_;
  checker::Space box_;
  std::optional<Groups> digits_;
};

// Everything that any claim asks of one layout has a form.
void look_at(const Layout& layout, Questions& asked) {
  std::vector<Form> slot = asked.outputs(0);
  Forms& forms = asked.forms();
  if (layout.identity) static_cast<void>(forms.of(layout.identity->second));
  if (!layout.decode) return;
  for (std::size_t i = 0; i < layout.map.domain.rank(); ++i) static_cast<void>(forms.of(Row{0, {{i, 1}}}));
  slot.resize(layout.physical.rank());
  static_cast<void>(checker::run(layout.decode->stages, std::move(slot), forms));
}

bool show_points(Maker& maker, const checker::Space& box, Field field, checker::Obligation::Kind kind,
                 const std::function<void(Questions&)>& show) {
  return maker.settle(field, {ByDigits{}, maker.walk()}, show) || maker.settle_by_clauses(field, kind, box, show);
}

bool show_landing(Maker& maker, const checker::Space& box, Field field) {
  return show_points(maker, box, field, checker::Obligation::Escapes, [&](Questions& q) { q.all_land(box, field); });
}

bool show_distinct(Maker& maker, const Layout& layout, bool replicas_only) {
  const Candidate strided = maker.steps<checker::BySteps>([&](Forms& forms, const std::vector<Form>&) {
    std::vector<bool> known(forms.atoms(), false);
    if (replicas_only) std::fill_n(known.begin(), forms.atoms_of(layout.logical), true);
    return known;
  });
  Candidate gf2;
  if (auto left = replicas_only ? std::nullopt : left_inverse(layout.map)) gf2 = checker::ByLeftInverse{*left};
  const auto show = [&](Questions& q) { q.none_collide(replicas_only); };
  const Field field = &Evidence::collides;
  if (maker.settle(field, {strided, gf2}, show)) return true;
  return maker.settle(field, {replicas_only ? Candidate() : maker.one_to_one(), maker.walk()}, show) ||
         (!replicas_only && maker.settle_by_clauses(field, checker::Obligation::Collides, layout.physical, show));
}

bool show_count(Maker& maker) {
  const Candidate count =
      maker.steps<checker::ByCount>([](Forms& forms, const std::vector<Form>& rows) { return forms.unused(rows); });
  return maker.settle(&Evidence::occupied, {count, maker.walk()},
                      [](Questions& q) { static_cast<void>(q.occupied()); });
}

// A point with a slot: the first one mostly is, else they are walked over.
bool show_landed(Maker& maker, const Layout& layout,
                 std::optional<checker::Point> Evidence::*field = &Evidence::lands) {
  const checker::Space& domain = layout.map.domain;
  if (domain.volume() == 0) return false;
  const auto lands = [&](const checker::Point& p) {
    return layout.is_slot(checker::evaluate(layout.map, p), layout.physical);
  };
  std::optional<checker::Point> found;
  if (const checker::Point first(domain.rank(), 0); lands(first)) found = first;
  if (!found && domain.volume() <= kWalk)
    checker::for_each(domain, [&](const checker::Point& p) { found = !found && lands(p) ? p : found; });
  return (maker.evidence_.*field = std::move(found)).has_value();
}

// The evidence for one part; b is the second layout of claims that have one.
bool show_part(Part part, Maker& maker, const Layout& a, const Layout* b, std::int64_t at) {
  switch (part) {
    case Part::Digits: return maker.take_digits();
    case Part::Landing: return show_landed(maker, a);
    case Part::BothLand: return show_landed(maker, a) && show_landed(maker, *b, &Evidence::other_lands);
    case Part::InBox: return show_landing(maker, a.physical, &Evidence::escapes);
    case Part::Apart: return show_distinct(maker, a, false);
    case Part::ReplicasApart: return show_distinct(maker, a, true);
    case Part::Decoded:
      if (!a.decode) return show_distinct(maker, a, false);
      return show_points(maker, a.physical, &Evidence::misdecodes, checker::Obligation::Misdecodes,
                         [](Questions& q) { q.all_decode(); });
    case Part::InFilled: return !a.filled || show_landing(maker, *a.filled, &Evidence::filled);
    case Part::Counted: return show_count(maker);
    case Part::Identity:
      return show_points(maker, a.physical, &Evidence::breaks, checker::Obligation::Breaks,
                         [](Questions& q) { q.identity_holds(); });
    case Part::SamePlaces:
      return show_points(maker, a.physical, &Evidence::differs, checker::Obligation::Differs,
                         [](Questions& q) { q.same_places(); });
    case Part::TakenBack:
      return maker.settle(&Evidence::differs, {ByDigits{}, maker.walk()}, [](Questions& q) { q.takes_back(); });
    case Part::NeverMeet: return maker.show_no_meeting(at);
    case Part::None:
    case Part::Stated: return true;
    case Part::OperandsInBox:
    case Part::Instances:
    case Part::MovesInside:
    case Part::MovesApart:
    case Part::ServedOnce:
    case Part::Implemented:
    case Part::Reversed: break;
  }
  VL_CHECK(false, "a part that is not about one layout or two");
}

// Evidence for a claim about one layout or two.
std::optional<Evidence> evidence_for(const std::array<Part, 3>& proof, const Statement& statement) {
  const auto shows = [&](Part part) { return std::ranges::find(proof, part) != proof.end(); };
  Layout a = checker::parse_layout(*statement.map);
  auto b = statement.other ? std::optional(checker::parse_layout(*statement.other)) : std::nullopt;
  if (shows(Part::NeverMeet)) a.logical = b->logical = 0;  // no input in common
  Maker maker(a, b ? &*b : nullptr);
  maker.find_digits([&](Questions& asked) {
    if (!b) return look_at(a, asked);
    std::vector<Form> values = asked.outputs(0);
    if (!shows(Part::TakenBack)) return static_cast<void>(asked.outputs(1));
    for (std::size_t i = a.map.domain.rank(); i < asked.box().rank(); ++i)
      values.push_back(asked.forms().of(Row{0, {{i, 1}}}));
    static_cast<void>(checker::run(b->map.stages, std::move(values), asked.forms()));
    static_cast<void>(asked.forms().of(a.elements().number()));
  });
  for (const Part part : proof)
    if (!show_part(part, maker, a, b ? &*b : nullptr, statement.at.value_or(0))) return std::nullopt;
  return std::move(maker.evidence_);
}

// Whatever may be evidence for a proof, cheapest to check first. `accepted` keeps what the checker takes.
bool find_evidence(const Claim& claim, const Statement& statement,
                   const std::function<bool(std::optional<Evidence>)>& accepted) {
  const auto any = [&](std::vector<Evidence> candidates) { return std::ranges::any_of(candidates, accepted); };
  if (statement.transfer) return any(transfer_evidence(claim.proof.front(), *statement.transfer));
  if (statement.access) return any(access_evidence(*statement.access));
  if (statement.operands) {
    Evidence out;
    out.operands.emplace();
    for (const checker::LayoutText& operand : *statement.operands) {
      Statement alone;
      alone.map = operand;
      auto evidence = evidence_for({Part::InBox}, alone);
      if (!evidence) return false;
      out.operands->push_back(std::move(*evidence));
    }
    return accepted(std::move(out));
  }
  const bool stated = claim.proof.front() == Part::Stated;
  if (stated && accepted(Evidence{})) return true;
  return !(stated && claim.proof[1] == Part::None) && accepted(evidence_for(claim.proof, statement));
}

// What the checker's own code throws on numbers out of its reach passes through.
std::optional<Certificate> make_certificate(const Claim& claim, const Statement& statement, const Verdict& verdict) {
  Certificate out;
  out.statement = statement, out.digest = checker::digest(statement);
  const auto accepted = [&](std::optional<Evidence> evidence) {
    if (!evidence) return false;
    out.evidence = std::move(*evidence);
    return !checker::check(checker::as_written(out)).has_value();
  };
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    Evidence shown;
    shown.witness = witness_of(refuted->counterexample, !statement.other);
    return shown.witness && accepted(std::move(shown)) ? std::optional(out) : std::nullopt;
  }
  return find_evidence(claim, statement, accepted) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Certificate> certify(const Claim& claim, const Statement& statement, const Verdict& verdict) {
  // Without evidence within the checker's reach the proof stays the engine's word.
  return unless_rejected([&] { return make_certificate(claim, statement, verdict); });
}

std::string forms_of(const Evidence& evidence) {
  std::set<std::string> forms;
  if (evidence.form) forms.insert(*evidence.form);  // of an access
  if (evidence.overlaps) forms.insert(checker::ByNoSolution::kForm);
  for (const auto* proof : {&evidence.escapes, &evidence.filled, &evidence.collides, &evidence.misdecodes,
                            &evidence.breaks, &evidence.differs, &evidence.occupied})
    if (*proof) forms.insert(std::visit([](const auto& form) { return form.kForm; }, **proof));
  return forms.empty() ? "evaluation" : fmt::format("{}", fmt::join(forms, "+"));
}

}  // namespace vl::claims
