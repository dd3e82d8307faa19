// Evidence: what a certificate shows its statement by. Made with the checker's own arithmetic, so that nothing is
// claimed that it cannot see; whether it is a proof, only the checker says.
#pragma once

#include <functional>
#include <optional>

#include "verifier/checker/questions.h"

namespace vl::claims {

/// What the work gives; nothing (or false) where the checker's code rejects: the way out of it, at one place.
template <class Work>
auto unless_rejected(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const checker::Rejected&) {
    return {};
  }
}

using Groups = std::vector<checker::Group>;

/// Groups of digits over which `look` meets no quotient without a form: dimensions are taken alone first, then
/// neighbours within one of the `parts` (counts of dimensions) together; digits are cut where `look` is stuck. Nothing
/// when that does not help. Without `chain` weights need not divide each other,
/// and groups are shifted. Example: f16[5,100,150] on sticks of
/// 64: [[1,[1]], [1,[1]], [1,[64,1]]].
[[nodiscard]] std::optional<Groups> digits_for(const checker::Space& box, const std::vector<std::size_t>& parts,
                                               const std::function<void(const Groups&)>& look, bool chain = true);

/// Cuts a group's digits at a weight; false when it is one already or when the weights would be no chain, where they
/// have to be one.
bool cut_digits(checker::Group& group, checker::Wide weight, bool chain = true);
/// The ways to join neighbouring dimensions within one of the `parts`, best first, 64 at most: none, all, the others.
[[nodiscard]] std::vector<Groups> ways_to_group(const checker::Space& box, const std::vector<std::size_t>& parts);

/// Steps that peel off one digit after the other (check_peel), of one row after the other, or one digit after the other
/// `by_digit`; what cannot be peeled is left out, and the checker refuses.
[[nodiscard]] std::vector<checker::Step> peel_steps(const checker::Forms& forms, std::vector<checker::Form> rows,
                                                    std::vector<bool> known, bool by_digit = false);

}  // namespace vl::claims
