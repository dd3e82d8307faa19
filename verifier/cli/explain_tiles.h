// The ways of an element through the transfers of `explain --transfer`.
#pragma once

#include "verifier/cli/commands.h"

namespace vl::cli {

/// Requires: transfers, and an element with a host offset. `bits` are those of the tensor's elements.
[[nodiscard]] std::variant<report::CarriedElement, Diagnostic> carried(const ExplainArguments& arguments,
                                                                       const report::Element& element, int bits);

/// explain of a descriptor, in place of a layout: its fields, and with --at the way of one place of its tile.
[[nodiscard]] int explain_descriptor(const ExplainArguments& arguments);

}  // namespace vl::cli
