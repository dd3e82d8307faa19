// XLA's tiled layouts: a shape with the order of its dimensions and the tiles of its memory, as HLO prints them.
//
//   TYPE[dims]{minor_to_major:D(…)T(…)(…)L(n)#(…)*(…)E(n)S(n)SC(…)P(…)M(n)}
//
// each field at most once and in this order. The physical dimensions are the dimensions from major to minor. A tile of
// k sizes takes the last k of them, with dimensions of size 1 in front where there are fewer; one marked * is joined to
// the next more minor one. A coordinate e of a dimension of d places becomes (e div t, e mod t), the dimension
// (ceil(d/t), t): first all quotients, then all remainders. The next tile takes what the one before has made. The
// address, in elements, is the row-major number of what is left; the slots are all of these, rounded up to the n of
// L(n). E(n) are the bits of an element, S(n) its memory space, which changes no address.
// The document: openxla/xla, docs/tiled_layout.md and docs/shapes.md.
//
// Example: f32[3,5]{1,0:T(2,2)} has the dimensions (2,3,2,2), hence 24 slots, and element (2,3) at (1,1,0,1): 17.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "encodings/use/notation.h"

namespace vl::xla {

/// An element type of XLA. `here` is the name of the same type in tensors; empty: tensors have no such type.
struct TypeName {
  std::string_view name;
  std::string_view here;
};
inline constexpr std::array<TypeName, 31> kTypes = {
    {{"pred", "bool"},     {"s4", "i4"},       {"s8", "i8"},      {"s16", "i16"}, {"s32", "i32"},
     {"s64", "i64"},       {"u8", "u8"},       {"u16", "u16"},    {"u32", "u32"}, {"f8e4m3fn", "f8e4m3"},
     {"f8e5m2", "f8e5m2"}, {"f16", "f16"},     {"bf16", "bf16"},  {"f32", "f32"}, {"f64", "f64"},
     {"s1", ""},           {"s2", ""},         {"u1", ""},        {"u2", ""},     {"u4", ""},
     {"u64", ""},          {"f4e2m1fn", ""},   {"f8e3m4", ""},    {"f8e4m3", ""}, {"f8e4m3b11fnuz", ""},
     {"f8e4m3fnuz", ""},   {"f8e5m2fnuz", ""}, {"f8e8m0fnu", ""}, {"c64", ""},    {"c128", ""},
     {"token", ""}}};

template <class N>
struct BasicTileSize {
  bool joins = false;  // *: with the next more minor dimension
  N size = 1;
};

/// A shape's text. Without braces, minor_to_major goes from the last dimension to the first.
template <class N>
struct BasicShape {
  std::optional<map::ElementType> type;  // absent: one that tensors do not have
  std::vector<N> dims;
  std::vector<Index> minor_to_major;
  std::vector<std::vector<BasicTileSize<N>>> tiles;
  Index tail = 1;    // L(n): the slots are a multiple of n
  Index bits = 0;    // E(n): of an element; 0: whole bytes
  Index memory = 0;  // S(n)
};

/// Takes a shape. What names no address or several (sizes of a running program, sparse arrays, splits) makes the text
/// undecidable. Errors, which stay in the cursor: Syntax, Value (no permutation, a tile size below 1), Overflow.
template <class N>
[[nodiscard]] BasicShape<N> take_shape(use::Numbers<N>& text);

/// The shape as one number for each physical dimension, or for those that a tile joins, and the place on the axis m.
/// Requires: a text without an error. Errors: Shape and Value where the tensor is not the text's, Overflow.
template <class N>
[[nodiscard]] Result<map::Blueprint<N>> blueprint_of(const BasicShape<N>& shape, use::Numbers<N>& text,
                                                     const map::BasicTensor<N>& tensor);

/// Whether a text begins with a type and '['. F32 is read as f32, as XLA's document writes it.
[[nodiscard]] bool recognises(std::string_view text);
[[nodiscard]] Result<use::Reading> read(std::string_view text, const map::Tensor& tensor);
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

[[nodiscard]] const use::Family& family();

}  // namespace vl::xla
