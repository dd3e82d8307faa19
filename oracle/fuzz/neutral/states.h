// States of the campaign `neutral`: what an image's result holds in its padding. The padded run stores its results
// there, too; each of them has to lie in the set that verifier/neutral/row_states.h gives for its region, whatever
// contents and pads were drawn. A region is the set of the result's dimensions that are beyond their extents.
//
// Of a layout with aliases, pads may hold what elements do. Questions that flush, or round or saturate in another way
// than IEEE, have no sets.
#pragma once

#include <map>

#include "oracle/fuzz/neutral/draw.h"
#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// The results that each region of the padding can have: codes of the question's type, of any and all 0 and 1.
struct NeutralStates {
  std::map<std::uint64_t, CodeSet> regions;  // of the iteration's dimensions, dimension d as bit d
};
[[nodiscard]] NeutralStates states_of(const NeutralQuestion& asked, const ops::Prepared& image);

/// Compares what a run stored in the result's padding. `compared` counts the results.
[[nodiscard]] std::optional<Mismatch> wrong_state(const NeutralQuestion& asked, const ops::Prepared& image,
                                                  const NeutralStates& states, const std::vector<Code>& stored,
                                                  std::uint64_t& compared);

}  // namespace vl::oracle
