// Claim: one statement, asked as questions and answered with a verdict. A claim is one file and one row of the table in
// claims.cpp. The file opens with the statement in mathematics and ends with the Claim, which says all that others need
// to know: nobody else compares names.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/claims/subject.h"
#include "verifier/engines/engine.h"
#include "verifier/question/verdict.h"

namespace vl::claims {

using question::Counterexample;
using question::Kind;
using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;
using question::Verdict;
using question::Witness;

/// Asks engines on behalf of one claim and remembers which ones answered. A question that nobody decided leaves the
/// claim open: it can be refuted still, and is not proved any more.
class Inquiry {
 public:
  explicit Inquiry(const engines::Options& options) : options_(options) {}

  engines::Answer ask(const question::Query& query);
  /// Asks for what must not be. A witness refutes the claim, with what `show` makes of it; nothing when there is none,
  /// or when the claim is open.
  template <class Show>
  std::optional<Verdict> refute(const question::Query& query, const Show& show) {
    const engines::Answer answer = ask(query);
    if (const auto* found = std::get_if<engines::Found>(&answer)) return refuted(show(found->witness));
    leave_open(answer);
    return std::nullopt;
  }
  /// The same, and unknown when the claim is open: only where there is none does the claim go on.
  template <class Show>
  std::optional<Verdict> unless_none(const question::Query& query, const Show& show) {
    auto verdict = refute(query, show);
    return verdict || !open_ ? std::move(verdict) : conclude();
  }
  /// The same as a claim's last question.
  template <class Show>
  Verdict settle(const question::Query& query, const Show& show) {
    auto verdict = refute(query, show);
    return verdict ? std::move(*verdict) : conclude();
  }
  /// Vacuous with this detail where no element has a slot: the first one usually has, else an engine is asked.
  std::optional<Verdict> unless_lands(const map::Layout& layout, std::string_view detail);
  /// What the questions leave: proved when all were answered with "none", unknown when one was left open.
  [[nodiscard]] Verdict conclude() const { return open_ ? unknown(*open_) : proved(); }
  [[nodiscard]] bool is_open() const { return open_.has_value(); }

  /// The engines whose answers made the verdict, joined by '+'; "evaluation" when none was asked.
  [[nodiscard]] std::string engine() const;
  [[nodiscard]] const std::vector<engines::Disagreement>& disagreements() const { return disagreements_; }
  [[nodiscard]] const std::vector<engines::Attempt>& attempts() const { return attempts_; }

  /// Requires: the claim is not open.
  [[nodiscard]] Verdict proved(std::optional<Index> value = {}) const;
  [[nodiscard]] Verdict refuted(Counterexample counterexample) const;
  [[nodiscard]] Verdict unknown(const engines::Abstained& abstained) const;
  [[nodiscard]] Verdict out_of_reach(std::string why) const { return unknown({Reason::OutOfReach, std::move(why)}); }
  [[nodiscard]] Verdict vacuous(std::string detail) const;

 private:
  void leave_open(const engines::Answer& answer);

  const engines::Options& options_;
  std::vector<std::string_view> answered_;
  std::vector<engines::Attempt> attempts_;
  std::optional<engines::Abstained> open_;  // the first question that nobody decided
  std::vector<engines::Disagreement> disagreements_;
};

/// The claim says nothing about this.
[[nodiscard]] inline Verdict unsupported(std::string why) { return Unknown{Reason::Unsupported, std::move(why), {}}; }

/// What a certificate shows of a claim, part by part; proofs/certify.cpp finds the evidence for each.
enum class Part {
  None,
  Stated,         // the numbers of the statement show it
  Digits,         // the digits of the layout's coordinates do, where the statement's numbers do not
  Landing,        // some point has a slot
  BothLand,       // some point of each of two layouts
  InBox,          // every point has a slot
  Apart,          // no two points share a slot
  ReplicasApart,  // no two replicas of one element do
  Decoded,        // every slot decodes to its point; without a decode map: Apart
  InFilled,       // every slot is one of those to be filled, where a family states them
  Counted,        // so many slots are hit
  Identity,       // the offset identity holds
  SamePlaces,     // two layouts put every element in the same places
  TakenBack,      // the second layout takes every place back
  NeverMeet,      // no place of one layout is one of the other
  OperandsInBox,  // InBox of every operand
  Instances,      // the cost of every instance of an access
  MovesInside,    // of loop nests: every move stays in the memories
  MovesApart,     // no two moves write one place
  ServedOnce,     // every element's places are written once
  Implemented,    // the moves are the layout's
  Reversed,       // the moves run backwards are the layout's
};

/// What a claim is asked with, in [[case.claim]] and behind --claim.
struct Keys {
  std::string_view all;          // separated by blanks; the claim cannot do without the first one
  std::string_view sample = {};  // what may stand behind NAME=
  bool bare = false;             // NAME=TEXT is the first key's text

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<std::string_view> list() const;
};

struct Claim {
  std::string_view name;
  std::string_view statement;  // one line, for people
  std::string_view witness;    // the fields of its counterexample
  bool measures = false;       // its answer is a number
  Keys keys = {};
  Decide decide;
  std::array<Part, 3> proof = {};  // none: no certificate covers it
  // What people should see beside "proved"; `closer` where a longer look is worth its time.
  std::string (*note)(const map::Layout& layout, bool closer) = nullptr;
};

template <class About>
[[nodiscard]] bool is_about(const Claim& claim) {
  return std::holds_alternative<DecideOf<About>>(claim.decide);
}

/// What the claim is asked with besides the layout, for people: "a second layout". Empty when that is nothing.
[[nodiscard]] std::string_view needs(const Claim& claim);

/// Every claim, in the order in which they are listed to people.
[[nodiscard]] std::span<const Claim> claims();
/// The claim of that name; null when there is none. Two may share a name: in-bounds of a layout and of loop nests.
[[nodiscard]] const Claim* find_claim(std::string_view name, bool of_nests = false);

/// What the claim is about; nothing where a text is wrong or a layout undecidable, and the offer says which.
[[nodiscard]] std::optional<Subject> bind(const Claim& claim, Offer& offer);

/// A claim's verdict and what it took.
struct Judged {
  Verdict verdict;
  std::vector<engines::Attempt> attempts;
  std::chrono::nanoseconds time{0};  // of the decision alone
  std::vector<engines::Disagreement> disagreements;
};

/// Decides a claim. Every refutation in it has been replayed by evaluation. A disagreement between engines gives
/// Unknown{EnginesDisagree}, whatever the claim made of the answers.
[[nodiscard]] Judged decide(const Claim& claim, const Subject& subject, const engines::Options& options);

/// "20958 of them pass every range check: [0, 2, 0, 22] decodes to …": slots that are padding all the same, because
/// their decoded element lives elsewhere. Counted by walking over the first 2^17 slots; empty when there is none.
[[nodiscard]] std::string show_aliases(const map::Layout& layout);

/// "[2, 7, 40]".
[[nodiscard]] std::string show(std::span<const Index> point);
/// A point of the domain, (element, replica), and where it lies: `slot` is the part of the map's outputs before the
/// guards.
struct Spot {
  Point element;
  Point replica;
  Point outputs;
  Point slot;
};
[[nodiscard]] Spot spot_of(const map::Layout& layout, const Point& p);
/// Why outputs of a map are no slot: "d2 = 5, and its extent is 5", "a remainder of 3 is left".
[[nodiscard]] std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs);
/// The counterexample of a point that has no slot (fields a, physical) and of two that share one (a, b, physical).
/// `words` say it of the element and of the reason.
[[nodiscard]] Counterexample missing(const map::Layout& layout, const Point& p,
                                     std::string_view words = "element {} has no slot: {}");
[[nodiscard]] Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q);

}  // namespace vl::claims
