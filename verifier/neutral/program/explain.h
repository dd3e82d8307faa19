// Explanations: what a run shows, for people.
#pragma once

#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {

/// "C[0,0] is 64 where the reference has 33"; of a run on sets "C[0,0] is in [64 .. 66] where the reference has 33".
[[nodiscard]] std::string headline(const Program& program, const ProgramRefuted& refuted);

/// What the inputs hold, what the first line that is not neutral reads, its first slot of padding in row-major order,
/// and the step at which the result goes another way, where there is one.
/// `leaks`: of the answer.
[[nodiscard]] std::vector<std::string> explained(const Program& program, const ProgramRefuted& refuted,
                                                 const std::vector<std::size_t>& leaks = {});

/// "C[0,33] (tile 1, face 0, row 0, lane 1)": of tiles of 32 × 32, their faces of 16 × 16; otherwise of sticks.
[[nodiscard]] std::string slot_in_words(const Node& node, const Point& index);

/// Where a region's slots lie: "K 33..63", "M 10..31, K 33..63".
[[nodiscard]] std::string extent_in_words(const Node& node, Region region);

}  // namespace vl::neutral::program
