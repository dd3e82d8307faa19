// Cost: what an access in a memory of banks costs, judged by the claims wavefronts and conflicts. `access` and
// `hardware` are their arguments (encodings/use/access.h). For peers that read neither, a request has what they say:
//   instances   for each choice of the access's variables the row-major number of the element of each lane
//   memory      {"banks":32,"bytes_per_bank":4,"broadcast":true,"width":4,"phases":[[0,1,…]]}, of this width
//
// Units (convention cost.unit): f32[32,4] row-major, lanes=32 width=16 at=[lane, 0] on sm_90 has four phases of eight
// lanes, each in 32 different words: 4 wavefronts, 1 way, 0 in excess.
#pragma once

#include "oracle/gate/drawn.h"

namespace vl::gate {

constexpr Index kMostInstances = 16;

/// Sets instances and memory of a request. Error: Value where the access cannot be asked of the layout; those of
/// parse_access.
[[nodiscard]] std::optional<Error> refit_cost(const Case& known, Json& request);
/// Adds an access in which every lane has an element. False: there is none, since the layout is not in one memory.
[[nodiscard]] bool add_access(Random& random, const Drawn& drawn, Json& request);
/// The access of a smaller tensor of one dimension.
[[nodiscard]] std::string flat_access(const std::string& access, Index extent);

}  // namespace vl::gate
