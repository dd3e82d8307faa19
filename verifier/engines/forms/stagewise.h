// Stagewise: a map stage by stage, for places that are mixed from several inputs, of which no digit is one of a single
// input (tiles that go round the cores). What a stage is given is told by what it gives:
//
//   split     by all digits that vary          swizzle   by its value, a bijection
//   affine    an input by a row that is known and whose coefficient for it exceeds what the row's other unknown inputs
//             reach together
//
// Where that leads from the outputs, which are known, to every input, the map is one-to-one. The checker does the same
// by code of its own (verifier/checker/stages.h). Example: tile 3·r + c of 4 by 3 tiles, dealt to 5 cores, has the
// place (t mod 5, t div 5): both digits tell t, and t tells r and c.
#pragma once

#include "encodings/map/layout.h"

namespace vl::engines {

/// Every point of the domain has a slot, as the ranges of the map's outputs show. False: they do not show it.
[[nodiscard]] bool lands_by_ranges(const map::Layout& layout);

/// No two points of the domain have equal outputs. False: the stages do not show it.
[[nodiscard]] bool told_by_stages(const map::Map& map);

}  // namespace vl::engines
