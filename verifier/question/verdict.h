// Verdict: the answer to one claim, a closed variant without conversion to bool. Proved, Refuted and Unknown are all
// there is; vacuous and unsupported are reasons of Unknown that have a word of their own in reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::question {

/// What stands behind a proof: an independent checker ran, or the word of the engine has to be taken.
enum class Trust { Checked, Trusted };

struct Proved {
  std::string engine;
  Trust trust = Trust::Trusted;
  std::optional<Index> value;  // of a measuring claim
  std::string note = {};       // what the proof takes for granted, for readers

  bool operator==(const Proved&) const = default;
};

/// Named coordinates, slots and numbers that show a claim to be false. It was replayed by evaluation.
///
/// `minimal` promises that no smaller one exists. Counterexamples with the same fields are compared field by field, in
/// the order in which they are printed, points lexicographically; a claim of several statements is refuted by the first
/// that fails. Where an element has several replicas, `physical` is the slot of the first one that shows it.
/// Example: two elements share a slot: no element before `a` shares one, and `b` is the first that shares `a`'s.
struct Counterexample {
  using Value = std::variant<Index, Point, std::string>;
  std::vector<std::pair<std::string, Value>> fields;  // in the order in which they are printed
  std::string explanation;                            // one line in words
  bool minimal = false;                               // false: not known

  bool operator==(const Counterexample&) const = default;
};

struct Refuted {
  std::string engine;
  Counterexample counterexample;

  bool operator==(const Refuted&) const = default;
};

enum class Reason {
  Vacuous,      // nothing satisfies the claim's premise
  Unsupported,  // the claim says nothing about this layout
  OutOfReach,   // no engine decides this question at this size
  Timeout,
  ResourceLimit,
  Memory,
  Incomplete,  // the solver gave up by itself
  SolverFault,
  NotInstalled,  // the program to ask is not there
  Interrupted,   // we were told to end
  EnginesDisagree,
};

struct Unknown {
  Reason reason = Reason::OutOfReach;
  std::string detail;
  std::string engine;  // the last one asked; empty when none was

  bool operator==(const Unknown&) const = default;
};

using Verdict = std::variant<Proved, Refuted, Unknown>;

/// "timeout", "rlimit", "solver-fault", …
[[nodiscard]] std::string_view name(Reason reason);
/// One of proved, refuted, unknown, vacuous, unsupported.
[[nodiscard]] std::string_view word(const Verdict& verdict);
/// What a reader is told behind that word: "timeout: z3 took 10 s"; where the word is the reason, the rest alone.
[[nodiscard]] std::string why(const Unknown& unknown);

}  // namespace vl::question
