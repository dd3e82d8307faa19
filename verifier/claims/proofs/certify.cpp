#include "verifier/claims/proofs/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/proofs/evidence.h"
#include "verifier/claims/transfers.h"
#include "verifier/engines/linear/linear_equations.h"
#include "verifier/engines/solvers/propositional.h"

namespace vl::claims {
namespace {

using checker::Fields;
using checker::Form;
using checker::Forms;
using checker::Layout;
using checker::Questions;
using checker::Row;
using Json = nlohmann::json;

constexpr long long kWalk = 1 << 20;  // points that are walked over where no other form shows a statement

const Json kDigits{{"form", "digits"}};
const Json kWalking{{"form", "exhaustion"}};

// A counterexample's elements, where the checker knows how to look at them.
std::optional<Json> witness_of(const Counterexample& counterexample, bool pairs) {
  Json out = Json::object();
  for (const auto& [name, value] : counterexample.fields)
    if (const auto* point = std::get_if<Point>(&value); point != nullptr && (name == "a" || (pairs && name == "b")))
      out[name] = *point;
  return out.contains("a") ? std::optional(out) : std::nullopt;
}

// The parts of one certificate's evidence, found one after the other.
class Maker {
 public:
  Maker(const Layout& a, const Layout* b) : a_(a), b_(b), box_(a.map.domain) {
    for (std::size_t i = 0; i < a.map.domain.rank(); ++i) inputs_[0].push_back(i);
    for (std::size_t i = 0; i < a.logical; ++i) inputs_[1].push_back(i);
    for (std::size_t i = a.logical; b != nullptr && i < b->map.domain.rank(); ++i) {
      inputs_[1].push_back(box_.rank());
      box_.names.push_back(b->map.domain.names[i]);
      box_.extents.push_back(b->map.domain.extents[i]);
    }
  }

  // Digits over which all that `look` does has a form.
  void find_digits(const std::function<void(Forms&)>& look) {
    const std::vector<std::size_t> parts{a_.logical, a_.map.domain.rank() - a_.logical,
                                         box_.rank() - a_.map.domain.rank()};
    digits_ = digits_for(box_, parts, look);
  }
  std::vector<Form> outputs(Forms& forms, std::size_t side) const {
    return forms.outputs(side == 0 ? a_.map : b_->map, inputs_[side]);
  }

  // The first of the candidates for a field that shows it. Those of digits are out where there are none.
  bool settle(const char* field, const std::vector<Json>& candidates, const std::function<void(Questions&)>& show) {
    for (const Json& candidate : candidates) {
      const bool needs = needs_digits(candidate);
      if (candidate.is_null() || (needs && !digits_)) continue;
      if (candidate == kWalking)
        return evidence_[field] = candidate, true;  // once is enough: the whole is checked in the end
      Json alone{{field, candidate}};
      if (needs) alone["digits"] = claims::to_json(*digits_);
      try {
        Fields fields(alone);
        Questions questions(a_, b_, fields);
        show(questions);
        evidence_[field] = candidate;
        if (needs) evidence_["digits"] = alone["digits"];
        return true;
      } catch (const checker::Rejected&) {
        continue;
      }
    }
    return false;
  }
  // The same by a refutation of the obligation's clauses, which is looked for last.
  bool settle_by_clauses(const char* field, checker::Obligation::Kind kind, const checker::Space& box,
                         const std::function<void(Questions&)>& show) {
    auto found = engines::solve_propositional({kind, &a_, b_, &box}, {});
    if (found.outcome != engines::PropositionalAnswer::Outcome::None) return false;
    const Json clauses{{"form", "propositional"},
                       {"variables", found.variables},
                       {"clauses", found.clauses},
                       {"drat", std::move(found.drat)}};
    return settle(field, {clauses}, show);
  }
  // The digits alone are the evidence.
  bool take_digits() {
    if (digits_) evidence_["digits"] = claims::to_json(*digits_);
    return digits_.has_value();
  }
  // Steps over the digits; null where there are none.
  Json steps(const char* form, const std::function<std::vector<bool>(Forms&, const std::vector<Form>&)>& known) const {
    if (!digits_) return {};
    Forms forms(box_, *digits_);
    const std::vector<Form> rows = outputs(forms, 0);
    return {{"form", form}, {"steps", peel_steps(forms, rows, known(forms, rows))}};
  }
  [[nodiscard]] Json walk() const { return box_.volume() <= kWalk ? kWalking : Json{}; }

  // Places of a that are places of b, axis by axis or by number: the equations of Questions::never_meet.
  engines::LinearSystem meeting(const Layout& a, const Layout& b, long long at) const {
    Forms forms(box_, *digits_);
    std::vector<Form> of_a = outputs(forms, 0), of_b = outputs(forms, 1);
    std::vector<std::string> axes{"m"};
    if (a.named) {
      axes = a.physical.names;
      for (const std::string& name : b.physical.names)
        if (std::ranges::find(axes, name) == axes.end()) axes.push_back(name);
      const auto by_axis = [&](const Layout& layout, const std::vector<Form>& values) {
        std::vector<Form> out(axes.size());
        for (std::size_t j = 0; j < values.size(); ++j)
          out[static_cast<std::size_t>(std::ranges::find(axes, layout.physical.names[j]) - axes.begin())] = values[j];
        return out;
      };
      of_a = by_axis(a, of_a);
      of_b = by_axis(b, of_b);
    } else {
      of_a = {forms.sum(a.physical.number(), of_a)};
      of_b = {forms.sum(b.physical.number(), of_b)};
    }
    engines::LinearSystem out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      out.right.push_back((of_b[i].constant - of_a[i].constant + (axes[i] == "m" ? at : 0)).narrow());
      out.rows.emplace_back();
      for (std::size_t k = 0; k < forms.atoms(); ++k)
        out.rows.back().push_back((of_a[i].at(k) - of_b[i].at(k)).narrow());
    }
    for (std::size_t k = 0; k < forms.atoms(); ++k) out.extents.push_back(forms.extent(k).narrow());
    return out;
  }
  // The steps of the points of one map, where peeling leaves some: linear equations of their differences.
  Json one_to_one() const {
    if (!digits_) return {};
    try {
      Forms forms(box_, *digits_);
      const std::vector<Form> values = outputs(forms, 0);
      if (forms.atoms() != forms.digits()) return {};
      std::vector<std::vector<Index>> rows;
      std::vector<Index> extents;
      for (std::size_t k = 0; k < forms.digits(); ++k) extents.push_back(forms.extent(k).narrow());
      for (const Form& value : values) {
        rows.emplace_back();
        for (std::size_t k = 0; k < forms.digits(); ++k) rows.back().push_back(value.at(k).narrow());
      }
      engines::LinearEffort effort;
      const engines::OneToOne proved = engines::one_to_one(rows, extents, effort);
      if (!std::holds_alternative<engines::Unsolvable>(proved.answer)) return {};
      return {{"form", "linear"}, {"proof", Json::parse(engines::to_json(proved))}};
    } catch (const checker::Rejected&) {
      return {};
    }
  }

  Json evidence_ = Json::object();

 private:
  static bool needs_digits(const Json& candidate) {
    if (candidate.is_null()) return false;
    const auto form = candidate.at("form").get<std::string>();
    return form == "digits" || form == "strided" || form == "count" || form == "linear";
  }

  const Layout& a_;
  const Layout* b_;
  checker::Space box_;
  std::vector<std::size_t> inputs_[2];
  std::optional<std::vector<checker::Group>> digits_;
};

// Everything that any claim asks of one layout has a form.
void look_at(const Layout& layout, const Maker& maker, Forms& forms) {
  std::vector<Form> slot = maker.outputs(forms, 0);
  if (layout.identity) static_cast<void>(forms.of(layout.identity->second));
  if (!layout.decode) return;
  for (std::size_t i = 0; i < layout.map.domain.rank(); ++i) static_cast<void>(forms.of(Row{0, {{i, 1}}}));
  slot.resize(layout.physical.rank());
  static_cast<void>(checker::run(layout.decode->stages, std::move(slot), forms));
}

bool show_points(Maker& maker, const Layout& layout, const char* field, checker::Obligation::Kind kind,
                 const std::function<void(Questions&)>& show) {
  return maker.settle(field, {kDigits, maker.walk()}, show) ||
         maker.settle_by_clauses(field, kind, layout.physical, show);
}

bool show_landing(Maker& maker, const checker::Space& box, const char* field) {
  const auto show = [&](Questions& q) { q.all_land(box, field); };
  return maker.settle(field, {kDigits, maker.walk()}, show) ||
         maker.settle_by_clauses(field, checker::Obligation::Escapes, box, show);
}

bool show_distinct(Maker& maker, const Layout& layout, bool replicas_only) {
  const Json strided = maker.steps("strided", [&](Forms& forms, const std::vector<Form>&) {
    std::vector<bool> known(forms.atoms(), false);
    if (replicas_only) std::fill_n(known.begin(), forms.atoms_of(layout.logical), true);
    return known;
  });
  const auto left = replicas_only ? std::nullopt : left_inverse(layout.map);
  const Json gf2 = left ? Json{{"form", "gf2"}, {"left", *left}} : Json{};
  const auto show = [&](Questions& q) { q.none_collide(replicas_only); };
  if (maker.settle("collides", {strided, gf2}, show)) return true;
  return maker.settle("collides", {replicas_only ? Json{} : maker.one_to_one(), maker.walk()}, show) ||
         (!replicas_only && maker.settle_by_clauses("collides", checker::Obligation::Collides, layout.physical, show));
}

bool show_count(Maker& maker) {
  const Json count =
      maker.steps("count", [](Forms& forms, const std::vector<Form>& rows) { return forms.unused(rows); });
  return maker.settle("occupied", {count, maker.walk()}, [](Questions& q) { static_cast<void>(q.occupied()); });
}

// A point with a slot: the first one mostly is, else they are walked over.
bool show_landed(Maker& maker, const Layout& layout, const char* field = "lands") {
  const checker::Space& domain = layout.map.domain;
  if (domain.volume() == 0) return false;
  const auto lands = [&](const checker::Point& p) {
    return layout.is_slot(checker::evaluate(layout.map, p), layout.physical);
  };
  std::optional<checker::Point> found;
  if (const checker::Point first(domain.rank(), 0); lands(first)) found = first;
  if (!found && domain.volume() <= kWalk)
    checker::for_each(domain, [&](const checker::Point& p) { found = !found && lands(p) ? p : found; });
  if (!found) return false;
  maker.evidence_[field] = Json::array();
  for (const checker::Wide& x : *found) maker.evidence_[field].push_back(x.narrow());
  return true;
}

// The equations that a place in common would solve, as the checker makes them, and why they have no solution.
bool show_no_meeting(Maker& maker, const Layout& a, const Layout& b, long long at) {
  if (!maker.take_digits()) return false;
  engines::LinearEffort effort;
  try {
    const auto answer = engines::solve(maker.meeting(a, b, at), effort);
    const auto* none = std::get_if<engines::Unsolvable>(&answer);
    if (none == nullptr) return false;
    maker.evidence_["overlaps"] = {{"form", "linear"}, {"proof", Json::parse(engines::to_json(none->proof))}};
    return true;
  } catch (const checker::Rejected&) {
    return false;
  }
}

// The evidence for one part; b is the second layout of claims that have one.
bool show_part(Part part, Maker& maker, const Layout& a, const Layout* b, const Json& statement) {
  switch (part) {
    case Part::Digits: return maker.take_digits();
    case Part::Landing: return show_landed(maker, a);
    case Part::BothLand: return show_landed(maker, a) && show_landed(maker, *b, "other_lands");
    case Part::InBox: return show_landing(maker, a.physical, "escapes");
    case Part::Apart: return show_distinct(maker, a, false);
    case Part::ReplicasApart: return show_distinct(maker, a, true);
    case Part::Decoded:
      if (!a.decode) return show_distinct(maker, a, false);
      return show_points(maker, a, "misdecodes", checker::Obligation::Misdecodes, [](Questions& q) { q.all_decode(); });
    case Part::InFilled: return !a.filled || show_landing(maker, *a.filled, "filled");
    case Part::Counted: return show_count(maker);
    case Part::Identity:
      return show_points(maker, a, "breaks", checker::Obligation::Breaks, [](Questions& q) { q.identity_holds(); });
    case Part::SamePlaces:
      return show_points(maker, a, "differs", checker::Obligation::Differs, [](Questions& q) { q.same_places(); });
    case Part::TakenBack: return maker.settle("differs", {kDigits, maker.walk()}, [](Questions& q) { q.takes_back(); });
    case Part::NeverMeet: return show_no_meeting(maker, a, *b, statement.at("at").get<long long>());
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
std::optional<Json> evidence_for(const std::array<Part, 3>& proof, const Json& statement) {
  const auto shows = [&](Part part) { return std::ranges::find(proof, part) != proof.end(); };
  Layout a = checker::read_layout(statement.at("map"));
  auto b = statement.contains("other") ? std::optional(checker::read_layout(statement.at("other"))) : std::nullopt;
  if (shows(Part::NeverMeet)) a.logical = b->logical = 0;  // no input in common
  Maker maker(a, b ? &*b : nullptr);
  maker.find_digits([&](Forms& forms) {
    if (!b) return look_at(a, maker, forms);
    std::vector<Form> values = maker.outputs(forms, 0);
    if (!shows(Part::TakenBack)) return static_cast<void>(maker.outputs(forms, 1));
    for (std::size_t i = a.map.domain.rank(); i < a.map.domain.rank() + b->map.domain.rank() - b->logical; ++i)
      values.push_back(forms.of(Row{0, {{i, 1}}}));
    static_cast<void>(checker::run(b->map.stages, std::move(values), forms));
    static_cast<void>(forms.of(a.elements().number()));
  });
  for (const Part part : proof)
    if (!show_part(part, maker, a, b ? &*b : nullptr, statement)) return std::nullopt;
  return std::move(maker.evidence_);
}

// Whatever may be evidence for a proof, cheapest to check first. `accepted` keeps what the checker takes.
bool find_evidence(const Claim& claim, const Json& statement, const Subject& subject,
                   const std::function<bool(std::optional<Json>)>& accepted) {
  const auto any = [&](std::vector<Json> candidates) { return std::ranges::any_of(candidates, accepted); };
  if (const auto* about = std::get_if<Transferred>(&subject)) {
    const auto ends = ends_of(*about);
    VL_CHECK(ends.has_value(), "a statement about memories that do not exist");
    return any(transfer_evidence(claim.proof.front(), about->transfer, ends->source, ends->destination));
  }
  if (std::holds_alternative<Accessed>(subject)) return any(access_evidence(statement.at("access")));
  if (std::holds_alternative<Operated>(subject)) {
    Json operands = Json::array();
    for (const Json& operand : statement.at("operands")) {
      auto evidence = evidence_for({Part::InBox}, {{"map", operand}});
      if (!evidence) return false;
      operands.push_back(std::move(*evidence));
    }
    return accepted(Json{{"operands", std::move(operands)}});
  }
  const bool stated = claim.proof.front() == Part::Stated;
  if (stated && accepted(Json::object())) return true;
  return !(stated && claim.proof[1] == Part::None) && accepted(evidence_for(claim.proof, statement));
}

// The whole certificate; what the checker's own code throws on numbers out of its reach passes through.
std::optional<Json> make_certificate(const Claim& claim, const Json& statement, const Subject& subject,
                                     const Verdict& verdict) {
  Json out{{"schema", "verify-layout-certificate/1"},
           {"statement", statement},
           {"digest", checker::digest(statement)},
           {"evidence", Json::object()}};
  const auto accepted = [&](std::optional<Json> evidence) {
    if (!evidence) return false;
    out["evidence"] = std::move(*evidence);
    return !checker::check(out).has_value();
  };
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    const auto witness = witness_of(refuted->counterexample, !statement.contains("other"));
    return witness && accepted(Json{{"witness", *witness}}) ? std::optional(out) : std::nullopt;
  }
  return find_evidence(claim, statement, subject, accepted) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Json> certify(const Claim& claim, const Json& statement, const Subject& subject, const Verdict& verdict) {
  try {
    return make_certificate(claim, statement, subject, verdict);
  } catch (const checker::Rejected&) {
    return std::nullopt;  // there is no evidence within the checker's reach: the proof stays the engine's word
  }
}

std::string forms_of(const Json& certificate) {
  std::set<std::string> forms;
  for (const auto& [name, part] : certificate.at("evidence").items())
    if (name == "form") forms.insert(part.get<std::string>());  // of an access
    else if (part.is_object() && part.contains("form")) forms.insert(part.at("form").get<std::string>());
  return forms.empty() ? "evaluation" : fmt::format("{}", fmt::join(forms, "+"));
}

}  // namespace vl::claims
