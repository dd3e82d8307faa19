// The arithmetic of slots.h on columns, written once and compiled for several widths of vectors, which all give the
// same numbers: every operation but one product is exact, and slots.h shows that its rounding does not matter.
#pragma once

#include "oracle/reference/slots.h"

namespace vl::oracle {

/// Runs the program over the first `lanes` lanes (rounded up to 16): slots, and hosts where the program has host terms.
/// False when the point of some lane, used or not, has no slot.
[[nodiscard]] bool run_columns(const SlotBlocks::Program& program, std::size_t lanes, Index* slots, Index* hosts);

}  // namespace vl::oracle
