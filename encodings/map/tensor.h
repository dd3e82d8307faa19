// The logical side of a question: a tensor's element type and shape, and its strides and offset on the host.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::map {

enum class ElementType {
  Bool,
  I4,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  F8E4M3,
  F8E5M2,
  F16,
  Bf16,
  F32,
  F64,
  Bfp8,
  Bfp4,
};

/// The short spelling: "f16".
[[nodiscard]] std::string_view name(ElementType type);
/// The type with that spelling: short (f16, fp16), PyTorch's (torch.float16, float16) or MLIR's (si32, ui8).
[[nodiscard]] std::optional<ElementType> element_type_of(std::string_view spelling);
/// Bits of one element as the host stores it: f16 -> 16, bool -> 8, i4 -> 4.
[[nodiscard]] int bits(ElementType type);

/// The declared extent of one physical axis: laneid=32.
struct Extent {
  std::string axis;
  Index extent = 0;

  bool operator==(const Extent&) const = default;
};

/// A tensor in the user's words. Sizes and strides are in elements, outermost dimension first. A number is an integer,
/// or an expression in names (rule.h).
template <class Number>
struct BasicTensor {
  ElementType type = ElementType::F16;
  std::vector<Number> size;
  std::optional<std::vector<Number>> strides = {};  // of the host; absent: dense row-major
  Number offset = 0;                                // the host's storage offset, >= 0
  Number view_offset = 0;                           // the start of a view inside the device allocation, >= 0
  std::vector<Extent> box = {};                     // the extents of physical axes that the user declares

  bool operator==(const BasicTensor&) const = default;
};
using Tensor = BasicTensor<Index>;

/// Reads `f16[5,100,150]`, `torch.float16[5, 100]`, `5x100x150xf16`, `f32[]`. Errors: Syntax, Value (negative size),
/// Overflow.
[[nodiscard]] Result<Tensor> parse_tensor(std::string_view text);
/// "f16[5,100,150]", followed by strides and offsets that are not the default.
[[nodiscard]] std::string print(const Tensor& tensor);

/// Reads `laneid=32, m=64`. Errors: Syntax, Value (an extent below 1, an axis twice), Overflow.
[[nodiscard]] Result<std::vector<Extent>> parse_box(std::string_view text);

/// The strides of a dense row-major tensor: {5,100,150} -> {15000,150,1}. An extent of 0 counts as 1, as in PyTorch.
/// Error: Overflow.
[[nodiscard]] Result<std::vector<Index>> dense_strides(std::span<const Index> size);
/// The tensor's strides, given or dense. Errors: Shape if the lengths differ, Value for a negative offset, Overflow.
[[nodiscard]] Result<std::vector<Index>> host_strides(const Tensor& tensor);

}  // namespace vl::map
