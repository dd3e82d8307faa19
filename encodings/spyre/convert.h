// Conversion from one representation to the other, for one tensor. A dim_map names the host dimension of which each
// device dimension is a digit; a stride_map states the distance of two neighbours on the host. The weight of a digit is
// the product of the device sizes of the same host dimension to its right. Where both can say the layout,
//
//   stride_map_j = host stride of dim_map_j · weight_j.
//
// In either direction the other map is found by looking at few elements, and it is the only one up to entries on which
// no place depends.
//
// To a dim_map. Let W_j be the row-major weight of device dimension j; those of the dimensions of size > 1 differ. A
// dim_map puts element 0 in slot 0. With the first digits of host dimension h found, their sizes' product is P: if
// P >= size_h, they are all that matters. Else the element P·e_h has no slot iff there are no further digits, or else
// lies at W_j, where j is the next digit: to the left of the others, of size > 1, and a digit of no other host
// dimension. Whatever else is found there, no dim_map says the same.
//
// To a stride_map. A slot's dot product with the stride_map is its element's offset. A dim_map puts the element
// weight_j·e_h, if there is one, one step along device dimension j, so stride_map_j is that element's offset. The other
// entries have digit 0 wherever an element lives. They can matter only for elements without a slot.
//
// Example: f16[5,100,150] on [100,3,5,64]: dim_map [1,2,0,2] <-> stride_map [150,64,15000,1].
//
// A layout that the other representation cannot express is not wrong, so the answer is a refusal and not an error.
// Upstream dropped dim_map for that reason (torch-spyre #996, #1044).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The layout with a dim_map and the same device sizes, elements in order, or the refusal as an Error of code Value
/// with the element that no such layout places as this one does. Both are complete: if the candidate does not put every
/// element in the same place (`equal` decides that), no dim_map does.
/// Requires: the places of the layout's elements are known (arrangement.h). Errors: those of lower().
[[nodiscard]] Result<SpyreTensorLayout> to_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// The same towards a stride_map. A refusal is complete; of the candidate, see is_only_stride_map(). Errors: also
/// Shape, Overflow if a stride leaves 64 bits.
[[nodiscard]] Result<SpyreTensorLayout> to_stride_map(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// Whether no other stride_map is equal to a layout with a dim_map if to_stride_map's is not: every device dimension
/// has a digit, or every element a slot. Example: [2,64] with dim_map [-1,1] on f16[2,20] from strides [64,2]: false,
/// and stride_map [63,2] says the same, because 64 + 2·i leaves a remainder.
[[nodiscard]] bool is_only_stride_map(const SpyreTensorLayout& dims, const map::Tensor& tensor);

/// Both by name ("dim_map", "stride_map"), from text to text, for the registry.
[[nodiscard]] Result<use::Conversion> convert(std::string_view text, const map::Tensor& tensor,
                                              std::string_view notation);

}  // namespace vl::spyre
