// Laws of the operations on TIRx layouts: L of the result by L of the operands, as a map. operations.h states each one.
//
// A law never performs its operation: it evaluates the operands at the points that the definition states
// (law_formula.h). A result of an operation, computed or given, is right iff it is the same set-valued map of named
// axes.
//
// Worked example: the slice [2:3, 6:10] of S[(4,4,4,4):(64,4,16,1)] on f16[16,16] is the map
//   (x0:1, x1:4) -> affine(16*x0 + x1 + 38) -> split(0; 64, 16, 4, 1) -> affine(64*x0 + 4*x1 + 16*x2 + x3)
// whose element (0,2) has number 40, digits 0,2,2,0 and address 40, as in S[(2,2):(14,1)] + 26.
#pragma once

#include <span>

#include "encodings/tirx/tirx.h"
#include "encodings/use/division.h"
#include "encodings/use/family.h"

namespace vl::tirx {

// Each function: the law of an operation on `layout`, the layout of `tensor`. Errors: Shape (the layout has another
// number of elements than the tensor, shapes that do not fit), Value if the operation has no meaning, Overflow.

[[nodiscard]] Result<use::Law> same_law(const Layout& layout, const map::Tensor& tensor);
[[nodiscard]] Result<use::Law> slice_law(const Layout& layout, const map::Tensor& tensor,
                                         std::span<const use::Interval> region);
[[nodiscard]] Result<use::Law> tile_law(const Layout& layout, const map::Tensor& tensor, const TileLayout& outer,
                                        std::span<const Index> outer_shape);
[[nodiscard]] Result<use::Law> direct_sum_law(const Layout& layout, const map::Tensor& tensor, const TileLayout& left,
                                              std::span<const Index> left_shape);
[[nodiscard]] Result<use::Law> permute_law(const Layout& layout, const map::Tensor& tensor,
                                           std::span<const Index> order);
[[nodiscard]] Result<use::Law> broadcast_law(const Layout& layout, const map::Tensor& tensor, Index extent, Index at);
/// The last dimension is n times as long; a scalar becomes [n].
[[nodiscard]] Result<use::Law> unpack_law(const Layout& layout, const map::Tensor& tensor, Index n);
/// The last dimension is 1/n as long; if n does not divide it, the result is flat.
[[nodiscard]] Result<use::Law> pack_law(const Layout& layout, const map::Tensor& tensor, Index n);
/// The rule that every pack by n > 1 needs and this layout breaks: then some L(n·x), or L(n·x + j) - L(n·x) - j, is not
/// a multiple of n, so no result is right. Nothing where the operation is possible, or not defined (pack_law says
/// which).
[[nodiscard]] std::optional<use::Impossible> no_pack(const Layout& layout, Index n);
[[nodiscard]] Result<use::Law> swizzle_law(const Layout& layout, const map::Tensor& tensor, const SwizzleLayout& by);
[[nodiscard]] Result<use::Law> fuse_law(const Layout& layout, const map::Tensor& tensor, Axis to);
/// The same for fuse: a coordinate on an axis below another is no thread's, and fused it would be another thread's.
[[nodiscard]] std::optional<use::Impossible> no_fuse(const Layout& layout, Axis to);
[[nodiscard]] Result<use::Law> split_law(const Layout& layout, const map::Tensor& tensor, Axis from, Axis outer);
/// Over the elements of one thread, with one dimension per iter of the shard on a memory axis.
[[nodiscard]] Result<use::Law> storage_law(const Layout& layout, map::ElementType type);

/// A canonical result may have other thread axes that fuse to the same threads; the axes of `with` select them. With
/// axes of the layout, nothing is fused; with axes that make a chain of the same scopes, L is fused and read on them.
/// An axis that leaves its capacity is never fused: then only the layout's own axes are right.
[[nodiscard]] Result<use::Law> canonical_law(const Layout& layout, const map::Tensor& tensor,
                                             const std::optional<TileLayout>& with);

/// Family::law: the same from texts. Operations and their keys:
///   slice: region           tile: outer, outer_shape, [inner_shape]    direct-sum: left, left_shape    permute: order
///   broadcast: extent, at   pack, unpack: factor    fuse, split: axis    swizzle: swizzle    group: shape
///   canonical: none
/// All have `with`, whose axes canonical and split read.
[[nodiscard]] std::variant<use::Law, use::Impossible, use::LawError> law(std::string_view operation,
                                                                         std::string_view text,
                                                                         const map::Tensor& tensor,
                                                                         std::span<const use::LawArgument> arguments);

}  // namespace vl::tirx
