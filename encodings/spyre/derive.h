// Derived layouts: the layout that torch-spyre gives a tensor after it moved the stick to another dimension, converted
// the dtype, or resized the buffer. Each is a function from layout to layout; none of them needs a tensor's data.
//
//   restickify   the stick moves from host dimension p to q. Every device dimension keeps its position: the last one
//                becomes q's lanes, the count of p's sticks that of q's, rounded up, and p takes the place of q
//   rescale      another dtype, so another number of elements per stick: the lanes change, and the stick count, rounded
//                up.
//   resize       another size under the same dim order: the constructor's layout for that size.
//
// A layout states neither how many elements are in the last stick, nor to which host dimension a device dimension of
// size 1 belongs. A derivation that depends on either takes it from the constructor's arguments, else from its own
// arguments; else it is refused. It never guesses. Derivations work on stride_map: a dim_map is refused.
//
// Sources: torch-spyre, torch_spyre/_inductor/pass_utils.py (compute_restickify_target_layout, rescale_stl_for_dtype;
// pull requests #2112, #3110, #4600) and coarse_tile.py (_resize_device_layout, #2912).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// The host tensor before a derivation. Sizes and strides are in elements, one stride per size.
struct Host {
  std::vector<Index> size;
  std::vector<Index> strides;

  bool operator==(const Host&) const = default;
};

/// The host tensor in the arguments of the layout's constructor; nothing for a raw layout.
[[nodiscard]] std::optional<Host> constructed_host(const SpyreTensorLayout& layout);

/// Moves the stick to host dimension `to`. With p the dimension that has it and eps elements per stick: the last slot
/// becomes (eps, stride[to]), the stick count (ceil(size[to]/eps), stride[to]·eps), the slot of `to` (size[p],
/// stride[p]); a dimension of size 1 has stride -1, as in the constructor.
/// Requires: host.strides.size() == host.size.size().
/// Errors: Value if `to` is not a dimension or already has the stick, if the stick is sparse, and if p, `to` or another
/// dimension is not exactly one device dimension by its stride; Overflow.
/// Example: (2,2,65,64) f16, [2,65,1,2,64], [4160,64,64,8320,1], to 2 -> [2,64,2,2,64], [4160,1,4096,8320,64].
[[nodiscard]] Result<SpyreTensorLayout> restickify(const SpyreTensorLayout& layout, const Host& host, Index to);

struct Conversion {
  DeviceFormat format;
  std::optional<Index> extent;             // of the host dimension that has the stick
  std::optional<Host> host;                // finds that dimension by its stride
  std::optional<std::string> arrangement;  // of elements in the result; the layout's own if it is STANDARD
  bool as_upstream = false;  // of two slots that step by a stick the usual one counts, as in rescale_stl_for_dtype
};

/// The layout after a conversion to another format: ceil(extent/eps) sticks, each of the new eps. If a stick holds one
/// element (stride -1), only the lanes change, and the stick cannot be staggered: its arrangement is STANDARD.
/// Errors: Value if the extent is needed and not known (the capacity in elements is not a whole number of new sticks,
/// or the new stick is shorter), if not exactly one device dimension may count the sticks, or if the layout contradicts
/// the extent; Overflow. Example: (4,68) f32, [3,4,32], [32,68,1], to f16 with extent 68 -> [2,4,64], [64,68,1].
[[nodiscard]] Result<SpyreTensorLayout> rescale(const SpyreTensorLayout& layout, const Conversion& conversion);

/// The constructor's layout for `size`, with the layout's dim order and with strides as dense as the old ones, in the
/// same order of dimensions. A raw layout needs `old_size`; its host is then dense row-major.
/// Errors: Shape (another rank), Value (no constructor rule gives the layout; several do, and they differ in the new
/// size; host strides with gaps), Overflow.
/// Example: (2,2,2,16) f16 to (1,2,2,16) -> [2,2,1,1,64], [32,16,64,-1,1].
[[nodiscard]] Result<SpyreTensorLayout> resize(const SpyreTensorLayout& layout, std::span<const Index> size,
                                               const std::optional<std::vector<Index>>& old_size = {});

}  // namespace vl::spyre
