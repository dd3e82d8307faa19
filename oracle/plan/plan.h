// Plan: a relation as loop nests that a machine runs fast, with the list of rewrites that makes them of the relation's
// definition. Plain data: the planner (oracle/executor) writes it, the checker (check.h) believes none of it, kernels
// (oracle/kernels) run it.
//
// The certificate is two derivations, each a list of rewrites of *cells*, depth first; a cell is a box of variables
// 0 <= v_k < extent_k with affine lines over them.
//   pieces    one cell at first: the relation's domain. The lines are the inputs of the two maps, and are carried through
//             their stages, the source's first. A cell that reaches the end is *emitted*: a piece, in the order of emission.
//   cover     one cell at first: the destination's whole memory, one line, the unit's number. Each leaf says which piece
//             writes exactly those units, or that none does (a gap). Leaves are disjoint and cover the memory, so the
//             pieces are, too: no unit is written twice, and the gaps are exactly the padding.
// A relation onto a Dense side needs no cover: the domain's cells are disjoint and row-major numbers are a bijection.
//
// A step is one piece (or a gap, or a piece with the gap behind each of its runs) in bytes, its loops in the order in
// which they run. That a step is its piece is shown by a normal form: loops and the run in bytes, extents 1 dropped,
// reversed to ascend in the destination, sorted, fused.
// Example: f16[5,100,150] -> (100,3,5,64), pack. Cut x2 at 128, block it by 64: pieces
//   {x0:5, x1:100, t:2, k:64}  source 15000,150,64,1 from 0    destination 64,960,320,1 from 0
//   {x0:5, x1:100, k:22}       source 15000,150,1 from 128     destination 64,960,1 from 640
// and one gap {100, 5, 42} from 662.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "verifier/base/integer.h"

namespace vl::oracle {

constexpr std::size_t kMostLoops = 16;

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

/// What is done at the end of the loops; the innermost loops mean what the kernel says (oracle/kernels/kernels.h).
enum class Kernel : std::uint8_t {
  Run,        // copy `run` bytes, contiguous on both sides; then `fill` bytes of the fill value
  Transpose,  // the last two loops are a transpose of units of `run` bytes: destination stride = run in the first of the
              // two, source stride = run in the second
  Strided,    // units of `run` bytes, whatever the strides (0 included)
  Fill,       // `run` bytes of the fill value
  Compare,    // `run` bytes must be equal on both sides; nothing is written
};

struct Step {
  Kernel kernel = Kernel::Run;
  bool stream = false;  // whole cache lines with non-temporal stores
  std::uint8_t rank = 0;
  std::array<Loop, kMostLoops> loops;  // outermost first, `rank` of them
  Index source = 0;                    // byte offsets of the first iteration, before the swizzle
  Index destination = 0;
  Index run = 1;   // bytes
  Index fill = 0;  // bytes of the fill value behind each run
  ByteSwizzle source_swizzle;  // applied to each address; a run lies within 2^base bytes
  ByteSwizzle destination_swizzle;
  std::int32_t piece = -1;  // the piece that it is; -1: a gap only
  std::int32_t gap = -1;    // the gap that it is, or that `fill` is
};

/// Steps [first, first + count) run in lockstep: their `shared` outermost loops have equal extents, and for each
/// iteration of these all of them run in turn.
struct Group {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t shared = 0;
};

/// One rewrite of the cell on top of the stack. `a`, `b` are numbers of variables.
enum class Rule : std::uint8_t {
  Cut,      // a at n: the cell with v_a < n goes on, the one with v_a >= n (counted from n) waits beneath it. 0 < n < extent
  Block,    // a by n, n | extent: v_a = n·y + z; y takes the place of a, z (extent n) is appended
  Fix,      // a: the cell with v_a = 0 goes on, the one with v_a >= 1 waits beneath (a Cut at 1; then a is dropped)
  Drop,     // a has extent 1
  Reverse,  // a counts downwards
  Fuse,     // a and b become one variable in a's place: in every line the coefficient of a is that of b times b's
            // extent; b is removed
  Affine,   // the next stage of the map, an affine one
  Digit,    // the next weight w of the split: the line becomes its quotient and its rest by w, where every coefficient is
            // divided with floor; the rest must lie in [0, w) over the whole cell
  Swizzle,  // the next stage, a swizzle that no later stage follows and whose output is the lowest part of the address
  Constant, // the next stage, a swizzle of a line that is constant on the cell
  Emit,     // the cell is a piece: guards are 0, every coordinate lies in its box
  Holds,    // cover only: the units of this leaf are exactly those that piece n writes
  Gap,      // cover only: nothing writes them
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
  std::vector<Group> groups;     // cover the steps in order
  std::vector<Rewrite> pieces;   // certificate: from the relation's domain
  std::vector<Rewrite> cover;    // certificate: from the destination's memory; empty onto a Dense side
  Index source_bytes = 0;        // lengths of the two memories
  Index destination_bytes = 0;
  bool fills = false;            // gaps are steps, else they are left as they are

  void clear();  // keeps the memory
};

}  // namespace vl::oracle
