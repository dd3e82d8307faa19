// The buffer that the text around a layout states.
#pragma once

#include <array>
#include <string_view>

#include "encodings/tirx/tirx.h"
#include "encodings/use/scan.h"

namespace vl::tirx {

/// Functions that make a buffer of a layout; their first positional argument is its shape, of match_buffer the second.
inline constexpr std::array<std::string_view, 7> kBufferCalls = {
    "alloc_buffer", "decl_buffer", "match_buffer", "Buffer", "alloc_local", "alloc_shared", "alloc"};

/// Gives the finding the tensor that the call around it states, as alloc_buffer((8, 4), "float16", layout=…) does, with
/// whatever number of elements the layout has. A type or a shape that is not stated is assumed: u8, and one dimension
/// of the layout's elements. Or no tensor, and why: a swizzle alone has no size, and without a type the columns of TCol
/// are unknown. A call states a shape if it is one of kBufferCalls.
void state_buffer(use::Found& found, const Layout& layout, const use::Passage& passage);

/// The same for a text with names: a tensor whose sizes are expressions, and the layout's names. Or `reason`, if it is
/// no rule.
void state_rule_buffer(use::Found& found, std::string reason, const use::Passage& passage);

}  // namespace vl::tirx
