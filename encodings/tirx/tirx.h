// TIRx layouts: TileLayout (shard, replica, offset over named axes), SwizzleLayout, ComposeLayout.
//
// An iter is (extent, stride, axis). D, the shard, is an ordered list of iters; R, the replica, is a set; O adds one
// offset per axis. For a logical index x of a tensor whose size is the product of D's extents:
//   flat = row-major number of x       c_k = floor(flat / Π_{l>k} e_l) mod e_k
//   L(x)[a] = { Σ_{k: a_k = a} c_k·s_k + O[a] + Σ_{t: a_t = a} r_t·s_t : 0 <= r_t < e_t }
// An axis that a layout does not name has coordinate 0.
//
// Worked example: S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid on f16[8,16]. Element (7,15)
// has flat 127, c = (7,1,3,1): laneid 31, warpid {6, 10}, m 1.
//
// A swizzle (M, B, S) works on the element address m: with x = m >> M, bits [S, S+B) of x are XORed into bits [0, B)
// (swizzle_inner), or the other way round; the low M bits stay. (3,3,3): 64 -> 72. Cute writes Swizzle<B,M,S>.
//
// Physical space: the axes of shard and replica in the order of the text, then those that only the offset or a declared
// box names, in the order of Axis. Extents: the declared one, else the axis' capacity, else [0, span) before the
// swizzle. `filled`, onto which bijective maps: each axis [0, span), or the declared extent.
//
// Numbers beyond 32 bits may stand as TVM prints them: S[32:T.int64(8589934592)].
//
// Sources: TVM's docs/tirx/layout.rst and the tests tests/python/tirx/test_layout.py. The second meaning is
// reference.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/tirx/axes.h"
#include "encodings/use/family.h"

namespace vl::tirx {

/// A number is an integer, or an expression in names (rule_text.h).
template <class Number>
struct BasicIter {
  Number extent = 1;  // >= 1
  Number stride = 0;  // any
  Axis axis = Axis::M;

  bool operator==(const BasicIter&) const = default;
};
using Iter = BasicIter<Index>;

template <class Number>
struct BasicTile {
  std::vector<BasicIter<Number>> shard;
  std::vector<BasicIter<Number>> replica;
  std::vector<std::pair<Axis, Number>> offset;  // by axis, each once

  bool operator==(const BasicTile&) const = default;
};
using TileLayout = BasicTile<Index>;

struct SwizzleLayout {
  int per_element = 0;  // M
  int swizzle_len = 0;  // B
  int atom_len = 1;     // S
  bool swizzle_inner = true;

  bool operator==(const SwizzleLayout&) const = default;
};

/// A tile, a swizzle alone (then tile is the identity over the tensor), or both.
template <class Number>
struct BasicLayout {
  std::optional<SwizzleLayout> swizzle;
  std::optional<BasicTile<Number>> tile;

  bool operator==(const BasicLayout&) const = default;
};
using Layout = BasicLayout<Index>;

/// A text that was read: the layout, or a name, if its extents or strides are symbols.
struct Parsed {
  Layout layout;
  std::string symbolic;            // not empty: the first name that is not a number, and why nothing is decided
  std::vector<std::string> notes;  // how an ambiguous text was read

  bool operator==(const Parsed&) const = default;
};

/// Reads every form of TIRx's Python notation, and the builders (builders.h). It rejects, with the reason: another
/// number of strides than of extents (upstream drops iters), a second S or R (upstream keeps one of them), axes that
/// are not registered (upstream registers them as memory), a tile of a ComposeLayout that is not on m alone, S = 0 with
/// B > 0. Errors: Syntax, Value, Shape, Overflow.
[[nodiscard]] Result<Parsed> parse(std::string_view text);

[[nodiscard]] bool recognises(std::string_view text);

/// S[…] + R[…] + offset, and ComposeLayout with the three numbers in front, in the form of upstream's current version;
/// a swizzle alone, which that version lacks, in the form of earlier versions. parse(print(l)) == l.
[[nodiscard]] std::string print(const Layout& layout);
[[nodiscard]] std::string print(const TileLayout& layout);
/// The same in place of what `out` was, whose memory is used again.
void print(const Layout& layout, std::string& out);

/// Π of the shard's extents. Error: Overflow.
[[nodiscard]] Result<Index> size_of(const TileLayout& tile);

/// The values that D + R + O takes on an axis, [low, high]. Error: Overflow.
[[nodiscard]] Result<map::Range> range_of(const TileLayout& tile, Axis axis);
/// The named axes: the shard's and the replica's in the order of their first occurrence, then the offset's in the order
/// of Axis.
template <class Number>
[[nodiscard]] std::vector<Axis> axes_of(const BasicTile<Number>& tile);

/// The layout of a tensor as a map. Errors: Shape (another number of elements), Value (a swizzle over addresses that
/// may be negative, a declared extent beyond an axis' capacity), Overflow.
[[nodiscard]] Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor);

/// Reading::own_span: those of a layout's axes that have neither a declared extent nor a capacity.
[[nodiscard]] std::vector<std::string> own_span(const std::vector<std::string>& names,
                                                const std::vector<map::Extent>& box, map::ElementType type);

/// Upstream's rules: the scopes of the thread axes connect; a swizzle has S >= B.
template <class Number>
[[nodiscard]] std::vector<use::Rule> rules_of(const BasicLayout<Number>& layout);

/// The family's entry in the registry.
[[nodiscard]] const use::Family& family();

}  // namespace vl::tirx
