// A case as the JSON that peers read.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/bench/exec_cases.h"

namespace vl::bench {

/// name, unit, source and destination in units, moves and gaps: [extents, source strides, source offset, destination
/// strides, destination offset].
[[nodiscard]] nlohmann::json json_of(const ExecCase& one);

}  // namespace vl::bench
