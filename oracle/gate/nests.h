// Nests: the loops by which a library moves a tensor between the host and a device image, judged by the claims
// in-bounds, covers-once and implements of loop nests. A request says the direction and, for the peer, the image; the
// host's places are the tensor's. The answer is {"nests":[{"extents":[2,3],"host_strides":[3,1],
// "device_strides":[4,1],"host_offset":0,"device_offset":0}, …]}, outermost loop first, in elements. Those of
// nests.move go from the layout's image to that of `to`, and have from_strides, to_strides, from_offset, to_offset.
#pragma once

#include "oracle/gate/cases.h"

namespace vl::gate {

/// Sets the images of a request. Error: Value where a layout has no image, or the direction is none.
[[nodiscard]] std::optional<Error> refit_nests(const Case& known, Json& request);

}  // namespace vl::gate
