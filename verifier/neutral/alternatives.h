// Alternatives: a question under an arithmetic of which not everything is known (encodings/values/profile.h). Who asks
// has no say in what holds of an entry with several values. So an answer counts if each alternative has it: `proved` if
// each is proved, `refuted` if each is refuted, by an evaluation of its own; otherwise `unknown`, with the entry that
// decides.
//
// Worked example: f16 max, fill -inf, "max=unknown": neutral if NaN wins, not if NaN loses (beside NaN alone it is the
// result): unknown, and `max` decides.
#pragma once

#include <vector>

#include "encodings/values/profile.h"
#include "verifier/neutral/neutral.h"

namespace vl::neutral {

struct Alternative {
  values::Arithmetic arithmetic;
  Question question;
};

/// The entries that have a part in an operation on a type. Sum of floats: accumulate start order flush rounding.
[[nodiscard]] std::vector<values::Entry> relevant_entries(Operation operation, const Format& type);

/// The question of each alternative that a profile allows, each once; type, operation, equality and contents are the
/// base's. Empty: no accumulator of the profile has every number of the type. An alternative that is a misfit() (an
/// order that takes NaN by the rule x86) is unknown. Requires: misfit(base) is empty.
[[nodiscard]] std::vector<Alternative> alternatives(const Question& base, const values::Profile& profile);

/// The values of an alternative's relevant entries: "start=+0 order=any".
[[nodiscard]] std::string in_words(const Alternative& alternative);

struct Answers {
  Verdict verdict;            // of all; of a refutation that of `at`
  std::size_t at = 0;         // an alternative with this verdict
  std::vector<Verdict> each;  // of a proof and a refutation: of every alternative; otherwise of those asked
  std::string decides;        // the entry, if two alternatives that differ in it alone have other verdicts
};
/// Requires: at least one alternative; the fills as for decide().
[[nodiscard]] Answers decide(const std::vector<Alternative>& all, const CodeSet& a, const CodeSet* b = nullptr);

/// The codes that are neutral under each alternative. `open` are the others that some alternative does not refute, and
/// `outside` is of the alternative `at`. Unknown: as of largest() under some alternative.
struct LargestOfAll {
  Largest largest;
  std::size_t at = 0;
  std::vector<Largest> each;
};
[[nodiscard]] std::variant<LargestOfAll, Unknown> largest(const std::vector<Alternative>& all);

}  // namespace vl::neutral
