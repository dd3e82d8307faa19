// SpyreTensorLayout of Torch-Spyre: how a PyTorch tensor lies in the sticks of Spyre's device memory.
//
// A layout is device_size, a padded row-major shape whose last dimension is one stick of 128 bytes, and stride_map,
// for each device dimension the number of host elements that one step along it advances (0: the data is replicated
// over this dimension; -1: the dimension has no host counterpart and only its coordinate 0 is used).
//
//   host offset of element x    o(x) = view_offset + Σ x_i·stride_i       (without the storage offset)
//   slot                        greedy digits of o(x) by the positive strides, largest first; in a tie the outer
//                               dimension takes all; dimensions of size 1 and negative strides have digit 0
//   x has a slot                iff the remainder is 0 and every digit is below its device size
//   slot s is valid             iff it is the slot of the element at offset Σ s_j·stride_map⁺_j
//
// Worked example: f16[5,100,150], device_size [100,3,5,64], stride_map [150,64,15000,1]. Element [2,7,40] has offset
// 31090 = 2·15000 + 7·150 + 0·64 + 40·1, hence slot [7,0,2,40], device element 6888.
//
// The older dim_map names for each device dimension the host dimension it is a digit of, the rightmost least
// significant; host strides play no role in it and -1 is a synthetic dimension. The document requires every host
// dimension to be named; of one that is not (and is not of size 1) only coordinate 0 has a slot. Since
// host strides play no role, an expanded host dimension is injective under a dim_map and not under a stride_map.
//
// Sources: the Torch-Spyre documents "Tensor Layouts" (stride_map and dim_map editions) and torch-spyre's
// tests/tensor/test_tensor_layout.py. The second, independent meaning is reference.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/family.h"
#include "encodings/spyre/dtypes.h"

namespace vl::spyre {

struct SpyreTensorLayout {
  std::vector<Index> device_size;
  std::vector<Index> stride_map;               // empty iff dim_map decides
  std::vector<Index> dim_map;
  DeviceFormat device_dtype;
  std::string element_arrangement = "STANDARD";
  // What the constructor was given, for notes and for derived layouts (derive.h). None of it enters the map.
  std::optional<std::vector<Index>> host_size;
  std::optional<std::vector<Index>> host_strides;
  std::optional<std::vector<Index>> dim_order;

  bool operator==(const SpyreTensorLayout&) const = default;
};

/// The constructor's rule. With o = dim_order of n entries (a last -1 included), s its last entry and eps the elements per stick, the device dimensions
/// are o[1], …, o[n-1], o[0], s, sized as the host but ceil(size/eps) for s before the end and eps at the end. s = -1
/// is sparse: one element per stick. stride_map is filled back to front: a host dimension's first slot has its host
/// stride, each further one the previous stride times the previous device size; -1 for sparse slots and host
/// dimensions of size 1.
/// Errors: Shape, Value (not a permutation, a negative size or stride), Overflow.
/// Example: (5,100,150), dense, eps 64, [0,1,2] -> device_size [100,3,5,64], stride_map [150,64,15000,1].
[[nodiscard]] Result<SpyreTensorLayout> construct(std::span<const Index> size, std::span<const Index> strides,
                                                  const DeviceFormat& format, std::span<const Index> dim_order);

/// Reads every form that torch-spyre prints or constructs; see INTERFACES section 2 for the list. Errors carry the
/// offset in the text: Syntax, Value, Shape, Overflow.
[[nodiscard]] Result<SpyreTensorLayout> parse(std::string_view text);

/// The raw form, as torch-spyre prints it: parse(print(l)) == l up to host_size, host_strides and dim_order.
[[nodiscard]] std::string print(const SpyreTensorLayout& layout);

/// The layout of `tensor` as a map. Errors: Shape (strides of another rank, dim_map entries beyond the rank), Value
/// (a view offset with dim_map, which cannot express it), Overflow.
[[nodiscard]] Result<map::Layout> lower(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// The family's entry in the registry.
[[nodiscard]] const map::Family& family();

}  // namespace vl::spyre
