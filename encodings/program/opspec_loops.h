// Loops around operations of Torch-Spyre: LoopSpec(count=…, body=[…]). A loop's rounds have a part each of the tensors
// whose places move on by a whole tile in each round; what lies at one place in each of them is a tile that is made
// anew. Each operation of its body is said once, of all rounds: a symbol goes as far as all of them go, and so it is
// the same operation on whole tensors. That holds where each round makes its part of the result out of its own parts of
// the operands: nothing is read that an earlier round has made, and no symbol is summed over that the rounds go
// through. Elsewhere it is not known. Source: torch-spyre, docs/source/compiler/coarse_tiling_loops.md and
// torch_spyre/_inductor/op_spec.py (TensorArg.device_tile_advance_expr, OpSpec.tiled_symbols).
//
// Example: 8 rounds of c0: (128, 1), c1: (4096, 1) at device_size [64, 1024, 64] that moves on by 8192 = 128*64
// elements are one operation on a tensor of 1024 by 4096; its result at lx 0 with device_size [64, 128, 64] is one,
// too, of which each round has 128 rows there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "encodings/notation/python.h"
#include "encodings/program/opspec_memory.h"
#include "encodings/program/opspec_text.h"

namespace vl::program {

struct SpecLoop : SpecRounds {
  std::size_t begin = 0;                // when its round began
  std::vector<SpecTensor> writes = {};  // of its body
  std::string forgets = {};             // an operation of its body that may write anywhere
  std::vector<std::string> again = {};  // the accesses of a second round
};

constexpr std::size_t kDeepestLoop = 4;  // a body is read twice, so that it is known what it writes

/// The symbols by which places move, from `tiled_symbols` and `tiled_symbol_trip_counts` of an operation in these
/// loops. Gives what of them is not known, or nothing.
[[nodiscard]] std::string read_levels(const python::Node& spec, SpecContext& context);

/// Tensors of a round as those of all rounds; inputs come before outputs. Gives the reason where that is
/// impossible, else an empty text.
[[nodiscard]] std::string widen(std::vector<SpecTensor>& tensors, const std::vector<SpecLoop>& loops,
                                const SpecMemory& memory);

/// What an earlier round may have written of what is read, in words; or nothing.
[[nodiscard]] std::string carried(const SpecTensor& tensor, const std::vector<SpecLoop>& loops,
                                  const SpecMemory& memory);

}  // namespace vl::program
