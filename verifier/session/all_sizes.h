// All sizes: a case whose layout or tensor has names in the place of numbers is a rule (encodings/map/rule.h), and its
// claims are answered for every instance that exists.
//
//   proved    engines/polynomial shows it, the checker accepts a certificate of it (checker/rules.h), and concrete
//             engines agree: one instance of every cell and 64 random ones are read from the text, with numbers for its
//             names, and decided; one that disagrees is `engines-disagree`.
//   refuted   by an instance that concrete engines refute: the smallest one that was found, in the order of elements,
//             then of the sizes' sum, then lexicographic. It is `minimal` if there is no smaller instance.
//   unknown   everything else
#pragma once

#include <optional>
#include <variant>

#include "encodings/map/rule.h"
#include "encodings/use/family.h"
#include "encodings/use/scan.h"
#include "verifier/question/record.h"
#include "verifier/session/judge.h"

namespace vl::session {

/// Whether the case is about all sizes by its tensor, its conditions or its scope. A layout may have names besides.
[[nodiscard]] bool has_names(const CaseRequest& request);
/// Whether the host's strides, or where it begins, have names.
[[nodiscard]] bool names_of_view(const CaseRequest& request);

/// Why a claim is vacuous where the conditions exclude one another.
inline constexpr std::string_view kNoSizes = "no sizes satisfy the conditions";

/// The texts of such a case, read; defined in rule_case.cpp. `reading` is a rule with the conditions, or undecidable.
struct RuleReading {
  map::RuleTensor tensor;
  use::Reading reading;
  std::vector<map::Condition> where;
};
[[nodiscard]] std::variant<RuleReading, TextError> read_rule_case(const CaseRequest& request,
                                                                  const use::Family& family);

/// The answer to a claim that is unknown under the conditions of the case, from a proof under fewer of them: what holds
/// without a condition holds with it, and the certificate states those that are left. Nothing if there is none;
/// where engines disagree about one, that. Conditions that are bounds of symbols stay, and so does one that alone has a
/// name. Defined in fewer_conditions.cpp.
[[nodiscard]] std::optional<question::Answer> proved_with_fewer(const ClaimRequest& claim, const CaseRequest& request,
                                                                const use::Family& family, const RuleReading& read,
                                                                const JudgeOptions& options, const std::string& stem,
                                                                std::optional<Diagnostic>& unwritten);

/// Answers the claims of such a case. Nothing if it has no name after all, or its family reads no rules.
[[nodiscard]] std::optional<question::Case> judge_for_all_sizes(const CaseRequest& request,
                                                                const JudgeOptions& options);

/// Numbers for names in the text of a layout; those that are not defined stay. The diagnostic points into that text.
/// Defined in request_at.cpp.
[[nodiscard]] std::optional<Diagnostic> bind_layout(SourceText& layout, std::string_view forced,
                                                    const std::vector<use::Definition>& definitions);

/// The same for names that the `at` of a claim's access has, where it is no variable of the access.
void number_access(ClaimRequest& claim, std::span<const use::Definition> numbers);

/// The request with the sizes of CaseRequest::sizes in the place of names. The diagnostic points into the text that is
/// wrong: one that names a size below its lower bound, a condition that does not hold, an expression that is negative.
/// Defined in given_sizes.cpp.
[[nodiscard]] std::variant<CaseRequest, Diagnostic> at_given_sizes(const CaseRequest& request);

}  // namespace vl::session
