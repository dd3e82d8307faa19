// Operations on TIRx layouts: from layouts to layouts, by their iters alone. Each one states its law: L of the result
// by L of the operands. laws.h makes the same law as a map, in another way; a result is used only after a proof that
// the two are the same set-valued map. If no layout of this form obeys the law, or none is found, the answer is an
// Error that names the dimension or the iter: a refusal, never a wrong layout.
//
// Shapes: a layout has no shape of its own, only a number of elements; an operation on dimensions takes a shape.
// A swizzle is outside of all other operations: they change T of ComposeLayout(M, B, S, T), and the XOR comes last. A
// SwizzleLayout alone is the identity over the given shape.
//
// If upstream's answer breaks the law, this one differs: the replicas and the offset of a tile's outer layout are
// scaled, several offsets on one axis are added, a slice across a carry is right or refused, pack and unpack change
// only m. Sources: TVM, src/tirx/ir/layout and tests/python/tirx/test_layout.py; 004_aaf373591abbdff6.txt.
#pragma once

#include <span>

#include "encodings/tirx/tirx.h"
#include "encodings/use/division.h"

namespace vl::tirx {

/// L' = L with the thread axes of a chain fused into one, if an axis has the chain's scopes: (warpid, laneid) -> tx,
/// (wgid, wid_in_wg) -> warpid. Unit iters and zero offsets are dropped, adjacent iters that continue each other become
/// one, the replicas are sorted. Axes that overlap, leave a gap or leave their capacity are not fused.
/// Error: Overflow.
/// Example: S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)] -> S[128:1@tx].
[[nodiscard]] Result<Layout> canonicalize(const Layout& layout);

/// A layout whose iters first[d] to first[d+1] make dimension d; `first` has one more entry than there are dimensions.
struct Grouped {
  TileLayout layout;
  std::vector<std::size_t> first;
};

/// L' = L, with iters cut so that none crosses a boundary of the shape. Unit iters are dropped: a dimension of 1 has
/// none. Errors: Shape (another number of elements), Value (a boundary divides an iter unevenly), Overflow. Example:
/// S[30:1] by (6,5) -> S[(6,5):(5,1)], first [0,1,2].
[[nodiscard]] Result<Grouped> group(const TileLayout& layout, std::span<const Index> shape);

struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<std::size_t>> first;  // one per shape
};

/// L' = L, with iters cut so that none crosses a boundary of any shape.
/// Errors: those of group; Value "incompatible" if neither of two boundaries divides the other.
/// Example: S[30:1] by (6,5) and (2,15) -> S[(2,3,5):(15,5,1)], first [0,2,3] and [0,1,3].
[[nodiscard]] Result<GroupedMany> group_many(const TileLayout& layout, std::span<const std::vector<Index>> shapes);

/// L'(x)[a] = σ_a·L_outer(o)[a] + L_inner(i)[a] with x_d = o_d·inner_shape_d + i_d; σ_a = 1 + the largest less the
/// smallest coordinate of inner's D + R on a, 1 if inner has no a. Sets add. The outer replicas and offset are also
/// scaled. Errors: Shape, Value (a shape that does not group a layout; thread axes under a swizzle), Overflow.
/// Example: inner S[(2,4):(1,2)], outer S[(8,8):(8,1)] -> S[(8,2,32):(64,1,2)].
[[nodiscard]] Result<Layout> tile(const Layout& inner, const TileLayout& outer, std::span<const Index> outer_shape,
                                  std::span<const Index> inner_shape);

/// L'(x)[a] = L_left(l)[a] + L_right(r)[a] with x_d = l_d·right_shape_d + r_d. Errors: those of tile.
/// Example: left S[(2,2):(8,2)], right S[(2,2):(4,1)] -> S[16:1].
[[nodiscard]] Result<Layout> direct_sum(const Layout& right, const TileLayout& left, std::span<const Index> left_shape,
                                        std::span<const Index> right_shape);

/// The outer layout with tile(inner, outer) = tiled, up to canonical form. Error: Value if none is found.
[[nodiscard]] Result<TileLayout> outer_of_tile(const Layout& inner, const Layout& tiled,
                                               std::span<const Index> tiled_shape, std::span<const Index> inner_shape);
/// The inner layout with tile(inner, outer) = tiled.
[[nodiscard]] Result<Layout> inner_of_tile(const TileLayout& outer, const Layout& tiled,
                                           std::span<const Index> tiled_shape, std::span<const Index> outer_shape);
/// The left layout with direct_sum(right, left) = sum.
[[nodiscard]] Result<TileLayout> left_of_sum(const Layout& right, const Layout& sum, std::span<const Index> sum_shape,
                                             std::span<const Index> right_shape);
/// The right layout with direct_sum(right, left) = sum.
[[nodiscard]] Result<Layout> right_of_sum(const TileLayout& left, const Layout& sum, std::span<const Index> sum_shape,
                                          std::span<const Index> left_shape);

/// L'(y) = L(y + begin), y_d < end_d - begin_d. Under a swizzle the slice's offset is added before the XOR.
/// Errors: Shape, Value (a region that is empty or outside the shape; pieces that no iters describe), Overflow.
/// Example: S[(4,4,4,4):(64,4,16,1)] of (16,16), [2:3, 6:10] -> S[(2,2):(14,1)] + 26.
[[nodiscard]] Result<Layout> slice(const Layout& layout, std::span<const Index> shape,
                                   std::span<const use::Interval> region);

/// L'(y) = L(x) with y_k = x_order[k]. Errors: those of slice.
/// Example: S[(2,3):(3,1)] of (2,3), (1,0) -> S[(3,2):(1,3)].
[[nodiscard]] Result<Layout> permute(const Layout& layout, std::span<const Index> shape, std::span<const Index> order);

/// L'(y) = L(y without y_at), y_at < extent. `at` counts from 0; -1 is behind the last dimension. Errors: those of
/// slice.
[[nodiscard]] Result<Layout> broadcast(const Layout& layout, std::span<const Index> shape, Index extent, Index at);

/// L'(n·x + j)[m] = n·L(x)[m] + j for 0 <= j < n; all thread axes stay. A swizzle's M grows by log2 n.
/// Errors: Value (n < 1; memory axes besides m, for which an element is not defined; under a swizzle, n that is not a
/// power of two), Overflow.
/// Example: S[(8,8):(8,1)] by 2 -> S[(8,16):(16,1)].
[[nodiscard]] Result<Layout> unpack(const Layout& layout, Index n);

/// The inverse: L(n·x + j)[m] = n·L'(x)[m] + j for every x and 0 <= j < n. Error: Value if no such L' exists, with the
/// iter that is not a multiple of n.
/// Example: S[(8,16):(16,1)] by 2 -> S[(8,8):(8,1)].
[[nodiscard]] Result<Layout> pack(const Layout& layout, Index n);

/// L without the thread axes' iters, over the elements of one thread.
/// Example: S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] -> S[2:1].
[[nodiscard]] Layout storage(const Layout& layout);

/// L'[to] = Σ units_a·L[a] over the thread axes a that lie within `to`; the other axes stay. tx = 32·warpid + laneid.
/// Errors: Value (no axis within `to`, axes that overlap, one that leaves its capacity below another), Overflow.
[[nodiscard]] Result<Layout> fuse(const Layout& layout, Axis to);

/// The axes (outer, inner) into which `from` splits; `outer` selects one of tx's two splits. tx: (warpid, laneid) or
/// (wgid, tid_in_wg); tid_in_wg: (wid_in_wg, laneid); warpid: (wgid, wid_in_wg).
[[nodiscard]] std::optional<std::pair<Axis, Axis>> split_axes(Axis from, std::optional<Axis> outer = {});

/// L'[outer] = floor(L[from] / c) and L'[inner] = L[from] mod c, where c is the capacity of inner.
/// Errors: Value (`from` has no such split or is not in the layout, the layout already has one of the axes, a sum
/// carries from inner to outer), Overflow. Example: S[64:1@tx] + 32@tx -> S[(2,32):(1@warpid,1@laneid)] + 1@warpid.
[[nodiscard]] Result<Layout> split(const Layout& layout, Axis from, std::optional<Axis> outer = {});

/// L'[m] = swizzle(L[m]). Errors: Value (axes other than m, a layout with a swizzle, addresses below 0, S < 1).
[[nodiscard]] Result<Layout> swizzle(const Layout& layout, const SwizzleLayout& by);

}  // namespace vl::tirx
