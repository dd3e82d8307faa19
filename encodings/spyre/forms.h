// Rules for every written-out layout, which the readers of the different forms share.
#pragma once

#include "encodings/spyre/call.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {

constexpr std::string_view kType = "SpyreTensorLayout";  // the call of the layout, and its type

/// The note of a text without a type.
constexpr std::string_view kNoType =
    "the text names no device dtype: taken is what torch-spyre gives the tensor's type";

/// Reports a fault of a written-out layout at the field of that name, or at an entry of its list.
using Blame = void (*)(void* where, ErrorCode code, std::string_view field, std::string message,
                       std::optional<std::size_t> entry);

/// Checks: sizes are at least 0, map entries at least -1, one entry per size, and the size in bytes fits in 64 bits.
template <class Number>
void check_written(const BasicTensorLayout<Number>& layout, void* where, Blame fail);

/// Explicit device strides: if they are not the row-major order of device_size, the map leaves them out.
void read_device_strides(SpyreTensorLayout& layout, const std::vector<Index>& strides, void* where, Blame fail);

/// A SpyreTensorLayout(…) call with names, as parse() reads one of numbers. What has no rule for all sizes is
/// `unsupported`. The cursor stands behind the call then, and errors stay in it.
[[nodiscard]] NamedLayout read_named(Cursor& in);

/// The forms that are not a SpyreTensorLayout(…) call. Errors stay in the cursor.
[[nodiscard]] SpyreTensorLayout read_operand(Cursor& in, const DeviceFormat* usual);
[[nodiscard]] SpyreTensorLayout read_tuple(Cursor& in, const DeviceFormat* usual);
[[nodiscard]] SpyreTensorLayout read_fields(Cursor& in, const DeviceFormat* usual);

}  // namespace vl::spyre
