// Plan: a relation as loop nests that a machine runs fast, with the list of rewrites that derives them from the
// relation's definition. A plan is plain data: the planner (oracle/executor) writes it, the checker (check.h) trusts
// none of it, and kernels (oracle/kernels) run it.
//
// The certificate is two derivations. Each is a list of rewrites of *cells*, depth first. A cell is a box of variables
// 0 <= v_k < extent_k with affine lines over them. Rule states the effect and the conditions of each rewrite.
//   pieces    begins with one cell: the relation's domain. The lines are the inputs of the two maps, and are carried
//             through their stages, the source's first. A cell that reaches the end is *emitted*: it is a piece. Pieces
//             are in the order of emission.
//   cover     begins with one cell: the destination's whole memory, with one line, the unit's number. Each leaf names
//             the piece that writes exactly those units, or states that no piece does (a gap). Leaves are disjoint and
//             cover the memory. So pieces are disjoint, too: no unit is written twice, and the gaps are exactly the
//             padding.
// A relation onto a Dense side needs no cover: the domain's cells are disjoint, and row-major numbers are a bijection.
//
// A step is one piece (or a gap, or a piece with the gap behind each of its runs) in bytes, with its loops in the order
// in which they run. A normal form shows that a step is its piece: loops and the run in bytes, extents 1 dropped,
// reversed to ascend in the destination, sorted, fused.
// Example: f16[5,100,150] -> (100,3,5,64), pack. Cut x2 at 128, block it by 64: pieces
//   {x0:5, x1:100, t:2, k:64}  source 15000,150,64,1 from 0    destination 64,960,320,1 from 0
//   {x0:5, x1:100, k:22}       source 15000,150,1 from 128     destination 64,960,1 from 640
// and one gap {100, 5, 42} from 662.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::oracle {

constexpr std::size_t kMostLoops = 16;
constexpr std::size_t kMostVariables = 24;  // of a cell of the certificate

/// One loop of a step: its extent and what one iteration adds to the two addresses, in bytes. A gap has source 0.
struct Loop {
  Index extent = 1;
  Index source = 0;
  Index destination = 0;

  bool operator==(const Loop&) const = default;
};

/// XOR on the bits of a byte address within its memory, as map::Swizzle says it for units: Down XORs bits
/// [base+shift, base+shift+bits) into [base, base+bits), Up the other way round. bits 0: none.
struct ByteSwizzle {
  std::uint8_t base = 0;
  std::uint8_t bits = 0;
  std::uint8_t shift = 1;
  bool up = false;

  bool operator==(const ByteSwizzle&) const = default;
};

[[nodiscard]] constexpr Index apply(const ByteSwizzle& s, Index address) {
  if (s.bits == 0) return address;
  const Index mask = (Index{1} << s.bits) - 1;
  if (s.up) return address ^ (((address >> s.base) & mask) << (s.base + s.shift));
  return address ^ (((address >> (s.base + s.shift)) & mask) << s.base);
}

/// A bound of apply(s, x) over 0 <= x <= high: `high` itself where that is easy to see. Bits from `top` on stay.
[[nodiscard]] constexpr Index most_of(const ByteSwizzle& s, Index high) {
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(high)));
  const Index mask = (Index{1} << s.bits) - 1;
  const int read = s.up ? s.base : s.base + s.shift;
  if (s.bits == 0 || width <= read) return high;
  if (!s.up && s.shift >= s.bits && ((high >> read) & mask) == 0) return high;
  const int written = s.base + s.bits;
  const int top =
      s.up ? (written < width ? written : width) + s.shift : (written < width - s.shift ? written : width - s.shift);
  return high | ((Index{1} << top) - 1);
}

/// The work at the end of the loops; the kernel defines the meaning of the innermost loops (oracle/kernels/kernels.h).
enum class Kernel : std::uint8_t {
  Run,        // copy `run` bytes, contiguous on both sides; then `fill` bytes of the fill value
  Transpose,  // the last two loops are a transpose of units of `run` bytes: destination stride = run in the first of
              // the two, source stride = run in the second
  Strided,    // units of `run` bytes, for all strides (0 included)
  Fill,       // `run` bytes of the fill value
  Compare,    // `run` bytes must be equal on both sides; nothing is written
};

// Further conditions of the checker on a step, which must be its piece or gap: at most kMostLoops loops, extents >= 1,
// strides within ±2^60 even where a loop has one iteration; run >= 1. Units of a Transpose and of a Strided step have
// 1, 2, 4, 8 or 16 bytes. `fill` > 0 iff `gap` >= 0 in a Run, 0 in all others; a Fill has a gap, no piece, and source 0
// throughout. The filled bytes begin at a multiple of the unit, in every iteration, and are whole units. With a
// swizzle, `run` bytes of the source, and run + fill of the destination, stay within one aligned chunk of 2^base bytes
// in every iteration: either no loop leaves the chunk, or all steps and the start are multiples of a power of two into
// which they fit. Every piece is one step, and so is every gap if the plan fills; a plan that does not fill has no step
// of a gap.
struct Step {
  Kernel kernel = Kernel::Run;
  bool stream = false;  // whole cache lines with non-temporal stores
  std::uint8_t rank = 0;
  std::array<Loop, kMostLoops> loops;  // outermost first, `rank` of them
  Index source = 0;                    // byte offsets of the first iteration, before the swizzle
  Index destination = 0;
  Index run = 1;               // bytes
  Index fill = 0;              // bytes of the fill value behind each run
  ByteSwizzle source_swizzle;  // applied to each address; a run lies within 2^base bytes
  ByteSwizzle destination_swizzle;
  std::int32_t piece = -1;  // the number of its piece; -1: only a gap
  std::int32_t gap = -1;    // the number of its gap, or of the gap of `fill`
};

/// Steps [first, first + count) run in lockstep: their `shared` outermost loops have equal extents, and for each
/// iteration of these all of them run in turn. Several steps share at least one loop, and never the last two of a
/// Transpose.
struct Group {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t shared = 0;
};

// The cells of a derivation lie on a stack. A rewrite changes the top. If it makes two cells of the top, the first
// becomes the top and the second waits beneath it. Emit, Holds and Gap remove the top. The derivation is complete when
// the stack is empty, and then no rewrite may be left. A cell has at most kMostVariables variables.
//
// The first cell of `pieces`: one variable for each dimension of the domain whose extent is not 1, in that order (with
// an extent 0 there is no cell). Lines: the source's, then the destination's. A Dense or a View side has one line, its
// unit's number, and no stages. An Image has one line for each input of its map, logical ++ replicas: the domain's
// variable, or the constant 0 where that is pinned, of extent 1 or not asked for. If the first stage of its map is
// affine, that stage is already done in the first cell, on both sides: the lines are its rows, and there is no rewrite.
// The map's other stages follow in their order, and then Address. Stages that change nothing are passed over as soon as
// they are next: a split by one weight only, a swizzle of 0 bits. Nests as given: one cell for each nest that has no
// extent 0, the first nest on top, variables as above from its extents, two lines, both of which are addresses already.
//
// The first cell of `cover`: the variable u < units of the destination (no variable if that is 1, no cell if it is 0)
// and one line, u. There are only Cut, Block, Fix, Drop, Reverse, Fuse, Holds and Gap. If the destination has a
// swizzle, numbers are those before it, and it must permute the memory: most_of(swizzle, units - 1) <= units - 1. There
// is a cover, except where the plan compares, and where there are no nests and the destination is Dense, pins no
// dimension of an extent > 1, and the source has no replicas asked for of an extent other than 1. Else the list is
// empty.

/// One rewrite of the cell on top of the stack. `a`, `b` are numbers of variables; fields that a rule does not name are
/// 0. Every coefficient and constant that arises must fit 64 bits.
///   Cut       a at n, 0 < n < extent. First v_a < n; second v_a >= n, counted from n.
///   Block     a by n, 1 < n < extent: v_a = n·y + z. y takes the place of a, z comes behind the last variable. With
///             r = extent mod n: if r = 0 then y < extent / n, z < n. Else first z < r, y < floor(extent / n) + 1;
///             second z >= r, counted from r (its extent is n - r), y < floor(extent / n).
///   Fix       a, extent > 1. First v_a = 0, a is removed; second v_a >= 1, counted from 1 (a stays, even if its extent
///             is then 1).
///   Drop      a has extent 1 and is removed.
///   Reverse   a counts downwards: v_a becomes extent - 1 - v_a.
///   Fuse      a, b, a != b: in every line the coefficient of a is that of b times b's extent. a gets b's coefficients
///             and the product of the extents; b is removed.
///   Affine    the next stage, an affine one: its rows take the place of the side's lines.
///   Digit     the next stage is a split by w_0, w_1, … that is not done. With w its first weight not yet taken (never
///             the last one) its line becomes two, line = w·quotient + rest, the constant and each coefficient divided
///             with floor. The rest must stay below w on the whole cell. The quotient is that digit; the rest, behind
///             it, is what the next weight divides, and after all weights but the last it is the last digit.
///   Swizzle   the next stage, a swizzle, and no stage that changes something follows. Its line stays as it is, to be
///             read as the number before the swizzle; see Address.
///   Constant  the next stage, a swizzle that others follow, of a line that is constant and >= 0 on the cell. The
///             line becomes the swizzled constant.
///   Address   no stage of the Image side is left: guards are 0 on the whole cell and coordinates lie in the box. The
///             side's lines become one, the row-major number Σ weight_j·coordinate_j. If coordinate s is swizzled:
///             most_of(swizzle, h) is below its extent, where h is its largest value; weight_s is 2^k; in Σ over j < s
///             the constant and each coefficient are multiples of 2^(base + bits + shift + k). Then the unit's number
///             is swizzled as a whole, with base + k in place of base. All bits that it names lie below 2^62, in bytes.
///             A variable of extent 1 adds nothing: its coefficients do not count.
///   Emit      both sides are addresses, and on the whole cell >= 0 and below the number of units of their memory. The
///             cell is a piece: its variables and the two lines.
///   Holds     n: the cell is piece n. The loops of both over the destination alone are the same, and start at the same
///             number. Loops: extents and coefficients, reversed where the coefficient is negative, extents 1 left out,
///             sorted, fused. Each piece is held exactly once.
///   Gap       no piece writes units of the cell. Gaps are numbered in the order of this list.
enum class Rule : std::uint8_t {
  Cut,
  Block,
  Fix,
  Drop,
  Reverse,
  Fuse,
  Affine,
  Digit,
  Swizzle,
  Constant,
  Address,
  Emit,
  Holds,
  Gap,
};

struct Rewrite {
  Rule rule = Rule::Emit;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  Index n = 0;

  bool operator==(const Rewrite&) const = default;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Group> groups;    // cover the steps in order
  std::vector<Rewrite> pieces;  // certificate: from the relation's domain
  std::vector<Rewrite> cover;   // certificate: from the destination's memory; empty onto a Dense side
  Index source_bytes = 0;       // lengths of the two memories
  Index destination_bytes = 0;
  bool fills = false;     // gaps are steps; else they are not written
  bool compares = false;  // all steps are Compare and there is no cover; else no step is Compare

  void clear();  // keeps the memory
};

}  // namespace vl::oracle
