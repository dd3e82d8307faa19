// Evidence: what a certificate shows its statement by. Made with the checker's own arithmetic, so that nothing is
// claimed that it cannot see; whether it is a proof, only the checker says.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "verifier/checker/questions.h"

namespace vl::claims {

namespace checker = checker;

/// Groups of digits over which `look` meets no quotient without a form: dimensions are taken alone first, then
/// neighbours within one of the `parts` (counts of dimensions) together; digits are cut where `look` is stuck. Nothing
/// when that does not help. Example: f16[5,100,150] on sticks of 64: [[1,[1]], [1,[1]], [1,[64,1]]].
[[nodiscard]] std::optional<std::vector<checker::Group>> digits_for(const checker::Space& box,
                                                                    const std::vector<std::size_t>& parts,
                                                                    const std::function<void(checker::Forms&)>& look);
[[nodiscard]] nlohmann::json to_json(const std::vector<checker::Group>& groups);

/// Steps that peel off one digit after the other (check_peel); what cannot be peeled is left out, and the checker
/// refuses.
[[nodiscard]] nlohmann::json peel_steps(const checker::Forms& forms, std::vector<checker::Form> rows,
                                        std::vector<bool> known);

/// A left inverse of a layout's exclusive-or map over GF(2); nothing when it carries, has more than 64 input bits, or
/// has a kernel.
[[nodiscard]] std::optional<nlohmann::json> left_inverse(const checker::Map& map);

}  // namespace vl::claims
