// What proofs rest on (trust.h), as fields of records.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verifier/report/trust.h"

namespace vl::report {

/// {"lines": 8934, "code": 7001, "parts": [{"part": "cells", "lines": 612, "code": 501}, …]}
[[nodiscard]] nlohmann::ordered_json trust_to_json(const question::RestsOn& proof);
/// The same of all proofs: {"proofs": 5, "trusted": 0, "lines": …, "code": …, "parts": […], "beside": […]}. A part has
/// its `proofs`, its `files` and what it is `trusted_for` too; `beside` lists the parts that no proof rests on.
[[nodiscard]] nlohmann::ordered_json trust_to_json(const Rests& rests);

}  // namespace vl::report
