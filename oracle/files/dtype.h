// Dtype: the element type of a file, and its name in each format. Data moves as opaque units, so only the width matters
// for moves; the kind is checked and written again.
//
//   kind       .npy         safetensors
//   Bool       |b1          BOOL
//   Signed     |i1 … <i8    I8 I16 I32 I64
//   Unsigned   |u1 … <u8    U8 U16 U32 U64
//   Float      <f2 <f4 <f8  F16 F32 F64
//   Brain      <u2          BF16
//   E4m3       |u1          F8_E4M3
//   E5m2       |u1          F8_E5M2
// NumPy has neither bfloat16 nor floats of 8 bits: they are stored as unsigned integers of their width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "encodings/map/tensor.h"

namespace vl::oracle {

struct Dtype {
  enum class Kind : std::uint8_t { Bool, Signed, Unsigned, Float, Brain, E4m3, E5m2 };
  Kind kind = Kind::Unsigned;
  std::size_t bytes = 1;  // of one element: 1, 2, 4 or 8

  bool operator==(const Dtype&) const = default;
};

/// The name in a .npy header: {Float, 2} is "<f2", {Brain, 2} is "<u2".
[[nodiscard]] std::string npy_name(Dtype dtype);
/// {Brain, 2} is "BF16".
[[nodiscard]] std::string_view safetensors_name(Dtype dtype);
[[nodiscard]] std::optional<Dtype> dtype_of_safetensors(std::string_view name);

/// The dtype of a tensor's elements. Nothing for elements that are not whole bytes of their own: i4, bfp8, bfp4.
[[nodiscard]] std::optional<Dtype> dtype_of(map::ElementType type);

/// Whether a file of this dtype may carry elements of that type: the dtype is the type itself, or unsigned integers of
/// its width, which say nothing about the bits. {Unsigned, 2} may carry bf16, {Signed, 2} may not carry f16.
[[nodiscard]] bool carries(Dtype dtype, map::ElementType type);

/// The number of bytes of an array. Nothing if it leaves 64 bits, or an extent is negative. {Float, 2}, (5, 7) -> 70.
[[nodiscard]] std::optional<std::size_t> array_bytes(Dtype dtype, std::span<const Index> shape);

}  // namespace vl::oracle
