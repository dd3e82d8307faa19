// Derived layouts: the layout that torch-spyre gives a tensor after it moved the stick to another dimension, converted
// the dtype, or resized the buffer. Each is a function from layout to layout; none of them needs a tensor's data.
//
//   restickify   the stick moves from host dimension p to q. Every slot of the device keeps its position: the last
//                dimension becomes q's lanes, the count of p's sticks becomes that of q's, rounded up, and where q was
//                lies p.
//   rescale      another dtype, so another number of elements per stick: the lanes and the stick count change, rounded
//   up. resize       another size under the same dim order: what the constructor gives for that size.
//
// A layout says where elements lie, not how many there are in the last stick, nor which host dimension a device
// dimension of size 1 belongs to. A derivation that depends on either takes it from the constructor's arguments, else
// from what it is told, else it is refused; it never guesses. Derivations work on stride_map: a dim_map is refused.
//
// Sources: torch-spyre, torch_spyre/_inductor/pass_utils.py (compute_restickify_target_layout, rescale_stl_for_dtype;
// pull requests #2112, #3110, #4600) and coarse_tile.py (_resize_device_layout, #2912).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The host tensor before a derivation. Sizes and strides in elements, one stride a size.
struct Host {
  std::vector<Index> size;
  std::vector<Index> strides;

  bool operator==(const Host&) const = default;
};

/// The host tensor that the layout's constructor was given; nothing for a raw layout.
[[nodiscard]] std::optional<Host> constructed_host(const SpyreTensorLayout& layout);

/// Moves the stick to host dimension `to`. With p the dimension that has it and eps elements per stick: the last slot
/// becomes (eps, stride[to]), the stick count (ceil(size[to]/eps), stride[to]·eps), the slot of `to` (size[p],
/// stride[p]); a dimension of size 1 has stride -1, as the constructor writes it. Requires: host.strides.size() ==
/// host.size.size(). Errors: Value where `to` is no dimension or has the stick already, where the stick is sparse, and
/// where p, `to` or some other dimension is not one device dimension found by its stride; Overflow. Example:
/// (2,2,65,64) f16, [2,65,1,2,64], [4160,64,64,8320,1], to 2 -> [2,64,2,2,64], [4160,1,4096,8320,64].
[[nodiscard]] Result<SpyreTensorLayout> restickify(const SpyreTensorLayout& layout, const Host& host, Index to);

struct Conversion {
  DeviceFormat format;
  std::optional<Index> extent;             // of the host dimension that has the stick
  std::optional<Host> host;                // finds that dimension by its stride
  std::optional<std::string> arrangement;  // of elements in the result; the layout's own when it is STANDARD
  bool as_upstream = false;  // of two slots that step by a stick the usual one counts, as rescale_stl_for_dtype has it
};

/// The layout after a conversion to another format: ceil(extent/eps) sticks, each of the new eps. A stick that holds
/// one element (stride -1) keeps everything but the lanes, and cannot be staggered: its arrangement is STANDARD.
/// Errors: Value where the extent is needed and not known (whenever the capacity in elements is not a whole number of
/// new sticks, or the new stick is shorter), where no or more than one device dimension may count the sticks, where the
/// layout contradicts the extent; Overflow.
/// Example: (4,68) f32, [3,4,32], [32,68,1], to f16 with extent 68 -> [2,4,64], [64,68,1].
[[nodiscard]] Result<SpyreTensorLayout> rescale(const SpyreTensorLayout& layout, const Conversion& conversion);

/// What the constructor gives for `size` with the layout's dim order and with strides as dense as the old ones, in the
/// same order of dimensions. `old_size` is needed of a raw layout, whose host is then taken as dense row-major.
/// Errors: Shape (another rank), Value (no constructor rule gives the layout; several do, and they differ in the new
/// size; host strides with gaps), Overflow.
/// Example: (2,2,2,16) f16 to (1,2,2,16) -> [2,2,1,1,64], [32,16,64,-1,1].
[[nodiscard]] Result<SpyreTensorLayout> resize(const SpyreTensorLayout& layout, std::span<const Index> size,
                                               const std::optional<std::vector<Index>>& old_size = {});

}  // namespace vl::spyre
