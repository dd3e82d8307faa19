// Certificates: answers of this folder for the checker, which looks at them with values and laws of its own
// (verifier/values_kernel/reductions.h).
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/neutral/alternatives.h"
#include "verifier/neutral/row_states.h"
#include "verifier/neutral/transfer.h"

namespace vl::neutral {

/// The question and its fills, as a statement has them.
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

/// The sets of a function's operands and results, as a statement has them; and the certificate of a verdict on them.
[[nodiscard]] checker::ImageText text_of(Function function, const values::Format& format, values::MaxRule rule,
                                         std::span<const CodeSet> operands, const CodeSet& claimed);
[[nodiscard]] std::optional<checker::Certificate> certify(const checker::ImageText& image,
                                                          const TransferVerdict& verdict);

/// A row of sets, and what its results are to be in.
[[nodiscard]] checker::RowStateText text_of(const Question& question, const Format& result, const RowOfSets& row,
                                            std::size_t at, const CodeSet& claimed);

/// Values of f64, or codes of the type itself.
[[nodiscard]] checker::StoringText storing_of(std::string type, const CodeSet& codes, bool wide);

/// Parts of certificates: a set as text, and a certificate with its digest if the checker accepts it.
[[nodiscard]] checker::ReductionText::Ranges ranges_of(const CodeSet& set);
[[nodiscard]] std::optional<checker::Certificate> accepted(checker::Certificate certificate);

}  // namespace vl::neutral
