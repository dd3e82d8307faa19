// The parts of MLIR's notation that layouts use. Errors stay in the cursor.
#pragma once

#include "encodings/base/cursor.h"
#include "encodings/ttmlir/ttmlir.h"

namespace vl::ttmlir {

/// 2x4 or 32 x 32: sizes with an x between them. Error: Syntax, Overflow, Value for '?'.
[[nodiscard]] std::vector<Index> take_sizes(Cursor& in, std::string_view what);

/// 2x4xf32, 6x1x!tt.tile<32 x 32, bfp_bf8>, f32.
[[nodiscard]] Cells take_cells(Cursor& in);

/// (d0, d1) -> (d0 * 64 + d1, 0). A result that is not linear is read, and `linear` is false.
[[nodiscard]] AffineMap take_map(Cursor& in);

/// (d0, d1)[s0] -> (d0 * s0 + d1): the same with symbols, which stand for these numbers. Error: Value for another
/// number of symbols; without `symbols` it is any, and each stands for 1.
[[nodiscard]] AffineMap take_map_of_symbols(Cursor& in, const std::optional<std::vector<Index>>& symbols);

/// <8x8>, <8x8, (d0, d1) -> (0, d0, d1)>, #ttcore.grid<…>. Error: Value for a dimension below 1.
[[nodiscard]] Grid take_grid(Cursor& in);

/// The name of a memory: l1 of #ttcore.memory_space<l1> and of the alias #l1_ that tt-mlir prints for it; of another
/// alias '#' and its name. Error: Value for another name in brackets.
[[nodiscard]] std::string take_space(Cursor& in);

/// memref<CELLS, SPACE>.
struct Memref {
  Cells cells;
  std::string space;
};
[[nodiscard]] Memref take_memref(Cursor& in);

/// dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>. Error: Shape if these are not as many pairs as the type says.
[[nodiscard]] std::vector<std::pair<Index, Index>> take_intervals(Cursor& in);

/// The text up to the '>' that closes the bracket in which the cursor stands, which is not taken; without blanks at its
/// ends, and with one blank for several. An arrow closes nothing.
[[nodiscard]] std::string take_rest(Cursor& in);

[[nodiscard]] std::string print_sizes(std::span<const Index> sizes);
[[nodiscard]] std::string print(const Cells& cells, std::string_view dialect);
[[nodiscard]] std::string print(const AffineMap& map);
[[nodiscard]] std::string print(const Grid& grid);

}  // namespace vl::ttmlir
