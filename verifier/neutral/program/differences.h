// Differences: where elements may differ from the reference's behind a line that is not neutral, and with what they
// differ. A later line may undo a difference.
//
// A node has a set of codes, which is empty where nothing differs. Invariant: each valid element is ~ the reference's,
// or both lie in the set. A line that is not neutral has all codes that it can hold; a maximum that a pad may win has
// those up to the greatest pad (it is that pad, and the reference's is less), a minimum those from the least one on. A
// function of a difference is a difference, unless its image there is one code: then both are that code. A reduction of
// one may be anything that it can be.
//
// Example: f32, m = max x over 1, pads 0: m is below 0 where the reference may be; of max m 0 nothing differs.
#pragma once

#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

/// By node. `leaks`: the lines that are not neutral, which the states know of (States::leak); without those that no
/// output sees (seen.h).
/// Requires: the states of all nodes.
[[nodiscard]] std::vector<CodeSet> differences(const Program& program, const States& states, Images& images,
                                               const std::vector<std::size_t>& leaks);

}  // namespace vl::neutral::program
