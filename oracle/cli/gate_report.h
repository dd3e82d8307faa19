// gate report: one finding of a report as a folder with a page for the peer's maintainers.
#pragma once

#include "oracle/cli/gate.h"
#include "oracle/gate/child.h"
#include "oracle/gate/judge.h"

namespace vl::cli {

/// Asks the finding's case again and writes the folder; an exit code.
[[nodiscard]] int report_gate(const GateArguments& arguments, gate::Child& child, const gate::Judge& judge);

}  // namespace vl::cli
