// From one representation to the other, for one tensor. A dim_map says of which host dimension each device dimension is
// a digit; a stride_map says how far apart two neighbours of it lie on the host. With the weight of a digit, the
// product of the device sizes of the same host dimension to its right,
//   stride_map_j = host stride of dim_map_j · weight_j                                              (the law)
// and that is the only layout in the other representation with the same digits. What breaks the law on the way to a
// dim_map: a digit order that is not outermost first, a device dimension over two host dimensions (fused), stride 0 on
// either side, a view into the allocation. On the way back: a host whose offsets do not tell its elements apart.
//
// Device dimensions whose coordinate is always 0 (size 1, -1, the later of two equal strides, digits beyond the host's
// size) are -1 where the law does not give them a number.
//
// Example: f16[5,100,150] on [100,3,5,64]: dim_map [1,2,0,2] <-> stride_map [150,64,15000,1].
// Why a refusal and no error: nothing is wrong with a layout that the other representation cannot express. Upstream
// dropped dim_map for that reason (torch-spyre #996, #1044).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The layout with a dim_map, or the refusal as an Error of code Value that names the device or host dimension.
/// It is the only candidate: whether it puts every element in the same place is for the caller to prove (`equal`).
[[nodiscard]] Result<SpyreTensorLayout> to_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// The same towards a stride_map. Errors: also Overflow when a stride leaves 64 bits.
[[nodiscard]] Result<SpyreTensorLayout> to_stride_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// Both by name ("dim_map", "stride_map"), from text to text: what the registry offers.
[[nodiscard]] Result<use::Conversion> convert(std::string_view text, const map::Tensor& tensor,
                                              std::string_view notation);

}  // namespace vl::spyre
