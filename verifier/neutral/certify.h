// Certificates: answers of this folder for the checker, which looks at them with values and laws of its own
// (verifier/checker/reductions.h).
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/neutral/alternatives.h"

namespace vl::neutral {

/// Whether a statement can say the question: the checker's values round to nearest even, flush nothing and wrap.
[[nodiscard]] bool is_known_to_checker(const Question& question);

/// The question and its fills, as a statement has them. Requires: is_known_to_checker().
[[nodiscard]] checker::ReductionText text_of(const Question& question, const CodeSet& a, const CodeSet* b);

/// An answer and what was given for it, for the checker; nothing if the checker does not accept it, or if the answer is
/// unknown. `a` and `b` are the fills of decide().
/// Example: f16 sum, fill {-0}, proved: claim "neutral", a statement with the question, and evidence without a field.
[[nodiscard]] std::optional<checker::Certificate> certify(const Question& question, const CodeSet& a, const CodeSet* b,
                                                          const Verdict& verdict);

/// The same of every alternative: one certificate of a proof, and one for each refutation.
[[nodiscard]] std::optional<std::vector<checker::Certificate>> certify(const std::vector<Alternative>& all,
                                                                       const CodeSet& a, const CodeSet* b,
                                                                       const Answers& answers);

/// The same of the largest fill, as the claim "fills". Nothing also where codes are open, or more than 2^16.
[[nodiscard]] std::optional<checker::Certificate> certify(const Question& question, const Largest& found);

}  // namespace vl::neutral
