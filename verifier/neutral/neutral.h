// Neutral: the answers. `proved` is by laws (laws.h), which a sweep confirms where the accumulator is small; `refuted`
// shows an evaluation; everything else is `unknown`, with its reason.
#pragma once

#include <variant>

#include "verifier/neutral/refute.h"

namespace vl::neutral {

struct Proved {
  std::string
      engine;  // "sweep": the premises were evaluated on all codes; "law": they are taken from laws.h; "closure"
  std::string reason;
};
struct Unknown {
  std::string reason;
};
using Verdict = std::variant<Proved, Refuted, Unknown>;

/// Codes of which it is open what the operation does to them: a comparison of what Flush::Both flushes may give either
/// the operand or a zero. Empty for what adds or multiplies.
[[nodiscard]] CodeSet open_to_reading(const Question& question);

/// Is it neutral if each pad is any code of the fill (of dot: any pair of the two)? Requires: misfit() is empty; the
/// fills are not empty; `b` is null but of dot.
/// Example: f16 sum, First: {-0} is proved; {+0} is refuted by the valid element -0, got +0.
[[nodiscard]] Verdict decide(const Question& question, const CodeSet& a, const CodeSet* b = nullptr);

/// A fill that is not neutral, and why.
struct Outside {
  Code fill = 0;
  Refuted refuted;
};

/// The largest neutral fill: each code in `codes` may be in each pad, and every code in neither set was refuted, one by
/// one in types of at most 16 bits, and by the identity of the operation in others.
struct Largest {
  CodeSet codes;
  CodeSet open;  // not known
  std::string engine;
  std::string reason;
  std::vector<Outside> outside;  // at the borders of `codes`; if it is empty, some telling codes
  std::vector<Code> telling;     // in types of at most 16 bits: elements whose rows every other code changes
};
/// Requires: misfit() is empty. Unknown: of dot, whose fills are pairs; of integers with too many.
[[nodiscard]] std::variant<Largest, Unknown> largest(const Question& question);

/// The same, but for `engine` and `outside`. What is set aside is not looked at: such a code is in neither set, unless
/// a law gives it.
[[nodiscard]] std::variant<Largest, Unknown> largest_codes(const Question& question, const CodeSet& aside = {});
/// The engine of what largest_codes() found. Requires: the question's.
[[nodiscard]] std::string engine_of(const Question& question, const Largest& found);

}  // namespace vl::neutral
