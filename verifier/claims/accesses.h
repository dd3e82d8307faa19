// One instance of an access: its counterexample and its words.
#pragma once

#include <string>

#include "verifier/claims/claim.h"

namespace vl::claims {

/// The fields of conflict-free's counterexample for one instance: instance (the variables, in the user's numbers), a
/// and b (coordinates), lane, other_lane, bank, word, other_word, address, other_address (bytes), wavefronts, ideal.
[[nodiscard]] Counterexample conflicting(const engines::Reach& reach, const Point& instance);

/// "8 wavefronts where 1 is ideal", "12 wavefronts where 4 are ideal (by phase: 6, 2, 2, 2)".
[[nodiscard]] std::string show(const engines::Cost& cost);

}  // namespace vl::claims
