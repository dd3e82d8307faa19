// Claim: one statement about a layout, asked as questions and answered with a verdict. A claim is one file, which opens
// with its statement in mathematics, and one row of the table in claims.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/division.h"
#include "encodings/use/operation.h"
#include "encodings/use/transfer.h"
#include "verifier/engines/banks.h"
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

/// What a claim is about.
struct Subject {
  const map::Layout* layout = nullptr;
  std::span<const use::Rule> rules;           // of well-formed, or of a law's result
  const map::Layout* other = nullptr;         // of claims that compare two layouts
  const use::Transfer* transfer = nullptr;    // of claims about loop nests; other is then the source of a d2d transfer
  const use::Division* division = nullptr;    // of partition, fitted to the layout's tensor
  int element_bits = 0;                       // of one element on the device; 0: not known
  const use::Operation* operation = nullptr;  // of compatible; layout is then that of its result
  const map::Layout* law = nullptr;       // of claims about an operation's result, which is `other`: what it has to be
  const engines::Reach* reach = nullptr;  // of claims about an access
  std::optional<Index> at_most = {};      // of a measuring claim that is asked with a limit
  Index other_at = 0;                     // of disjoint: where the second layout's memory begins in the first one's
  Index base = 0;                         // of aligned: the buffer starts at any multiple of so many bytes
};

/// Asks engines on behalf of one claim and remembers which ones answered.
class Inquiry {
 public:
  explicit Inquiry(const engines::Options& options) : options_(options) {}

  /// Of the subject's layout; Differs of its two layouts.
  engines::Answer ask(Kind kind, const Subject& subject);
  engines::Answer ask(const question::Query& query);
  /// Whether some element has a slot: the first one usually has, else an engine is asked.
  engines::Answer some_slot(const Subject& subject);

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

/// What a claim needs besides the layout.
enum class Argument { None, Layout, Buffer, Nests, Division, Operation, Law, Access, Base };

/// What a claim of that kind is asked with, for people: "a second layout".
[[nodiscard]] std::string_view needs(Argument argument);

struct Claim {
  std::string_view name;
  std::string_view statement;  // one line, for people
  std::string_view witness;    // the fields of its counterexample
  bool measures = false;       // its answer is a number
  Argument argument = Argument::None;
  Verdict (*decide)(const Subject&, Inquiry&) = nullptr;
};

[[nodiscard]] Verdict well_formed(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict in_bounds(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict injective(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict onto(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict bijective(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict offset_identity(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict padding(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict bytes(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict equal(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict disjoint(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict partition(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict nests_in_bounds(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict covers_once(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict implements(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict no_overlap(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict symmetric(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict compatible(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict replicas_disjoint(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict inverse(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict aligned(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict obeys_law(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict conflict_free(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict conflicts(const Subject& subject, Inquiry& inquiry);
[[nodiscard]] Verdict wavefronts(const Subject& subject, Inquiry& inquiry);

/// Every claim, in the order in which they are listed to people.
[[nodiscard]] std::span<const Claim> claims();
/// A claim about the layout itself by its name.
[[nodiscard]] const Claim* find_claim(std::string_view name);
/// The claims about loop nests; in-bounds is one of each kind.
[[nodiscard]] const Claim* find_nest_claim(std::string_view name);

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
