// Claim: one statement, which asks questions and is answered with a verdict. A claim is one file and one row of the
// table in claims.cpp. The file opens with the statement in mathematics and ends with the Claim, which has everything
// that other code needs: no other file compares names of claims, but for the independent checker.
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

/// Asks engines for one claim, and remembers which ones answered. A question that nobody decided leaves the
/// claim open: it can be refuted still, and is not proved any more.
class Inquiry {
 public:
  /// The counterexample of the smallest witness is the smallest.
  static constexpr auto kAlways = [](const Witness&) { return true; };

  explicit Inquiry(const engines::Options& options) : options_(options) {}

  engines::Answer ask(const question::Query& query);
  /// Asks for what must not be. A witness refutes the claim, with what `show` makes of it; nothing when there is none,
  /// or when the claim is open. The counterexample is minimal where the witness is and nothing was left open before, if
  /// `keeps` says of the smallest witness that what is printed of it is smallest too.
  template <class Show, class Keeps = decltype(kAlways)>
  std::optional<Verdict> refute(const question::Query& query, const Show& show, const Keeps& keeps = kAlways) {
    const engines::Answer answer = ask(query);
    if (const auto* found = std::get_if<engines::Found>(&answer)) {
      const engines::Found first = by_elements(query, *found);
      Counterexample shown = show(first.witness);
      shown.minimal = first.minimal && !open_ && keeps(first.witness);
      return refuted(std::move(shown));
    }
    leave_open(answer);
    return std::nullopt;
  }
  /// The same, and unknown when the claim is open: only where there is none does the claim go on.
  template <class Show, class Keeps = decltype(kAlways)>
  std::optional<Verdict> unless_none(const question::Query& query, const Show& show, const Keeps& keeps = kAlways) {
    auto verdict = refute(query, show, keeps);
    return verdict || !open_ ? std::move(verdict) : conclude();
  }
  /// The same as a claim's last question.
  template <class Show, class Keeps = decltype(kAlways)>
  Verdict settle(const question::Query& query, const Show& show, const Keeps& keeps = kAlways) {
    auto verdict = refute(query, show, keeps);
    return verdict ? std::move(*verdict) : conclude();
  }
  /// Vacuous with this detail where no element has a slot: the first one usually has, else an engine is asked.
  std::optional<Verdict> unless_lands(const map::Layout& layout, std::string_view detail);
  /// The first slot that holds no element, by counts of parts of the box; nothing where these are not known, or the
  /// slot cannot be replayed. Requires: there is one.
  [[nodiscard]] std::optional<Point> first_empty(const map::Layout& layout) const;
  /// What the questions leave: proved when all were answered with "none", unknown when one was left open.
  [[nodiscard]] Verdict conclude() const { return open_ ? unknown(*open_) : proved(); }
  [[nodiscard]] bool is_open() const { return open_.has_value(); }

  /// The engines whose answers made the verdict, joined by '+'; "evaluation" if none was asked.
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
  // Of two points with replicas that share a slot, those with the smallest elements, since elements are printed.
  [[nodiscard]] engines::Found by_elements(const question::Query& query, const engines::Found& found) const;

  const engines::Options& options_;
  std::vector<std::string_view> answered_;
  std::vector<engines::Attempt> attempts_;
  std::optional<engines::Abstained> open_;  // the first question that nobody decided
  std::vector<engines::Disagreement> disagreements_;
};

/// The claim says nothing about this.
[[nodiscard]] inline Verdict unsupported(std::string why) { return Unknown{Reason::Unsupported, std::move(why), {}}; }

/// The parts of a claim that a certificate shows; proofs/certify.cpp finds the evidence for each.
enum class Part {
  None,
  Stated,         // the numbers of the statement show it
  Defined,        // the map is one, which is enough where the statement's numbers are not
  Landing,        // some point has a slot
  BothLand,       // some point of each of two layouts
  InBox,          // every point has a slot
  Apart,          // no two points share a slot
  ReplicasApart,  // no two replicas of one element do
  Decoded,        // every slot decodes to its point; without a decode map: Apart
  InFilled,       // every slot is one of those to be filled, if the family states them
  Counted,        // the number of slots that are hit
  RowStarts,      // every row begins in a slot, at a multiple of so many bytes
  Identity,       // the offset identity holds
  SamePlaces,     // two layouts put every element in the same places
  Runs,           // SamePlaces of two maps of blocks, and no greater blocks are read in one piece
  TakenBack,      // the second layout takes every place back
  NeverMeet,      // the two layouts have no place in common
  WholeSticks,    // of a division: no stick has elements of two slices
  OperandsInBox,  // InBox of every operand
  OperandsApart,  // and Apart
  Instances,      // the cost of every instance of an access
  MovesInside,    // of loop nests: every move stays in the memories
  MovesApart,     // no two moves write one place
  ServedOnce,     // every element's places are written once
  Implemented,    // the moves are the layout's
  Reversed,       // the moves run backwards are the layout's
};

/// What a claim says of a rule for all sizes (engines/polynomial/prove.h).
enum class Lifted {
  No,  // it is asked of layouts only
  Rules,
  InBox,
  Apart,
  Bijective,
  Onto,
  Padding,      // the number of slots that are not hit, as an expression
  PaddingKind,  // the number of slots of one kind of padding, as an expression
  Bytes,        // the bytes of the physical box, as an expression
  Fits,         // the bytes of one memory are at most a number
  Identity,
  Conflicts,   // wavefronts of an access beyond the ideal: none, at most a limit, or their number
  Wavefronts,  // their number
  Aligned,     // the base is a multiple of whole periods of the swizzle
  RowAligned,  // every row begins at a multiple of a number of bytes
  Occupied,    // no core is empty, or none has padding
  MaskExact,   // a mask's shape keeps the elements of the array of all shards, and nothing else
  WayBack,     // a layout change of the compiler's from a layout to itself moves nothing
  Equal        // a second layout has the same places
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
  bool (*numbers)(NumberOffer&) = nullptr;  // of a NumberLaw: states the law (numbers.h)
  std::array<Part, 3> proof = {};           // none: no certificate covers it
  // The note beside "proved"; with `closer`, it may take longer.
  std::string (*note)(const use::Reading& reading, bool closer) = nullptr;
  Lifted lifted = Lifted::No;
  bool needs_tensor = false;  // it asks for the elements' type or for the tensor's shape: of no tensor that is assumed
  bool of_slots = false;      // of every slot that the text names (Reading::counted), and not of elements alone
};

template <class About>
[[nodiscard]] bool is_about(const Claim& claim) {
  return std::holds_alternative<DecideOf<About>>(claim.decide);
}

/// Whether it is a claim about loop nests.
[[nodiscard]] inline bool is_about_nests(const Claim& claim) {
  return is_about<Transferred>(claim) || is_about<AlignedMoves>(claim);
}

/// Whether it is a claim about the boxes of tensor maps and a layout.
[[nodiscard]] inline bool is_about_tiles(const Claim& claim) {
  return is_about<Carried>(claim) || is_about<FilledTiles>(claim);
}
/// Whether it is a claim about descriptors of hardware.
[[nodiscard]] inline bool is_about_descriptors(const Claim& claim) {
  return is_about<Described>(claim) || is_about<Stored>(claim) || is_about_tiles(claim);
}
/// Whether it is about each of them alone, and no layout has a part in it.
[[nodiscard]] inline bool is_about_one_descriptor(const Claim& claim) {
  return is_about<Described>(claim) || is_about<Stored>(claim);
}

/// Whether it is a claim about an operation with operands.
[[nodiscard]] inline bool is_about_operation(const Claim& claim) {
  return is_about<Operated>(claim) || is_about<PaddedRun>(claim) || is_about<PaddedResult>(claim);
}

/// The part that the claim needs besides the layout, in words: "a second layout". Empty if it needs nothing.
[[nodiscard]] std::string_view needs(const Claim& claim);

/// Every claim, in the order of `verify-layout claims`.
[[nodiscard]] std::span<const Claim> claims();
/// The claim of that name; null if there is none. Two claims may share a name: in-bounds of a layout and of loop nests.
[[nodiscard]] const Claim* find_claim(std::string_view name, bool of_nests = false);

/// What the claim is about; nothing where a text is wrong or a layout undecidable, and the offer says which.
[[nodiscard]] std::optional<Subject> bind(const Claim& claim, Offer& offer);

/// A claim's verdict and its cost.
struct Judged {
  Verdict verdict;
  std::vector<engines::Attempt> attempts;
  std::chrono::nanoseconds time{0};  // of the decision alone
  std::vector<engines::Disagreement> disagreements;
};

/// Decides a claim. Every refutation has been replayed by evaluation. A disagreement between engines always gives
/// Unknown{EnginesDisagree}.
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
/// A slot of a layout whose cores have names of their own, with their coordinates in place of those of its box. Null:
/// the slot itself. Requires: the memory is the last axis, or there is none.
[[nodiscard]] Point as_named(const use::NamedCores* cores, const map::Space& box, const Point& slot);
/// Why outputs of a map are not a slot: "d2 = 5, and its extent is 5", "a remainder of 3 is left".
[[nodiscard]] std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs);
/// The counterexamples of a point without a slot (fields a, physical) and of two points that share one (a, b,
/// physical). `words` say it of the element and of the reason.
[[nodiscard]] Counterexample missing(const map::Layout& layout, const Point& p,
                                     std::string_view words = "element {} has no slot: {}");
[[nodiscard]] Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q);
/// The counterexample of the first rule that does not hold (fields have, want); nothing if all hold. `words` say it of
/// the rule's statement, what it has, and what it should have. It is the smallest if no broken rule has a smaller pair.
[[nodiscard]] std::optional<Counterexample> broken_rule(std::span<const use::Rule> rules,
                                                        std::string_view words = "this rule does not hold: {}");

}  // namespace vl::claims
