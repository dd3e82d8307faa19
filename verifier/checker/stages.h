// A map stage by stage: the intervals of its values, and whether what a stage is given can be told from what it gives.
//
//   split     its input is known once all digits are that vary
//   swizzle   its input is known once its value is: a bijection
//   affine    an input is known once a known row has it with a coefficient that exceeds what the row's other unknown
//             inputs reach together
//
// From the outputs, which are known, back to the domain: where all of it becomes known, points with equal outputs are
// equal. Example: 3·x0 + x1 over 4 by 3 is told, since 3 exceeds what x1 reaches, 2; over 4 by 4 it is not.
#pragma once

#include "verifier/checker/forms.h"

namespace vl::checker {

/// Intervals that contain every value of the map over its domain.
[[nodiscard]] std::vector<Interval> ranges_of(const Map& map);

/// Two points of the domain with equal outputs are equal; else Rejected, as a domain without points is, a map of more
/// than 2^20 values between its stages, and one of which more than 2^24 terms would be looked at.
void check_told_by_stages(const Map& map);

}  // namespace vl::checker
