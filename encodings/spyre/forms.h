// What the readers of the different forms share: the rules that every layout written out must keep.
#pragma once

#include "encodings/spyre/call.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The note of a text without a type.
constexpr std::string_view kNoType =
    "the text names no device dtype: taken is what torch-spyre gives the tensor's type";

/// How a written-out layout is checked, and where the blame for a fault goes: `fail` is given a field's name.
using Blame = void (*)(void* where, ErrorCode code, std::string_view field, std::string message);

/// Sizes of at least 0, map entries of at least -1, one for each size, and a size in bytes that fits in 64 bits.
void check_written(const SpyreTensorLayout& layout, void* where, Blame fail);

/// Explicit device strides: what they say is the row-major order of device_size, or it is not part of the map.
void read_device_strides(SpyreTensorLayout& layout, const std::vector<Index>& strides, void* where, Blame fail);

/// The forms that are no SpyreTensorLayout(…) call. Errors stay in the cursor.
[[nodiscard]] SpyreTensorLayout read_operand(Cursor& in, const DeviceFormat* usual);
[[nodiscard]] SpyreTensorLayout read_tuple(Cursor& in, const DeviceFormat* usual);
[[nodiscard]] SpyreTensorLayout read_fields(Cursor& in, const DeviceFormat* usual);

}  // namespace vl::spyre
