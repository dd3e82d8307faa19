// Engine: a decision procedure. It answers a question, or abstains and says why; it never guesses. The portfolio asks
// the cheapest procedure that decides, and under cross-check all of them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/smt/solver.h"
#include "verifier/question/question.h"
#include "verifier/question/verdict.h"

namespace vl::engines {

using question::Question;
using question::Reason;
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

struct Engine;

struct Options {
  std::string only;  // the one engine to ask; empty: the portfolio chooses
  bool cross_check = false;
  Budget budget;
  /// When it is set, called with the obligation of each question that has one, as SMT-LIB text, whichever engine
  /// decides. Counts, comparisons of replicas and coverage without a decode map have none. The name is the question's
  /// kind; a question about loop nests has several obligations, named kind.part (transfer.h).
  std::function<void(std::string_view name, const std::string& smtlib)> dump;
  /// For tests alone: engines that are asked in the place of those with their names.
  std::span<const Engine> instead;
};

struct Engine {
  std::string_view name;
  std::string_view fragment;  // what it decides, for people
  Answer (*decide)(const Question&, const Options&);
};

/// The engines of the portfolio, cheapest first.
[[nodiscard]] std::span<const Engine> engines();
/// Requires: one of engines() has that name.
[[nodiscard]] const Engine& find_engine(std::string_view name);
/// Engines for a second opinion: asked by name and under cross-check, never by the portfolio, which they would only
/// slow down.
[[nodiscard]] std::span<const Engine> second_opinions();

/// Closed forms on mixed-radix structure; any size. Witnesses minimal where the structure allows.
[[nodiscard]] Answer decide_strided(const Question& question, const Options& options);
/// Linear equations over GF(2) on the bits of elements' numbers; any size. Witnesses are minimal.
[[nodiscard]] Answer decide_gf2(const Question& question, const Options& options);
/// Linear equations over bounded digits: collisions, common places and slots; any size, within a budget of steps.
[[nodiscard]] Answer decide_linear(const Question& question, const Options& options);
/// All sums of strides in one bitmap, a few shifts a digit: collisions and counts of up to 2^30 slots, whatever the
/// number of points. Only where every element has a slot.
[[nodiscard]] Answer decide_sums(const Question& question, const Options& options);
/// Walks over every point with a bitmap of slots; at most 2^28 points and slots. Witnesses are minimal.
[[nodiscard]] Answer decide_enumerate(const Question& question, const Options& options);
/// The first of the first `most` points that answers a question about single points (Escapes, Lands, Misdecodes,
/// Breaks, Differs): the smallest witness, when it comes early. Nothing otherwise.
[[nodiscard]] std::optional<Witness> first_early(const Question& question, Index most);
/// isl on the question's obligation (presburger.h). Witnesses are minimal when that takes isl no longer than the
/// decision.
[[nodiscard]] Answer decide_presburger(const Question& question, const Options& options);
/// Z3 on the question's obligation. Witnesses are whatever the solver finds first.
[[nodiscard]] Answer decide_smt(const Question& question, const Options& options);
/// CaDiCaL on the checker's clauses of a question about points (propositional.h). Witnesses are whatever it finds
/// first.
[[nodiscard]] Answer decide_propositional(const Question& question, const Options& options);
/// Z3 on the second encoding (solver.h), and cvc5 on the text of the first. As decide_smt otherwise.
[[nodiscard]] Answer decide_smt_2(const Question& question, const Options& options);
[[nodiscard]] Answer decide_cvc5(const Question& question, const Options& options);
/// The question's obligation as SMT-LIB text, satisfiable iff the answer is Found; empty when it has none.
[[nodiscard]] std::string smtlib_of(const Question& question);
/// The same in the second encoding.
[[nodiscard]] std::string smtlib_2_of(const Question& question);

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
  std::string_view engine;  // that gave the answer; the last one asked when all abstained
  std::vector<Attempt> attempts;
  bool disagreement = false;  // two engines decided differently
  std::vector<Disagreement> disagreements;
};

/// Adds what one more engine said to the decision of a cross-check. Two that decide differently make a disagreement;
/// one that abstains changes nothing; a minimal witness replaces another one.
void weigh(Decision& decision, std::string_view question, std::string_view engine, Answer answer);

/// Asks all of `panel`, as --cross-check does. Two that decide differently make a disagreement; one that abstains
/// changes nothing.
[[nodiscard]] Decision cross_examine(const Question& question, const Options& options, std::span<const Engine> panel);

/// Asks the engines. A Found answer has been replayed, and minimised where that is cheap: up to 2^20 points, and for
/// questions about single points when the smallest is among the first 2^18.
[[nodiscard]] Decision decide(const Question& question, const Options& options);

}  // namespace vl::engines
