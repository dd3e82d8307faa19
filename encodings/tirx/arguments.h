// Arguments of operations in texts: shapes, regions, axes, swizzles. Each reader takes its argument and leaves the
// cursor behind it; errors stay in the cursor.
#pragma once

#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/tirx/tirx.h"
#include "encodings/use/division.h"

namespace vl::tirx {

/// (8, 16), [8, 16] or 8.
[[nodiscard]] std::vector<Index> read_shape(Cursor& in, std::string_view what);
/// 8, 16 up to the end of the text, with or without brackets.
[[nodiscard]] std::vector<Index> read_list(Cursor& in, std::string_view what);
/// [2:3, 6:10], ((2, 3), (6, 10)) or 2:3, 6:10.
[[nodiscard]] std::vector<use::Interval> read_region(Cursor& in);
/// The name of an axis, with or without quotes.
[[nodiscard]] Axis read_axis(Cursor& in);
/// 3, 3, 3, optionally followed by , swizzle_inner=False; with or without brackets, up to a closing one or the end.
[[nodiscard]] SwizzleLayout read_swizzle(Cursor& in);

}  // namespace vl::tirx
