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

/// Asks engines on behalf of one claim and remembers which ones answered.
class Inquiry {
 public:
  explicit Inquiry(const engines::Options& options) : options_(options) {}

  engines::Answer ask(Kind kind, const map::Layout& layout);
  engines::Answer ask(Kind kind, const map::Layout& layout, const map::Layout& other);
  engines::Answer ask(const question::Query& query);
  /// Whether some element has a slot: the first one usually has, else an engine is asked.
  engines::Answer some_slot(const map::Layout& layout);

  /// The engines whose answers made the verdict, joined by '+'; "evaluation" when none was asked.
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

/// A claim's verdict and what it took.
struct Answer {
  Verdict verdict;
  std::vector<engines::Attempt> attempts;
  std::chrono::nanoseconds time{0};  // of the decision alone
  std::vector<engines::Disagreement> disagreements;
};

/// Decides a claim. Every refutation in it has been replayed by evaluation. A disagreement between engines gives
/// Unknown{EnginesDisagree}, whatever the claim made of the answers.
[[nodiscard]] Answer decide(const Claim& claim, const Subject& subject, const engines::Options& options);

/// Slots that pass every range check and are padding all the same: their decoded element lives elsewhere.
struct Aliases {
  Index count = 0;
  bool complete = false;          // the walk saw every slot
  Point slot;                     // the first of them
  Point element;                  // what it decodes to
  std::optional<Point> lives_at;  // that element's slot
};
/// Counted by walking over the first 2^17 slots of the physical box; nothing without a decode map.
[[nodiscard]] std::optional<Aliases> aliases_of(const map::Layout& layout);

/// "1 slot", "3 slots".
[[nodiscard]] std::string counted(Index count, std::string_view noun);

/// "20958 of them pass every range check: [0, 2, 0, 22] decodes to …"; empty when there is none.
[[nodiscard]] std::string show_aliases(const map::Layout& layout);

/// "[2, 7, 40]".
[[nodiscard]] std::string show(std::span<const Index> point);
/// The element of a point of the domain: its logical coordinates, without the replica's.
[[nodiscard]] inline Point element_of(const map::Layout& layout, const Point& p) {
  return Point(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
}
/// Why outputs of a map are no slot: "d2 = 5, and its extent is 5", "a remainder of 3 is left".
[[nodiscard]] std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs);
/// The fields a and physical of one point of the domain, without an explanation.
[[nodiscard]] Counterexample placed(const map::Layout& layout, const Point& p);
/// The counterexample of a point that has no slot (fields a, physical) and of two that share one (a, b, physical).
[[nodiscard]] Counterexample missing(const map::Layout& layout, const Point& p);
[[nodiscard]] Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q);

}  // namespace vl::claims
