// Rows over boxes, by the names that the engines use.
#pragma once

#include "encodings/map/forms.h"

namespace vl::engines {

using map::Range;
using map::Row;

/// A box of points: every coordinate in its interval.
using Box = std::vector<Range>;

}  // namespace vl::engines
