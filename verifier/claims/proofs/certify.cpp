#include "verifier/claims/proofs/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "verifier/checker/row_starts.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/proofs/evidence.h"
#include "verifier/engines/cells/steps.h"
#include "verifier/values_kernel/check.h"
#include "verifier/values_kernel/padded.h"
#include "verifier/values_kernel/reductions.h"

namespace vl::claims {
namespace {

using checker::Certificate;
using checker::Evidence;
using checker::Layout;
using checker::Questions;
using checker::Statement;
using engines::cells::Goal;
using Field = Questions::Field;

constexpr long long kHeld = 4 * checker::kMostBytes;  // by what is looked for, of which a check needs less
constexpr long long kLooked = 1 << 20;                // points among which one with a slot is looked for

// The number of the rule that a counterexample names, of `keeps` the one that there is.
std::optional<checker::Showing> rule_shown(const Counterexample& counterexample,
                                           const std::vector<checker::Rule>& rules) {
  const auto named =
      std::ranges::find_if(counterexample.fields, [](const auto& field) { return field.first == "rule"; });
  const auto* name = named == counterexample.fields.end() ? nullptr : std::get_if<std::string>(&named->second);
  const auto broken = std::ranges::find_if(rules, [&](const checker::Rule& rule) {
    return rule.have != rule.want && (name == nullptr || rule.statement == *name);
  });
  if (broken == rules.end()) return std::nullopt;
  return checker::Showing{{static_cast<long long>(broken - rules.begin())}, std::nullopt};
}

// The element that is carried wrongly, or the move that is no element's.
std::optional<checker::Showing> carried_shown(const Counterexample& counterexample) {
  checker::Showing out;
  for (const auto& [name, value] : counterexample.fields) {
    const auto* point = std::get_if<Point>(&value);
    if (point != nullptr && name == "a") return checker::Showing{{point->begin(), point->end()}, std::nullopt};
    if (point != nullptr && name == "t") out.b.emplace(point->begin(), point->end());
    if (name == "transfer") out.a = {std::get<Index>(value)};
  }
  return out.b ? std::optional(std::move(out)) : std::nullopt;
}

// The byte that a counterexample names.
std::optional<checker::Showing> byte_shown(const Counterexample& counterexample) {
  const auto* byte = std::get_if<Index>(&counterexample.fields.front().second);
  return byte == nullptr ? std::nullopt : std::optional(checker::Showing{{*byte}, std::nullopt});
}

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

// The parts of one certificate's evidence about one layout or two. Steps that do not walk over points have been
// replayed where they were found; the whole is checked in the end.
class Maker {
 public:
  Maker(const Layout& a, const Layout* b, Effort& effort) : a_(a), b_(b), effort_(effort) {}

  bool show(Field field, Goal goal, const checker::Space* box = nullptr, std::int64_t at = 0) {
    if (effort_.is_spent()) return false;
    const bool two = goal == Goal::Equal || goal == Goal::Returns || goal == Goal::Disjoint;
    engines::cells::Task task{goal, a_, two ? b_ : nullptr, box};
    task.at = at;
    auto found = engines::cells::find(task);
    if (found) evidence_.*field = std::move(*found);
    return found.has_value();
  }

  Evidence evidence_;

 private:
  const Layout& a_;
  const Layout* b_;
  Effort& effort_;
};

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
  if (!found && domain.volume() <= kLooked)
    checker::for_each(domain, [&](const checker::Point& p) { found = !found && lands(p) ? p : found; });
  return (maker.evidence_.*field = std::move(found)).has_value();
}

// Ends of runs that show that no greater block is read in one piece: at blocks whose numbers have no divisor in common
// with the number of blocks.
bool show_runs(Maker& maker, const Layout& reads) {
  const checker::Space& points = reads.map.domain;
  const auto memory = std::ranges::find(reads.physical.names, "m") - reads.physical.names.begin();
  checker::Space blocks = points;
  blocks.names.pop_back(), blocks.extents.pop_back();
  checker::Wide divisor = blocks.extents.back();
  auto& ends = maker.evidence_.runs.emplace();
  if (blocks.volume() > kLooked * 4) return false;
  checker::for_each(blocks, [&](const checker::Point& block) {
    if (divisor == 1 || block.back() == 0) return;
    const checker::Wide common = checker::gcd(divisor, block.back());
    if (common == divisor) return;
    checker::Point first = block, last = block;
    first.push_back(0), last.back() = last.back() - 1, last.push_back(points.extents.back() - 1);
    checker::Point expected = checker::evaluate(reads.map, last);
    expected[static_cast<std::size_t>(memory)] += 1;
    if (checker::evaluate(reads.map, first) == expected) return;
    divisor = common, ends.push_back(block);
  });
  return divisor == 1;
}

// The evidence for one part; b is the second layout of claims that have one.
bool show_part(Part part, Maker& maker, const Layout& a, const Layout* b, std::int64_t at) {
  switch (part) {
    case Part::Defined: return maker.show(&Evidence::defined, Goal::Defined);
    case Part::Landing: return show_landed(maker, a);
    case Part::BothLand: return show_landed(maker, a) && show_landed(maker, *b, &Evidence::other_lands);
    case Part::RowStarts:  // of the layout at_row_starts
    case Part::InBox: return maker.show(&Evidence::escapes, Goal::In);
    case Part::Apart: return maker.show(&Evidence::collides, Goal::Apart);
    case Part::ReplicasApart: return maker.show(&Evidence::collides, Goal::ReplicasApart);
    case Part::Decoded:
      return a.decode ? maker.show(&Evidence::misdecodes, Goal::Back) : maker.show(&Evidence::collides, Goal::Apart);
    case Part::InFilled: return !a.filled || maker.show(&Evidence::filled, Goal::In, &*a.filled);
    case Part::Counted: return maker.show(&Evidence::occupied, Goal::Count);
    case Part::Identity: return maker.show(&Evidence::breaks, Goal::Identity);
    case Part::SamePlaces: return maker.show(&Evidence::differs, Goal::Equal);
    case Part::Runs: return show_runs(maker, a) && (b == nullptr || show_part(Part::SamePlaces, maker, a, b, at));
    case Part::TakenBack: return maker.show(&Evidence::differs, Goal::Returns, b->filled ? &*b->filled : &b->physical);
    case Part::NeverMeet: return maker.show(&Evidence::overlaps, Goal::Disjoint, nullptr, at);
    case Part::WholeSticks: return maker.show(&Evidence::sticks, Goal::Sticks);
    case Part::None:
    case Part::OperandsApart:
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
std::optional<Evidence> evidence_for(const std::array<Part, 3>& proof, const Statement& statement, Effort& effort) {
  const auto shows = [&](Part part) { return std::ranges::find(proof, part) != proof.end(); };
  Layout a = checker::parse_layout(*statement.map);
  auto b = statement.other ? std::optional(checker::parse_layout(*statement.other)) : std::nullopt;
  if (shows(Part::NeverMeet)) a.logical = b->logical = 0;  // no input in common
  if (shows(Part::RowStarts)) a = checker::at_row_starts(std::move(a), *statement.base, *statement.bits);
  Maker maker(a, b ? &*b : nullptr, effort);
  for (const Part part : proof)
    if (!show_part(part, maker, a, b ? &*b : nullptr, statement.at.value_or(0))) return std::nullopt;
  return std::move(maker.evidence_);
}

// Whether the pads of an operand hold every code that its elements do.
bool pads_may_be_elements(const Statement& statement, std::size_t operand) {
  if (!statement.reductions) return values_kernel::sets_hold_elements(statement, operand);
  return std::ranges::all_of(*statement.reductions, [&](const checker::ReductionText& reduction) {
    const auto held = statement.held ? statement.held->at(operand) : checker::HeldText{reduction.contents, {}};
    return values_kernel::holds_elements(reduction, operand, held);
  });
}

// Whatever may be evidence for a proof, cheapest to check first. `accepted` keeps what the checker takes.
bool find_evidence(const Claim& claim, const Statement& statement, Effort& effort,
                   const std::function<bool(std::optional<Evidence>)>& accepted) {
  const auto any = [&](std::vector<Evidence> candidates) { return std::ranges::any_of(candidates, accepted); };
  if (statement.transfer) return accepted(transfer_evidence(claim.proof.front(), *statement.transfer));
  if (statement.access) return any(access_evidence(*statement.access));
  if (statement.operands) {
    auto of_layouts = statement.map ? evidence_for(claim.proof, statement, effort) : std::optional(Evidence{});
    if (!of_layouts) return false;
    Evidence out = std::move(*of_layouts);
    out.operands.emplace();
    for (std::size_t i = 0; i < statement.operands->size(); ++i) {
      Statement alone;
      alone.map = (*statement.operands)[i];
      // Where pads hold other codes than elements, no index beyond an element's may have its slot.
      const bool reads_pads = statement.reductions || statement.images || statement.row_states;
      const bool apart =
          claim.proof.back() == Part::OperandsApart || (reads_pads && !pads_may_be_elements(statement, i));
      auto evidence = apart ? evidence_for({Part::InBox, Part::Apart}, alone, effort) : std::nullopt;
      if (!evidence) evidence = evidence_for({Part::InBox}, alone, effort);
      if (!evidence) return false;
      out.operands->push_back(std::move(*evidence));
    }
    return accepted(std::move(out));
  }
  const bool stated = claim.proof.front() == Part::Stated;
  if (stated && accepted(Evidence{})) return true;
  if (stated && claim.proof[1] == Part::None) return false;
  auto evidence = evidence_for(claim.proof, statement, effort);
  if (accepted(evidence)) return true;
  if (!evidence || !evidence->sticks) return false;
  evidence->sticks = engines::cells::walked(std::move(*evidence->sticks));  // the steps leave too much open
  return accepted(std::move(evidence));
}

// What the checker's own code throws on numbers out of its reach passes through.
std::optional<Evidence> make_evidence(const Claim& claim, const Statement& statement, const Verdict& verdict,
                                      Effort& effort) {
  Certificate out;
  out.statement = statement;
  const auto accepted = [&](std::optional<Evidence> evidence) {
    if (!evidence) return false;
    out.evidence = std::move(*evidence);
    return checker::is_writable(out) && !values_kernel::check(out.statement, out.evidence).has_value();
  };
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    Evidence shown;
    shown.witness = statement.transfer                  ? carried_shown(refuted->counterexample)
                    : statement.fills                   ? byte_shown(refuted->counterexample)
                    : statement.rules && !statement.map ? rule_shown(refuted->counterexample, *statement.rules)
                                                        : witness_of(refuted->counterexample, !statement.other);
    return shown.witness && accepted(std::move(shown)) ? std::optional(std::move(out.evidence)) : std::nullopt;
  }
  return find_evidence(claim, statement, effort, accepted) ? std::optional(std::move(out.evidence)) : std::nullopt;
}

// Evidence that each derived layout is what the law of its operation gives; nothing where one has none.
std::optional<std::vector<Evidence>> evidence_of_laws(std::vector<checker::DerivedText> derived, Effort& effort) {
  const Claim& same = *find_claim("equal");
  std::vector<Evidence> out;
  for (checker::DerivedText& one : derived) {
    Statement pair;
    pair.claim = same.name, pair.verdict = "proved";
    pair.map = std::move(one.result), pair.other = std::move(one.law);
    auto shown = make_evidence(same, pair, Proved{}, effort);
    if (!shown) return std::nullopt;
    out.push_back(std::move(*shown));
  }
  return out;
}

}  // namespace

std::optional<Evidence> evidence_of(const Claim& claim, const Statement& statement, const Verdict& verdict,
                                    Effort effort) {
  // Without evidence within the checker's reach the proof stays the engine's word.
  const checker::Metered metered(effort.most(), kHeld);
  return unless_rejected([&]() -> std::optional<Evidence> {
    Statement alone = statement;
    auto derived = std::exchange(alone.derived, std::nullopt);
    auto out = make_evidence(claim, alone, verdict, effort);
    if (!out || !derived) return out;
    out->derived = evidence_of_laws(std::move(*derived), effort);
    return out->derived && !values_kernel::check(statement, *out) ? std::move(out) : std::nullopt;
  });
}

std::vector<std::string> files_entered(const Statement& statement, const Evidence& evidence) {
  bool accepted = false;
  const kernel::Files files =
      kernel::entered_by([&] { accepted = !values_kernel::check(statement, evidence).has_value(); });
  VL_CHECK(accepted, "a proof that is rejected when it is checked again");
  return {files.begin(), files.end()};
}

Certificate certificate_of(const Statement& statement, Evidence evidence) {
  Certificate out;
  out.statement = statement, out.digest = checker::digest(statement), out.evidence = std::move(evidence);
  return out;
}

std::optional<Certificate> certify(const Claim& claim, const Statement& statement, const Verdict& verdict,
                                   Effort effort) {
  auto evidence = evidence_of(claim, statement, verdict, std::move(effort));
  return evidence ? std::optional(certificate_of(statement, std::move(*evidence))) : std::nullopt;
}

std::string forms_of(const Evidence& evidence) {
  std::set<std::string> forms;
  if (evidence.free) forms.insert(std::ranges::count(*evidence.free, true) == 0 ? "sweep" : "cells");
  for (const auto* steps : {&evidence.escapes, &evidence.filled, &evidence.collides, &evidence.misdecodes,
                            &evidence.breaks, &evidence.differs, &evidence.occupied, &evidence.defined,
                            &evidence.overlaps, &evidence.moves, &evidence.sticks})
    if (*steps)
      forms.insert(std::ranges::find((**steps), "sweep", &kernel::Step::name) != (*steps)->end() ? "sweep" : "cells");
  return forms.empty() ? "evaluation" : fmt::format("{}", fmt::join(forms, "+"));
}

}  // namespace vl::claims
