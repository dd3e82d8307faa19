// Conversion from one representation to the other, for one tensor. A dim_map names the host dimension of which each
// device dimension is a digit; a stride_map states the distance of two neighbours on the host. The weight of a digit is
// the product of the device sizes of the same host dimension to its right. The law
//
//   stride_map_j = host stride of dim_map_j · weight_j
//
// gives the only layout in the other representation with the same digits. Not every layout obeys it. To a dim_map: the
// digits must be in the order outermost first, no device dimension may have digits of two host dimensions (fused), no
// stride may be 0, and there may be no view into the allocation. To a stride_map: the host's offsets must distinguish
// its elements.
//
// Device dimensions whose coordinate is always 0 (size 1, -1, the later of two equal strides, digits beyond the host's
// size) are -1 if the law gives them no number.
//
// Example: f16[5,100,150] on [100,3,5,64]: dim_map [1,2,0,2] <-> stride_map [150,64,15000,1].
//
// A layout that the other representation cannot express is not wrong, so the answer is a refusal and not an error.
// Upstream dropped dim_map for that reason (torch-spyre #996, #1044).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The layout with a dim_map, or the refusal as an Error of code Value that names the device or host dimension. The
/// layout is the only candidate; the caller has to prove that it puts every element in the same place (`equal`).
[[nodiscard]] Result<SpyreTensorLayout> to_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// The same towards a stride_map. Errors: also Overflow if a stride leaves 64 bits.
[[nodiscard]] Result<SpyreTensorLayout> to_stride_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// Both by name ("dim_map", "stride_map"), from text to text, for the registry.
[[nodiscard]] Result<use::Conversion> convert(std::string_view text, const map::Tensor& tensor,
                                              std::string_view notation);

}  // namespace vl::spyre
