#include "verifier/claims/proofs/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/checker/check.h"
#include "verifier/checker/padded.h"
#include "verifier/checker/reductions.h"
#include "verifier/checker/row_starts.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/proofs/maker.h"

namespace vl::claims {
namespace {

using checker::ByDigits;
using checker::Certificate;
using checker::Evidence;
using checker::Form;
using checker::Forms;
using checker::Layout;
using checker::Questions;
using checker::Row;
using checker::Statement;
using Field = Questions::Field;

constexpr long long kHeld = 4 * checker::kMostBytes;  // by what is looked for, of which a check needs less
constexpr long long kLooked = 1 << 20;                // points among which one with a slot is looked for

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
  const bool slots_only = kind == checker::Obligation::Misdecodes || kind == checker::Obligation::Breaks;
  return maker.settle(field, {ByDigits{}}, show) || maker.settle_by_pieces(field, slots_only, show) ||
         maker.settle(field, {maker.walk()}, show) || maker.settle_by_clauses(field, kind, box, show);
}

bool show_landing(Maker& maker, const checker::Space& box, Field field) {
  const auto show = [&](Questions& q) { q.all_land(box, field); };
  return maker.settle(field, {ByDigits{}, checker::ByRanges{}}, show) ||
         show_points(maker, box, field, checker::Obligation::Escapes, show);
}

bool show_distinct(Maker& maker, const Layout& layout, bool replicas_only) {
  const auto peeled = [&] {
    return maker.steps<checker::BySteps>([&](Forms& forms, const std::vector<Form>&) {
      std::vector<bool> known(forms.atoms(), false);
      if (replicas_only) std::fill_n(known.begin(), forms.atoms_of(layout.logical), true);
      return known;
    });
  };
  const auto show = [&](Questions& q) { q.none_collide(replicas_only); };
  const Field field = &Evidence::collides;
  const auto inverse = [&]() -> Candidate {
    auto left = replicas_only ? std::nullopt : left_inverse(layout.map);
    return left ? Candidate(checker::ByLeftInverse{*left}) : std::nullopt;
  };
  if (maker.settle(field, {peeled()}, show) || maker.settle(field, {inverse()}, show) ||
      maker.settle(field, {checker::ByStages{}}, show))
    return true;
  maker.find_digits_of_places();
  if (maker.settle(field, {peeled(), replicas_only ? Candidate() : maker.one_to_one()}, show)) return true;
  const auto decodes = [](Questions& q) { q.all_decode(); };
  if (layout.decode && maker.settle_by_pieces(&Evidence::misdecodes, true, decodes)) {
    maker.evidence_.collides = checker::ByDecoding{};
    return true;
  }
  return maker.settle(field, {maker.walk()}, show) ||
         (!replicas_only && maker.settle_by_clauses(field, checker::Obligation::Collides, layout.physical, show));
}

bool show_count(Maker& maker) {
  const auto counted = [&] {
    return maker.steps<checker::ByCount>(
        [](Forms& forms, const std::vector<Form>& rows) { return forms.unused(rows); });
  };
  const Field field = &Evidence::occupied;
  const auto show = [](Questions& q) { static_cast<void>(q.occupied()); };
  if (maker.settle(field, {counted(), checker::ByStages{}}, show)) return true;
  maker.find_digits_of_places();
  return maker.settle(field, {checker::ByCover{}, counted()}, show) || maker.settle_by_pieces(field, true, show) ||
         maker.settle(field, {maker.walk()}, show);
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
    case Part::Digits: return maker.take_digits();
    case Part::Landing: return show_landed(maker, a);
    case Part::BothLand: return show_landed(maker, a) && show_landed(maker, *b, &Evidence::other_lands);
    case Part::RowStarts:  // of the layout at_row_starts
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
    case Part::Runs: return show_runs(maker, a) && (b == nullptr || show_part(Part::SamePlaces, maker, a, b, at));
    case Part::TakenBack:
      return maker.settle(&Evidence::differs, {ByDigits{}}, [](Questions& q) { q.takes_back(); }) ||
             maker.settle_by_pieces(&Evidence::differs, false, [](Questions& q) { q.takes_back(); }) ||
             maker.settle(&Evidence::differs, {maker.walk()}, [](Questions& q) { q.takes_back(); });
    case Part::NeverMeet: return maker.show_no_meeting(at);
    case Part::WholeSticks: return maker.show_whole_sticks();
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
std::optional<Evidence> evidence_for(const std::array<Part, 3>& proof, const Statement& statement, Effort& effort) {
  const auto shows = [&](Part part) { return std::ranges::find(proof, part) != proof.end(); };
  Layout a = checker::parse_layout(*statement.map);
  auto b = statement.other ? std::optional(checker::parse_layout(*statement.other)) : std::nullopt;
  if (shows(Part::NeverMeet)) a.logical = b->logical = 0;  // no input in common
  if (shows(Part::RowStarts)) a = checker::at_row_starts(std::move(a), *statement.base, *statement.bits);
  Maker maker(a, b ? &*b : nullptr, effort);
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

// Whether the pads of an operand hold every code that its elements do.
bool pads_may_be_elements(const Statement& statement, std::size_t operand) {
  if (!statement.reductions) return checker::sets_hold_elements(statement, operand);
  return std::ranges::all_of(*statement.reductions, [&](const checker::ReductionText& reduction) {
    const auto held = statement.held ? statement.held->at(operand) : checker::HeldText{reduction.contents, {}};
    return checker::holds_elements(reduction, operand, held);
  });
}

// Whatever may be evidence for a proof, cheapest to check first. `accepted` keeps what the checker takes.
bool find_evidence(const Claim& claim, const Statement& statement, Effort& effort,
                   const std::function<bool(std::optional<Evidence>)>& accepted) {
  const auto any = [&](std::vector<Evidence> candidates) { return std::ranges::any_of(candidates, accepted); };
  if (statement.transfer) return any(transfer_evidence(claim.proof.front(), *statement.transfer));
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
      const bool apart = reads_pads && !pads_may_be_elements(statement, i);
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
  evidence->sticks = checker::ByWalking{};  // the steps leave too much open
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
    return checker::is_writable(out) && !checker::check(out.statement, out.evidence).has_value();
  };
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    Evidence shown;
    shown.witness = witness_of(refuted->counterexample, !statement.other);
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
    return out->derived && !checker::check(statement, *out) ? std::move(out) : std::nullopt;
  });
}

Certificate certificate_of(const Statement& statement, Evidence evidence) {
  Certificate out;
  out.statement = statement, out.digest = checker::digest(statement), out.evidence = std::move(evidence);
  return out;
}

std::optional<Certificate> certify(const Claim& claim, const Statement& statement, const Verdict& verdict,
                                   Effort effort) {
  auto evidence = evidence_of(claim, statement, verdict, effort);
  return evidence ? std::optional(certificate_of(statement, std::move(*evidence))) : std::nullopt;
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
