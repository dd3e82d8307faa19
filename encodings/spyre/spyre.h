// SpyreTensorLayout of Torch-Spyre: the places of a PyTorch tensor in the sticks of Spyre's device memory.
//
// A layout has a device_size, a padded row-major shape whose last dimension is one stick of 128 bytes, and a
// stride_map, which states for each device dimension the number of host elements per step (0: the data is replicated
// over this dimension; -1: the dimension has no host counterpart, and only its coordinate 0 is used).
//
//   host offset of element x    o(x) = view_offset + Σ x_i·stride_i       (without the storage offset)
//   slot                        greedy digits of o(x) by the positive strides, largest first; the outer one of equal
//                               strides takes all; dimensions of size 1 and negative strides have digit 0
//   x has a slot                iff the remainder is 0 and every digit is below its device size
//   slot s is valid             iff it is the slot of the element at offset Σ s_j·stride_map⁺_j
//
// Worked example: f16[5,100,150], device_size [100,3,5,64], stride_map [150,64,15000,1]. Element [2,7,40] has offset
// 31090 = 2·15000 + 7·150 + 0·64 + 40·1, hence slot [7,0,2,40], device element 6888.
//
// The older dim_map names for each device dimension the host dimension of which it is a digit; the rightmost digit is
// the least significant. -1 is a synthetic dimension. The document requires every host dimension to be named; of one
// that is not (and does not have size 1) only coordinate 0 has a slot. Host strides play no role, so an expanded host
// dimension is injective under a dim_map, but not under a stride_map.
//
// Sources: the Torch-Spyre documents "Tensor Layouts" (stride_map and dim_map editions) and torch-spyre's
// tests/tensor/test_tensor_layout.py. The second, independent meaning is reference.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/spyre/dtypes.h"
#include "encodings/use/family.h"

namespace vl::spyre {

/// What a text says. Number: Index, or map::Expression where sizes have names.
template <class Number>
struct BasicTensorLayout {
  std::vector<Number> device_size;
  std::vector<Number> stride_map;  // empty iff dim_map decides
  std::vector<Index> dim_map;
  DeviceFormat device_dtype;
  std::string element_arrangement = "STANDARD";
  // Statements of the text beyond the map: for notes and for derived layouts (derive.h).
  std::optional<std::vector<Number>> host_size;  // the constructor's argument
  std::optional<std::vector<Number>> host_strides;
  std::optional<std::vector<Index>> dim_order;  // of the constructors since April 2026
  std::vector<std::string> notes;               // how an ambiguous text was read
  std::string unsupported;                      // not empty: a part of the text that the map leaves out

  bool operator==(const BasicTensorLayout&) const = default;
};

using SpyreTensorLayout = BasicTensorLayout<Index>;
using NamedLayout = BasicTensorLayout<map::Expression>;

/// The constructor's rule. With o = dim_order of n entries (a last -1 included), s its last entry and eps the elements
/// per stick, the device dimensions are o[1], …, o[n-1], o[0], s. They have the host's sizes, except that s has
/// ceil(size/eps) before the end and eps at the end. s = -1 is sparse: one element per stick. stride_map is filled back
/// to front: a host dimension's first slot has its host stride, each further one the previous stride times the previous
/// device size; -1 for sparse slots and host dimensions of size 1.
/// Errors: Shape, Value (not a permutation, a negative size or stride), Overflow.
/// Example: (5,100,150), dense, eps 64, [0,1,2] -> device_size [100,3,5,64], stride_map [150,64,15000,1].
[[nodiscard]] Result<SpyreTensorLayout> construct(std::span<const Index> size, std::span<const Index> strides,
                                                  const DeviceFormat& format, std::span<const Index> dim_order);

/// The rules of torch-spyre's constructors, oldest first. A text names one by `generation=`; the default is S2. o is
/// the dim order, s = o[-1] the stick's host dimension. Sources: the same test file through its history.
///   G0       Nov 2025       slots s, o[0], …, o[-2], s                 dim_map, explicit device_strides
///   G0b      Dec 2025       slots o[0], …, o[-3], s, o[-2], s          dim_map
///   G1a      Feb 2026       slots of S2 after dropping host dimensions of size 1; sparse without a count slot; dim_map
///   G1       Feb-Apr 2026   slots of S2, every dimension kept          dim_map
///   G2draft  Mar 2026       S2, with the strides of a host that is contiguous in the dim order, for every host
///   S2       since Apr 2026 construct()                                 stride_map; also called G2 and G3
///   S3       Sep 2026       S2, a further stride at most host stride · host size; sub-stick dimensions differ only
enum class Generation { G0, G0b, G1a, G1, G2draft, S2, S3 };

[[nodiscard]] std::optional<Generation> generation_of(std::string_view name);

/// The rule of a generation. `padded` has one entry per host dimension or is empty: dimensions that are rounded up to
/// whole sticks, an option of January and February 2026 under the slots of G1. With names: S2 and S3.
/// Errors: those of construct(); Value for a sparse order or rank 0 before G1a, for which no rule is known.
/// Example: (512,8,256), dense, eps 64, [0,1,2]: G0 [4,512,8,64], G0b [512,4,8,64], G1 and S2 [8,4,512,64].
template <class Number>
[[nodiscard]] Result<BasicTensorLayout<Number>> construct_by(Generation generation, std::span<const Number> size,
                                                             std::span<const Number> strides,
                                                             const DeviceFormat& format,
                                                             std::span<const Index> dim_order,
                                                             const std::vector<bool>& padded = {});

/// The host dimension of each device dimension under a dim order; -1: none. Errors: those of the order.
[[nodiscard]] Result<std::vector<Index>> slots_by(Generation generation, std::size_t rank,
                                                  std::span<const Index> dim_order);

/// Reads every form that torch-spyre prints or constructs, of every generation: calls (parse.cpp), tuples, fields
/// without a type and operands (records.cpp). `usual` is the device format of a text that names none; without it such a
/// text is an error. Errors, with the offset in the text: Syntax, Value, Shape, Overflow.
[[nodiscard]] Result<SpyreTensorLayout> parse(std::string_view text, const DeviceFormat* usual = nullptr);

/// parse() for a tensor: `usual` is torch-spyre's device format of its element type.
[[nodiscard]] Result<SpyreTensorLayout> read_for(std::string_view text, const map::Tensor& tensor);

/// Whether a text begins like one of these forms.
[[nodiscard]] bool recognises(std::string_view text);

/// The raw form, as torch-spyre prints it: parse(print(l)) == l, except for parts that are only for readers.
[[nodiscard]] std::string print(const SpyreTensorLayout& layout);

/// The layout of `tensor` as a map, with its elements arranged (arrangement.h) if that is known, else in order.
/// Errors: Shape (strides of another rank, dim_map entries beyond the rank), Value (a view offset with dim_map, which
/// cannot express it), Overflow.
[[nodiscard]] Result<map::Layout> lower(const SpyreTensorLayout& layout, const map::Tensor& tensor);

/// The family's entry in the registry.
[[nodiscard]] const use::Family& family();

/// Reading::unsized of a layout with so many positions in its last device dimension.
[[nodiscard]] inline std::string unsized(Index last, Index lanes) {
  return last % lanes == 0 ? "" : "memory holds whole sticks, and the last device dimension is none";
}

}  // namespace vl::spyre
