// The buffer that the text around a layout states.
#pragma once

#include "encodings/tirx/tirx.h"
#include "encodings/use/scan.h"

namespace vl::tirx {

/// Gives the finding a tensor of as many elements as its layout: of the type, and if the number is the same of the
/// shape, that the call around it names, as in `alloc_buffer((8, 4), "float16", layout=…)`; without one of type u8. Or
/// the reason why it has none: a swizzle alone has no size, and the columns of TCol that a type has are unknown.
void state_buffer(use::Found& found, const Layout& layout, const use::Passage& passage);

/// The same for a text with names: a tensor whose sizes are expressions in them, and the names. Or `reason`, if it is
/// no rule.
void state_rule_buffer(use::Found& found, std::string reason, const use::Passage& passage);

}  // namespace vl::tirx
