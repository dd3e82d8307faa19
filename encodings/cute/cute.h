// CuTe layouts: a shape and a stride of the same nesting, written shape:stride, as in (4,(2,2)):(1,(4,8)).
//
//   A coordinate has one integer for each leaf of the shape, or one for each mode, or a single one. They are the same
//   by colexicographic order, the first leaf fastest: digit k of the number i is (i div Π_{j<k} s_j) mod s_k, and the
//   last leaf is not reduced. The address is Σ digit_k · d_k, in elements. A tensor of any shape with as many elements
//   is numbered in the same order, first dimension fastest, so that [4,4], [4,2,2] and [16] are the coordinates above.
//
//   Sw<B,M,S> o offset o LAYOUT: address x = offset + LAYOUT(i), then x xor ((x & m) >> S), where m are B ones from bit
//   M + S up; for S < 0 x xor ((x & m) << -S), where m are B ones from bit M up. 0 <= B <= |S|.
//
// Worked example: (3,(2,3)):(3,(12,1)) at 16: digits 16 mod 3 = 1, 5 mod 2 = 1, 2; address 1·3 + 1·12 + 2·1 = 17.
//
// Source: NVIDIA/cutlass at 7107b055, media/docs/cpp/cute/01_layout.md and 02_layout_algebra.md, python/pycute, and
// include/cute/swizzle.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"

namespace vl::use {
struct Family;
}

namespace vl::cute {

/// A leaf has an extent and a stride; another mode has modes in it, maybe none. A number is an integer, or an
/// expression in names (rule_text.h).
template <class Number>
struct BasicMode {
  bool leaf = true;
  Number extent = 1;
  Number stride = 0;
  std::vector<BasicMode> modes = {};

  bool operator==(const BasicMode&) const = default;
};
using Mode = BasicMode<Index>;

/// Sw<bits,base,shift>, in elements.
struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  bool operator==(const Swizzle&) const = default;
};

template <class Number>
struct BasicLayout {
  BasicMode<Number> mode;          // the whole layout
  std::optional<Swizzle> swizzle;  // of offset + the address
  Number offset = 0;               // only in front of a swizzle

  bool operator==(const BasicLayout&) const = default;
};
using Layout = BasicLayout<Index>;

/// A text, read. `symbolic` is not empty where a part of it is no number, and says what: "? is a dynamic integer",
/// "'M' is a name, not a number". Then the layout is none.
struct Parsed {
  Layout layout;
  std::string symbolic;
};

/// Looks only at the start of the text: (4,2):(1,4), 8:2, Sw<3,4,3> o …, Layout<Shape<…, make_layout(….
[[nodiscard]] bool recognises(std::string_view text);

/// Errors: Syntax, Shape for a stride that does not nest like its shape, Value for an extent below 1 and a swizzle out
/// of its bounds, Overflow for a size beyond 64 bits, and for more than 256 leaves or 64 levels.
[[nodiscard]] Result<Parsed> parse(std::string_view text);

/// "Sw<3,3,3> o 0 o (8,(2,2)):(4,(1,2))": parse(print(l)) == l.
[[nodiscard]] std::string print(const Layout& layout);

/// The leaves, first one first.
template <class Number>
[[nodiscard]] std::vector<BasicMode<Number>> leaves_of(const BasicMode<Number>& mode) {
  if (mode.leaf) return {mode};
  std::vector<BasicMode<Number>> out;
  for (const BasicMode<Number>& inner : mode.modes)
    for (BasicMode<Number>& leaf : leaves_of(inner)) out.push_back(std::move(leaf));
  return out;
}
/// The product of all extents. Error: Overflow.
[[nodiscard]] Result<Index> size_of(const Mode& mode);

/// The layout of a tensor with as many elements. Places are on the axis m, in a box of the cosize before the swizzle,
/// or as declared. Errors: Shape, Box, Value for a swizzle of negative addresses, Overflow.
[[nodiscard]] Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor);

/// The complement up to `cotarget`, by the definition of 02_layout_algebra.md: the gaps between the leaves' spans, in
/// ascending order of their strides, and as many copies as reach `cotarget`. (2,2):(1,6) up to 24: (3,2):(2,12).
/// Errors: Value where the strides of leaves other than 0 do not nest, and for a swizzle; Overflow.
[[nodiscard]] Result<Layout> complement(const Layout& layout, Index cotarget);

/// The family's entry in the registry.
[[nodiscard]] const use::Family& family();

}  // namespace vl::cute
