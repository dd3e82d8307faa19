// Builders: layouts that upstream's helpers construct, so that a call in a kernel can be pasted unchanged. Each
// function returns what upstream's returns, mistakes included: claims about the result have to find these.
//
//   tmem_datapath_layout("F", 64, 256)           accumulator of tcgen05.mma in tensor memory
//   sf_tmem_layout(128, 8, 4)                    scale factors of a block-scaled one
//   mma_shared_layout("float16", 3, (64, 256))   operand in shared memory under the 128-byte swizzle
//   mma_atom_layout("float16", 3)                that swizzle alone
//   TileLayout.trainium("FPF", (32, 512, 512))   scratchpad of 128 partitions; is_psum=True: accumulator banks
//
// Also tmem_datapath, tma_shared_layout, tma_atom_layout and trainium. Modes are 0 to 3, "none", "32B", "64B", "128B",
// or members of upstream's SwizzleMode. Sources, in apache/tvm: python/tvm/tirx/layout.py (datapaths, Trainium); in
// python/tvm/backend/cuda/tile_primitive: gemm_async/tcgen05.py (scale factors), tma_utils.py (shared memory).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "encodings/tirx/value.h"

namespace vl::tirx {

/// The places of row r, column c of an accumulator of `cols` columns, of which w columns lie side by side in a lane.
///   A, D (128 rows)   lane r                                           column c
///   B, E (64 rows)    lane r + 64·floor(c / w), w = cols / 2           column c mod w
///   G    (32 rows)    lane r + 32·floor(c / w), w = cols / 4           column c mod w
///   C, F (64 rows)    lane 32·floor(r / 16) + 16·sub_slab + r mod 16   column c
/// Example: F, row 37 of the upper sub-slab: lane 85. G of 64 columns: (5,37) is lane 69, column 5.
/// Errors: Value (another letter, other rows, columns that do not divide, a sub_slab that the datapath does not have).
[[nodiscard]] Result<TileLayout> tmem_datapath(char datapath, Index rows, Index cols, Index sub_slab = 0);

/// Scale factors of `rows` rows, with `factors` different ones along K. An MMA reads `per_mma` of them; each serves
/// `reuse` MMAs. There are `stages` copies, one behind the other.
struct ScaleFactors {
  Index rows = 0;
  Index factors = 0;
  Index per_mma = 0;
  Index reuse = 1;
  std::optional<Index> stages;
};
/// A group has 32 rows, and each lane four replicas; a group of a stage takes 4 columns of bytes. A stage starts
/// 4·rows/32 columns behind the one before. The second group along K starts there too: with stages and more than 4
/// factors they overlap.
/// Errors: Value (rows that are not a multiple of 32; per_mma that is not 1, 2 or 4, or does not divide the factors),
/// Overflow.
/// Example: (128, 8, 4) is S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane].
[[nodiscard]] Result<TileLayout> sf_tmem_layout(const ScaleFactors& wanted);

/// One letter per dimension: P goes over the partitions, F along each of them; both are row-major. A single P above 128
/// is split; its higher part becomes the slowest of F. With `psum`, F continues over banks of 512 elements.
/// Errors: Value (other letters, partitions that do not fit, an F dimension that straddles a bank), Shape, Overflow.
[[nodiscard]] Result<TileLayout> trainium(std::string_view letters, std::span<const Index> shape, bool psum = false);

/// The swizzle of a mode, 0 to 3 for none, 32, 64 and 128 bytes: runs of 16 bytes stay together. f16, 3: (3, 3, 3).
/// Error: Value (bits that do not divide 128, another mode).
[[nodiscard]] Result<SwizzleLayout> mma_atom_layout(Index element_bits, Index mode);

/// Panels as wide as the swizzle, one behind the other; in a panel the rows are below each other. Mode 0: panels of 16
/// bytes without a swizzle, as upstream since the middle of 2026; rows that are not a multiple of 16 bytes are
/// row-major. Errors: those of mma_atom_layout; Shape (rank below 2, rows that are not a multiple of 8, columns that
/// are not a multiple of the width), Overflow. Example: 16 bits, mode 3, (64,256) is S[(64,4,64):(64,4096,1)] under
/// (3,3,3).
[[nodiscard]] Result<Layout> mma_shared_layout(Index element_bits, Index mode, std::span<const Index> shape);

/// The names of the calls above, without a module in front of them.
[[nodiscard]] std::span<const std::string_view> builders();

/// The result of a builder's call; nothing if `called` is not the name of a builder. Names in place of numbers make the
/// text symbolic. Errors, in `evaluation`: Syntax (arguments that are unknown, missing or given twice); the helper's
/// own.
[[nodiscard]] std::optional<Value> build(Evaluation& evaluation, std::string_view called, const Node& call);

}  // namespace vl::tirx
