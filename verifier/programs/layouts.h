// Layouts of inputs of programs: what a layout text says of the padded sizes (encodings/use/padded.h).
#pragma once

#include <string_view>
#include <vector>

#include "verifier/neutral/program/program.h"

namespace vl::programs {

/// For parse_program. Errors: the text's own; what is refused.
[[nodiscard]] Result<neutral::program::InputLayout> layout_of_input(std::string_view layout, std::string_view type,
                                                                    const std::vector<Index>& size);

}  // namespace vl::programs
