// Panel: how engines are asked one query; the same for layouts, loop nests and accesses. In turn, cheapest first, the
// first that decides wins. Under cross-check everybody is asked, and two that decide differently are a bug somewhere.
//
// An engine is a decision procedure: it answers a query, or abstains and says why, on relations whose shape it does not
// know too; it never guesses. Example: asked whether (4):(3) collides, strided says that there is none and gf2
// abstains.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/budget.h"
#include "verifier/question/question.h"
#include "verifier/question/verdict.h"

namespace vl::engines {

using question::BankQuestion;
using question::Kind;
using question::Query;
using question::Question;
using question::Reason;
using question::TransferQuestion;
using question::Witness;

/// Yes, and this shows it. `minimal`: p is the lexicographically smallest, then q, then slot.
struct Found {
  Witness witness;
  bool minimal = false;
};
/// No: there is none.
struct None {};
/// The number that was asked for.
struct Counted {
  Index count = 0;
};
/// Not decided.
struct Abstained {
  Reason reason = Reason::OutOfReach;
  std::string why;
};
using Answer = std::variant<Found, None, Counted, Abstained>;
/// The question is not one that the engine decides.
[[nodiscard]] inline Abstained abstain(std::string why) { return {Reason::OutOfReach, std::move(why)}; }
/// The engine was told to end, or the answer's time is over. Requires: budget.stopped(), or it was.
[[nodiscard]] inline Abstained ended(const Budget& budget) {
  if (budget.interrupted()) return {Reason::Interrupted, "interrupted"};
  budget.mark_spent();
  return {Reason::Timeout, "the time of the answer is over"};
}

struct Engine;

struct Options {
  std::string only;  // the one engine to ask; empty: the portfolio chooses
  bool cross_check = false;
  Budget budget;
  /// When it is set, called with each obligation of each query that has some, as SMT-LIB text, whichever engine
  /// decides. Counts, comparisons of replicas and coverage without a decode map have none. The names are in
  /// encodings/smt/README.md.
  std::function<void(std::string_view name, const std::string& smtlib)> dump;
  /// For tests alone: engines that are asked in the place of those with their names.
  std::span<const Engine> instead;
};

struct Engine {
  std::string_view name;
  std::string_view fragment;  // what it decides, for people
  Answer (*decide)(const Query&, const Options&);
};

/// The engines of the portfolio, cheapest first.
[[nodiscard]] std::span<const Engine> engines();
/// Requires: one of engines() has that name.
[[nodiscard]] const Engine& find_engine(std::string_view name);
/// Engines for a second opinion: asked by name and under cross-check, never by the portfolio, which they would only
/// slow down.
[[nodiscard]] std::span<const Engine> second_opinions();

/// Not an abstention.
[[nodiscard]] bool decided(const Answer& answer);
/// Two decisions that are one. Minimal witnesses have to be the same; others all replay, and need not be.
[[nodiscard]] bool agree(const Answer& a, const Answer& b);
/// "found a witness", "abstains (timeout): …".
[[nodiscard]] std::string describe(const Answer& answer);

/// What one engine said, for --explain-engine.
struct Attempt {
  std::string_view engine;
  std::string said;
};

/// Two engines that decided one question differently, and what each said.
struct Disagreement {
  struct Side {
    std::string_view engine;
    Answer answer;
  };
  std::string_view question;  // its kind
  Side one;
  Side other;
};

struct Decision {
  Answer answer;
  std::string_view engine;  // that gave the answer, also when it is an abstention
  std::vector<Attempt> attempts;
  bool disagreement = false;  // two engines decided differently
  std::vector<Disagreement> disagreements;
};

/// Adds what one more engine said to the decision of a cross-check. Two that decide differently make a disagreement;
/// one that abstains changes nothing; a minimal witness replaces another one.
void weigh(Decision& decision, std::string_view question, std::string_view engine, Answer answer);

/// Asks all of `panel`, as --cross-check does. Two that decide differently make a disagreement; one that abstains
/// changes nothing. A witness that does not replay is a bug, or no answer where replay() may not be able to.
[[nodiscard]] Decision cross_examine(const Query& query, const Options& options, std::span<const Engine> panel);

/// Asks the engines; long walks come last. Of several that abstain, one whose budget ran out is the answer. A Found
/// answer has been replayed, and its witness is the smallest where that can be known in proportion: by a walk over
/// everything where it is short (2^20 points, 2^16 moves, 2^18 lanes of instances), among the first 2^18 points of
/// queries about single points, and else as smallest/smallest.h says.
[[nodiscard]] Decision decide(const Query& query, const Options& options);

}  // namespace vl::engines
