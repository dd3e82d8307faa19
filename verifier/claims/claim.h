// Claim: one statement, which asks questions and is answered with a verdict. A claim is one file and one row of the
// table in claims.cpp. The file opens with the statement in mathematics and ends with the Claim, which has everything
// that other code needs: no other file compares names of claims.
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

/// Asks engines for one claim, and remembers which ones answered.
class Inquiry {
 public:
  explicit Inquiry(const engines::Options& options) : options_(options) {}

  engines::Answer ask(Kind kind, const map::Layout& layout);
  engines::Answer ask(Kind kind, const map::Layout& layout, const map::Layout& other);
  engines::Answer ask(const question::Query& query);
  /// Whether some element has a slot. The first element usually has one; else an engine is asked.
  engines::Answer some_slot(const map::Layout& layout);

  /// The engines whose answers made the verdict, joined by '+'; "evaluation" if none was asked.
  [[nodiscard]] std::string engine() const;
  [[nodiscard]] bool disagreement() const { return disagreement_; }
  [[nodiscard]] const std::vector<engines::Disagreement>& disagreements() const { return disagreements_; }
  [[nodiscard]] const std::vector<engines::Attempt>& attempts() const { return attempts_; }

  [[nodiscard]] Verdict proved(std::optional<Index> value = {}) const;
  [[nodiscard]] Verdict refuted(Counterexample counterexample) const;
  [[nodiscard]] Verdict unknown(const engines::Abstained& abstained) const;
  [[nodiscard]] Verdict vacuous(std::string detail) const;

 private:
  engines::Answer remember(engines::Decision decision);

  const engines::Options& options_;
  std::vector<std::string_view> answered_;
  std::vector<engines::Attempt> attempts_;
  bool disagreement_ = false;
  std::vector<engines::Disagreement> disagreements_;
};

/// The parts of a claim that a certificate shows; proofs/certify.cpp finds the evidence for each.
enum class Part {
  None,
  Stated,         // the numbers of the statement show it
  Digits,         // the digits of the layout's coordinates show it, if the statement's numbers do not
  Landing,        // some point has a slot
  BothLand,       // some point of each of two layouts
  InBox,          // every point has a slot
  Apart,          // no two points share a slot
  ReplicasApart,  // no two replicas of one element do
  Decoded,        // every slot decodes to its point; without a decode map: Apart
  InFilled,       // every slot is one of those to be filled, if the family states them
  Counted,        // the number of slots that are hit
  Identity,       // the offset identity holds
  SamePlaces,     // two layouts put every element in the same places
  TakenBack,      // the second layout takes every place back
  NeverMeet,      // the two layouts have no place in common
  OperandsInBox,  // InBox of every operand
  Instances,      // the cost of every instance of an access
  MovesInside,    // of loop nests: every move stays in the memories
  MovesApart,     // no two moves write one place
  ServedOnce,     // every element's places are written once
  Implemented,    // the moves are the layout's
  Reversed,       // the moves run backwards are the layout's
};

/// The keys of a claim, in [[case.claim]] and behind --claim.
struct Keys {
  std::string_view all;          // separated by blanks; the first one is required
  std::string_view sample = {};  // a sample of the text behind NAME=
  bool bare = false;             // NAME=TEXT is the first key's text

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<std::string_view> list() const;
};

struct Claim {
  std::string_view name;
  std::string_view statement;  // one line, for readers
  std::string_view witness;    // the fields of its counterexample
  bool measures = false;       // its answer is a number
  Keys keys = {};
  Decide decide;
  std::array<Part, 3> proof = {};  // none: no certificate covers it
  // The note beside "proved"; with `closer`, it may take longer.
  std::string (*note)(const map::Layout& layout, bool closer) = nullptr;
};

template <class About>
[[nodiscard]] bool is_about(const Claim& claim) {
  return std::holds_alternative<DecideOf<About>>(claim.decide);
}

/// The part that the claim needs besides the layout, in words: "a second layout". Empty if it needs nothing.
[[nodiscard]] std::string_view needs(const Claim& claim);

/// Every claim, in the order of `verify-layout claims`.
[[nodiscard]] std::span<const Claim> claims();
/// The claim of that name; null if there is none. Two claims may share a name: in-bounds of a layout and of loop nests.
[[nodiscard]] const Claim* find_claim(std::string_view name, bool of_nests = false);

/// A claim's verdict and its cost.
struct Answer {
  Verdict verdict;
  std::vector<engines::Attempt> attempts;
  std::chrono::nanoseconds time{0};  // of the decision alone
  std::vector<engines::Disagreement> disagreements;
};

/// Decides a claim. Every refutation has been replayed by evaluation. A disagreement between engines always gives
/// Unknown{EnginesDisagree}.
[[nodiscard]] Answer decide(const Claim& claim, const Subject& subject, const engines::Options& options);

/// Slots that pass every range check but are padding: their decoded element lives elsewhere.
struct Aliases {
  Index count = 0;
  bool complete = false;          // the walk saw every slot
  Point slot;                     // the first of them
  Point element;                  // to which it decodes
  std::optional<Point> lives_at;  // that element's slot
};
/// Counted by walking over the first 2^17 slots of the physical box; nothing without a decode map.
[[nodiscard]] std::optional<Aliases> aliases_of(const map::Layout& layout);

/// "1 slot", "3 slots".
[[nodiscard]] std::string counted(Index count, std::string_view noun);

/// "20958 of them pass every range check: [0, 2, 0, 22] decodes to …"; empty if there is none.
[[nodiscard]] std::string show_aliases(const map::Layout& layout);

/// "[2, 7, 40]".
[[nodiscard]] std::string show(std::span<const Index> point);
/// The element of a point of the domain: its logical coordinates, without those of the replica.
[[nodiscard]] inline Point element_of(const map::Layout& layout, const Point& p) {
  return Point(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
}
/// Why outputs of a map are not a slot: "d2 = 5, and its extent is 5", "a remainder of 3 is left".
[[nodiscard]] std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs);
/// The fields a and physical of one point of the domain, without an explanation.
[[nodiscard]] Counterexample placed(const map::Layout& layout, const Point& p);
/// The counterexamples of a point without a slot (fields a, physical) and of two points that share one (a, b,
/// physical).
[[nodiscard]] Counterexample missing(const map::Layout& layout, const Point& p);
[[nodiscard]] Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q);

}  // namespace vl::claims
